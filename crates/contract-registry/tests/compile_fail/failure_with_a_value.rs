//! A failure has no value to ask for, and nobody outside builds an outcome.

use contract_registry::{Failure, Outcome, Success};

fn value_of(failure: &Failure) {
    failure.value();
}

fn build(result: Result<Success, Failure>) -> Outcome {
    Outcome { result, contexts: Vec::new() }
}

fn main() {}
