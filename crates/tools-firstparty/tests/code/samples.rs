//! Every value of every tool, as a program gets it.
#![cfg(feature = "samples")]

use std::sync::{Arc, Mutex};

use contract_registry::{CallRequest, RawTool, Returned};
use contract_schema::{ContentBlock, Json};
use serde_json::json;
use tools_firstparty::{Config, Seams, tools};

use super::support::Bench;

#[tokio::test(flavor = "multi_thread")]
async fn c1_every_sample_of_every_tool_reaches_a_program_as_a_direct_call_gives_it() {
    let sampled = tools(&Config::default(), &Seams::default()).unwrap().into_sampled();
    let next: Arc<Mutex<Json>> = Arc::default();
    // Tools of the same declarations, whose bodies return the sample at hand.
    let twins = sampled.iter().filter(|sampled| !sampled.tool.definition().is_reserved());
    let twins: Vec<_> = twins.collect();
    let bench = Bench::new(twins.iter().map(|sampled| {
        let (definition, next) = (sampled.tool.definition(), Arc::clone(&next));
        RawTool::new(definition.name(), definition.family())
            .parameters(definition.parameters().document().clone())
            .output(definition.output().document().clone())
            .run(move |_, _| {
                let value = next.lock().unwrap().clone();
                async move { Ok(Returned::json(value)) }
            })
            .render(|_, _| vec![ContentBlock::text("x")])
    }));
    let mut count = 0;
    for sampled in twins {
        let name = sampled.tool.definition().name();
        for sample in &sampled.samples {
            *next.lock().unwrap() = sample.value.clone();
            let direct = bench.registry.dispatch(CallRequest::new(name, sample.args.clone())).await;
            let direct = direct.value().expect("a sample is valid").json().to_value();
            let program = format!("return await tools[{}]({})", json!(name), sample.args);
            assert_eq!(bench.result(&program).await, direct, "{name}: {}", sample.name);
            count += 1;
        }
    }
    assert!(count > 60, "{count} samples");
}
