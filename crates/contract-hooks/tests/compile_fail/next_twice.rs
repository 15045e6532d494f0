//! Running consumes `next`, in every chain.

use contract_hooks::{AroundNext, HookError, PostNext, PreNext};

async fn pre(next: PreNext<'_>) -> Result<(), HookError> {
    next.run().await?;
    next.run().await?;
    Ok(())
}

async fn post(next: PostNext<'_>) -> Result<(), HookError> {
    next.run().await?;
    next.run().await?;
    Ok(())
}

async fn around(next: AroundNext<'_>) {
    let _ = next.run().await;
    let _ = next.run().await;
}

fn main() {}
