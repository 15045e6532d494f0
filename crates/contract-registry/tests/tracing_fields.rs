//! Spans name tools and stages and hold no value.

use std::fmt::Write as _;
use std::sync::{Arc, Mutex};

use contract_registry::CallRequest;
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

use crate::support::{counting, registry_with};

/// Writes down every span and field.
#[derive(Clone, Default)]
struct Recorder(Arc<Mutex<String>>);

struct Fields<'a>(&'a mut String);

impl Visit for Fields<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn std::fmt::Debug) {
        let _ = write!(self.0, " {field}={value:?}");
    }
}

impl Subscriber for Recorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target().starts_with("contract_")
    }

    fn new_span(&self, span: &Attributes<'_>) -> Id {
        let mut text = self.0.lock().unwrap();
        let _ = write!(text, "{}", span.metadata().name());
        span.record(&mut Fields(&mut text));
        text.push('\n');
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, values: &Record<'_>) {
        values.record(&mut Fields(&mut self.0.lock().unwrap()));
    }

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        event.record(&mut Fields(&mut self.0.lock().unwrap()));
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

#[test]
fn spans_name_the_stages_and_never_a_value() {
    let recorder = Recorder::default();
    let tool = counting("c", |_, _| async { Ok(json!({ "count": 424_242 })) });
    let registry = registry_with([tool.build().unwrap()]);
    tracing::subscriber::with_default(recorder.clone(), || {
        let request = CallRequest::from_text("c", r#"{"secret":"argument-text"}"#);
        futures_util::FutureExt::now_or_never(registry.dispatch(request)).unwrap();
    });
    let text = recorder.0.lock().unwrap().clone();
    for stage in
        ["call tool=\"c\"", "arguments", "guards", "execute", "body", "normalize", "finalize"]
    {
        assert!(text.contains(stage), "{stage} in {text}");
    }
    assert!(!text.contains("424242") && !text.contains("argument-text"), "{text}");
}
