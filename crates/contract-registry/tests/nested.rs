//! Nested calls: a parent token, no meta, effects forwarded.

use std::sync::{Arc, Mutex};

use contract_registry::{CallContext, ToolError};
use contract_schema::{AdditionalContext, Json};
use serde_json::{Value, json};

use crate::support::{counting, registry_with, request};

#[tokio::test]
async fn a_nested_call_has_a_parent_and_a_root_and_no_meta() {
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = Arc::clone(&seen);
    let inner = counting("inner", move |_, cx: CallContext| {
        log.lock().unwrap().push(format!("{} root {}", cx.call_id(), cx.root_call_id()));
        assert!(cx.is_nested());
        async move {
            cx.defer_context(AdditionalContext::text("tool", "inner", "note"));
            cx.conclude_turn();
            Ok(json!({ "count": 2 }))
        }
    });
    let outer = counting("outer", |_, cx| async move {
        assert!(!cx.is_nested());
        let request = cx.nested("inner", Json::default());
        let refused = cx.call_nested(request).await;
        assert!(refused.is_error(), "null is no object");
        let outcome = cx.call_nested(cx.nested("inner", Json::parse("{}").unwrap())).await;
        assert!(outcome.meta().is_none());
        assert_ne!(outcome.token(), cx.token());
        let value = outcome.value().ok_or_else(|| ToolError::new("inner failed"))?;
        Ok::<Value, _>(value.json().to_value())
    });
    let registry = registry_with([inner.build().unwrap(), outer.build().unwrap()]);
    let id = contract_registry::CallId::new("call-x");
    let outcome = registry.dispatch(request("outer").with_call_id(id)).await;
    assert_eq!(outcome.value().unwrap().to_string(), r#"{"count":2}"#);
    assert!(outcome.meta().is_some());
    assert_eq!(outcome.contexts().len(), 1);
    assert!(outcome.result().unwrap().concludes_turn());
    assert_eq!(*seen.lock().unwrap(), ["call-x:2 root call-x"]);
}

#[tokio::test]
async fn a_failing_call_does_not_conclude_the_turn() {
    let failing = counting("f", |_, cx| async move {
        cx.conclude_turn();
        Err(ToolError::new("no"))
    });
    let outer = counting("outer", |_, cx| async move {
        let outcome = cx.call_nested(cx.nested("f", Json::parse("{}").unwrap())).await;
        assert!(outcome.is_error());
        Ok(json!({ "count": 1 }))
    });
    let registry = registry_with([failing.build().unwrap(), outer.build().unwrap()]);
    let outcome = registry.dispatch(request("outer")).await;
    assert!(!outcome.result().unwrap().concludes_turn());
}

#[tokio::test]
async fn a_tool_that_calls_itself_is_stopped_before_the_stack_is() {
    let again = counting("again", |_, cx| async move {
        let outcome = cx.call_nested(cx.nested("again", Json::parse("{}").unwrap())).await;
        match outcome.error() {
            Some(failure) => Err(ToolError::new(failure.message())),
            None => Ok(json!({ "count": 1 })),
        }
    });
    let registry = registry_with([again.build().unwrap()]);
    let outcome = registry.dispatch(request("again")).await;
    assert_eq!(outcome.error().unwrap().message(), "calls are nested deeper than 8 levels");
}

#[tokio::test]
async fn a_body_sees_the_end_of_a_call_that_ignores_its_cancellation() {
    let source = contract_registry::CancelSource::new();
    let cancel = source.clone();
    let inner = counting("inner", move |_, _| {
        cancel.cancel();
        std::future::pending()
    });
    let seen: Arc<Mutex<Option<String>>> = Arc::default();
    let note = Arc::clone(&seen);
    let outer = counting("outer", move |_, cx: CallContext| {
        let note = Arc::clone(&note);
        async move {
            let outcome = cx.call_nested(cx.nested("inner", Json::parse("{}").unwrap())).await;
            *note.lock().unwrap() = outcome.error().and_then(|error| error.code()).map(Into::into);
            Err(ToolError::new("its call was cancelled"))
        }
    });
    let registry = contract_registry::Registry::builder()
        .cancel_grace(std::time::Duration::from_millis(200))
        .build();
    for tool in [inner.build().unwrap(), outer.build().unwrap()] {
        registry.register_dyn(tool).unwrap().keep();
    }
    let outcome = registry.dispatch(request("outer").with_cancel(source.signal())).await;
    assert_eq!(seen.lock().unwrap().as_deref(), Some("ABORTED"));
    assert_eq!(crate::support::message(&outcome), "its call was cancelled");
}
