//! Contract X2: metadata is a document of its own; a validated value does not stand in for it.

use contract_schema::Canonical;
use contract_session::event::ToolResult;

fn log(value: Option<Canonical>) -> ToolResult {
    ToolResult {
        call_id: "call-1".into(),
        name: "read".to_owned(),
        content: vec![],
        error: None,
        meta: value,
    }
}

fn main() {}
