//! A canonical value has no public fields.

use contract_schema::{Canonical, Json};

fn build(json: Json) -> Canonical {
    Canonical { json }
}

fn main() {}
