//! Contract X2: only the events of this crate can be appended, not whatever serialises.

use contract_schema::Canonical;
use contract_session::{Journal, Record};

fn log(journal: &dyn Journal, value: &Canonical, read: &Record) {
    let _ = journal.append(value);
    let _ = journal.append(read);
}

fn main() {}
