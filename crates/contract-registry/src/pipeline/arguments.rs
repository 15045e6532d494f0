//! Stage 1: find the tool, check the arguments against its parameter schema (contract P6).

use std::sync::Arc;

use contract_schema::{Json, ReadError, nearest};

use super::{Bound, Unbound};
use crate::call::{Call, CallHead, Effects};
use crate::contain::contained;
use crate::erased::DynTool;
use crate::error::code;
use crate::outcome::Failure;
use crate::registry::{Presentation, Scope, ToolDefinition};

pub(super) fn bind(
    scope: &Scope,
    head: CallHead,
    arguments: Result<Json, ReadError>,
) -> Result<Bound, Box<(CallHead, Unbound)>> {
    let _stage = tracing::debug_span!("arguments").entered();
    let Some(tool) = scope.resolve(head.name()) else {
        let failure = unknown(scope, head.name());
        return Err(Box::new((head, Unbound { failure, tool: None })));
    };
    if let Some(failure) = not_here(scope, &head, tool.definition()) {
        return Err(Box::new((head, Unbound { failure, tool: None })));
    }
    let checked = arguments.map_err(|error| not_json(head.name(), &error)).and_then(|arguments| {
        contained(|| check(&tool, arguments))
            .unwrap_or_else(|panic| Err(invalid(tool.definition().name(), &panic)))
    });
    match checked {
        Ok((arguments, prepared)) => {
            let call = Call { head, tool: Arc::clone(tool.definition()), arguments };
            let effects = Arc::new(Effects::default());
            Ok(Bound { call: Arc::new(call), tool, prepared, effects, scope: scope.clone() })
        }
        Err(failure) => Err(Box::new((head, Unbound { failure, tool: Some(tool) }))),
    }
}

/// A visible tool that this call cannot reach: a reserved one from within itself, or one that is not
/// presented to the model. Policy does not see the call (contract C5).
fn not_here(scope: &Scope, head: &CallHead, tool: &ToolDefinition) -> Option<Failure> {
    let name = tool.name();
    let message = if head.is_nested() {
        (head.is_in_reserved() && tool.is_reserved())
            .then(|| format!("`{name}` cannot be called from a program that it runs"))?
    } else {
        let presentation = scope.presentation();
        (!presentation.offers(tool)).then(|| match presentation {
            Presentation::Code => by_program(scope, name),
            Presentation::Native | Presentation::Both => {
                format!("`{name}` is not offered here; call the other tools directly")
            }
        })?
    };
    Some(Failure::coded("UnknownToolError", code::UNKNOWN_TOOL, message))
}

/// The way to a tool that only programs call.
fn by_program(scope: &Scope, name: &str) -> String {
    match scope.presented().first() {
        Some(runs) => format!(
            "`{name}` is not called directly here: call `{}` with a program that calls `tools[\"{name}\"](args)`",
            runs.name()
        ),
        None => {
            format!("`{name}` is not called directly here, and no tool that runs programs is there")
        }
    }
}

/// How much of a name that names no tool is repeated: more than any tool's name has.
const NAME_SHOWN_BYTES: usize = 80;

type Checked = (contract_schema::Canonical, Box<dyn crate::erased::PreparedCall>);

fn check(tool: &Arc<dyn DynTool>, arguments: Json) -> Result<Checked, Failure> {
    let name = tool.definition().name();
    let arguments = tool
        .definition()
        .parameters()
        .canonicalize(arguments)
        .map_err(|violations| invalid(name, &violations.to_string()))?;
    let prepared =
        Arc::clone(tool).prepare(&arguments).map_err(|error| invalid(name, &error.to_string()))?;
    Ok((arguments, prepared))
}

fn unknown(scope: &Scope, name: &str) -> Failure {
    let name = name.split_at(name.floor_char_boundary(NAME_SHOWN_BYTES)).0;
    let visible = scope.list();
    let names: Vec<_> = visible.iter().map(|tool| tool.name()).collect();
    let message = match nearest(name, &names) {
        Some(near) => format!("there is no tool named `{name}`; did you mean `{near}`?"),
        None => format!("there is no tool named `{name}`"),
    };
    Failure::coded("UnknownToolError", code::UNKNOWN_TOOL, message)
}

fn not_json(name: &str, error: &ReadError) -> Failure {
    let message = format!("the arguments of {name} are not valid JSON: {error}");
    Failure::coded("ToolArgsError", code::INVALID_TOOL_ARGS, message)
}

fn invalid(name: &str, what: &str) -> Failure {
    let message = format!("invalid arguments for {name}: {what}");
    Failure::coded("ToolArgsError", code::INVALID_TOOL_ARGS, message)
}
