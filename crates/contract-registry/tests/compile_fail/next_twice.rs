//! Running consumes `next`.

use contract_registry::{ExecuteReply, Next};

async fn twice(next: Next<'_>) -> ExecuteReply {
    let first = next.run().await;
    let _second = next.run().await;
    first.into()
}

fn main() {}
