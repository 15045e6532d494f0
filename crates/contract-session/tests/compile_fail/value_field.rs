//! Contract X2: no event has a field for a value.

use contract_schema::{Canonical, Json};
use contract_session::event::{PtcDispatch, ToolResult};

fn log(value: Canonical) -> ToolResult {
    ToolResult {
        call_id: "call-1".into(),
        name: "read".to_owned(),
        content: vec![],
        error: None,
        meta: None,
        value,
    }
}

fn nested(value: Canonical, meta: Json) -> PtcDispatch {
    PtcDispatch {
        root_call_id: "call-1".into(),
        parent_call_id: "call-1".into(),
        sub_call_id: "call-1.1".into(),
        name: "read".to_owned(),
        arguments: value,
        content: vec![],
        is_error: false,
        meta,
    }
}

fn main() {}
