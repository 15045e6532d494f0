//! Schemas that apply to one and the same value: loops, long chains and explosions of them.
//!
//! A subschema of `properties` sees a member, so the value bounds how often it applies. One of `allOf`
//! or the target of a `$ref` sees the value itself: nothing bounds that but the schema.

use super::Report;
use super::positions::Positions;

/// Longest chain of subschemas that apply to one and the same value.
pub const MAX_IN_PLACE_DEPTH: u32 = 128;
/// Most subschemas that may apply to one and the same value, each counted as often as it applies.
pub const MAX_IN_PLACE_APPLICATIONS: u32 = 10_000;

#[derive(Clone, Copy, Default)]
struct Cost {
    depth: u32,
    applications: u32,
}

#[derive(Clone, Copy)]
enum State {
    New,
    Open,
    Done(Cost),
}

/// Refuses what does not end or costs too much; the longest chain otherwise.
pub(super) fn check(positions: &Positions<'_>, report: &mut Report) -> u32 {
    let mut states = vec![State::New; positions.len()];
    let mut deepest = 0;
    for start in 0..positions.len() {
        deepest = deepest.max(visit(positions, start, &mut states, report));
    }
    deepest
}

struct Frame {
    at: usize,
    below: Vec<(usize, &'static str)>,
    next: usize,
    cost: Cost,
}

/// Depth-first from `start`, on a stack of its own. The depth of `start`.
fn visit(
    positions: &Positions<'_>,
    start: usize,
    states: &mut [State],
    report: &mut Report,
) -> u32 {
    if let State::Done(cost) = states[start] {
        return cost.depth;
    }
    let mut stack = vec![open(positions, start, states)];
    while let Some(frame) = stack.last_mut() {
        let Some(&(child, through)) = frame.below.get(frame.next) else {
            let done = close(positions, frame, report);
            states[frame.at] = State::Done(done);
            stack.pop();
            if let Some(parent) = stack.last_mut() {
                add(&mut parent.cost, done);
            }
            continue;
        };
        frame.next += 1;
        match states[child] {
            State::Done(cost) => add(&mut frame.cost, cost),
            State::New => stack.push(open(positions, child, states)),
            State::Open => {
                let at = frame.at;
                report.refuse(at, through, "leads back to itself without entering the value");
            }
        }
    }
    match states[start] {
        State::Done(cost) => cost.depth,
        State::New | State::Open => 0,
    }
}

fn open(positions: &Positions<'_>, at: usize, states: &mut [State]) -> Frame {
    states[at] = State::Open;
    Frame { at, below: positions.in_place(at), next: 0, cost: Cost::default() }
}

fn add(total: &mut Cost, child: Cost) {
    total.depth = total.depth.max(child.depth);
    total.applications = total.applications.saturating_add(child.applications);
}

/// The cost of a finished position. One that is refused counts as small, so that what refers to it is
/// not refused for the same reason.
fn close(positions: &Positions<'_>, frame: &Frame, report: &mut Report) -> Cost {
    // Looking for what was not evaluated runs the subschemas a second time.
    let schema = positions.value(frame.at);
    let looks_again =
        schema.get("unevaluatedProperties").is_some() || schema.get("unevaluatedItems").is_some();
    let below = frame.cost.applications;
    let applications = if looks_again { below.saturating_mul(2) } else { below };
    let cost = Cost { depth: frame.cost.depth + 1, applications: applications.saturating_add(1) };
    let reason = if cost.depth > MAX_IN_PLACE_DEPTH {
        format!("more than {MAX_IN_PLACE_DEPTH} subschemas in a chain apply to the same value")
    } else if cost.applications > MAX_IN_PLACE_APPLICATIONS {
        format!("more than {MAX_IN_PLACE_APPLICATIONS} subschemas apply to the same value")
    } else {
        return cost;
    };
    report.refuse(frame.at, "", reason);
    Cost { depth: 1, applications: 1 }
}
