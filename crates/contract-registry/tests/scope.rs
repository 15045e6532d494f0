//! Layers: shadowing, restrictions, guards, handles (contract P11).

use contract_registry::{Denial, RegisterError, Registry, Restriction};

use crate::support::{code, constant, registry_with, request, text};

fn names(scope: &contract_registry::Scope) -> Vec<String> {
    scope.list().iter().map(|tool| tool.name().to_owned()).collect()
}

#[tokio::test]
async fn a_scoped_tool_shadows_and_its_handle_gives_the_name_back() {
    let registry = registry_with([constant("c", 1)]);
    let scope = registry.scope();
    let handle = scope.register_dyn(constant("c", 2)).unwrap();
    assert_eq!(text(&scope.dispatch(request("c")).await), "count is 2");
    assert_eq!(text(&registry.dispatch(request("c")).await), "count is 1");
    drop(handle);
    assert_eq!(text(&scope.dispatch(request("c")).await), "count is 1");
}

#[tokio::test]
async fn a_restriction_masks_what_is_inherited_and_nothing_else() {
    let registry = registry_with([constant("a", 1), constant("b", 1)]);
    let scope = registry.scope();
    let own = scope.register_dyn(constant("own", 3)).unwrap();
    let handle = scope.restrict(Restriction::allow(["a"]));
    assert_eq!(names(&scope), ["a", "own"]);
    assert_eq!(code(&scope.dispatch(request("b")).await), "UNKNOWN_TOOL");
    assert_eq!(text(&scope.dispatch(request("own")).await), "count is 3");

    let inner = scope.scope();
    let denied = inner.restrict(Restriction::deny(["own"]));
    assert_eq!(names(&inner), ["a"]);
    drop((denied, handle));
    assert_eq!(names(&inner), ["a", "b", "own"]);
    drop(own);
    assert_eq!(names(&inner), ["a", "b"]);
}

#[tokio::test]
async fn guards_of_every_layer_can_deny_and_panics_deny() {
    let registry = registry_with([constant("a", 1)]);
    let scope = registry.scope();
    let outer = registry.root().guard(|call| (call.name() == "a").then(|| Denial::new("never")));
    assert_eq!(code(&scope.dispatch(request("a")).await), "TOOL_DENIED");
    drop(outer);
    assert!(!scope.dispatch(request("a")).await.is_error());
    let broken = scope.guard(|_| panic!("guard fell over"));
    assert_eq!(code(&scope.dispatch(request("a")).await), "POLICY_FAILED");
    assert!(!registry.dispatch(request("a")).await.is_error());
    drop(broken);
}

#[tokio::test]
async fn a_name_is_taken_once_in_a_layer() {
    let registry = Registry::new();
    let handle = registry.register_dyn(constant("c", 1)).unwrap();
    let again = registry.register_dyn(constant("c", 2));
    assert!(matches!(again, Err(RegisterError::DuplicateName(name)) if name == "c"));
    drop(handle);
    let _free = registry.register_dyn(constant("c", 2)).unwrap();
}

#[tokio::test]
async fn an_old_handle_does_not_remove_a_newer_tool_of_its_name() {
    let registry = Registry::new();
    let first = registry.register_dyn(constant("c", 1)).unwrap();
    drop(first);
    let _second = registry.register_dyn(constant("c", 2)).unwrap();
    assert_eq!(names(registry.root()), ["c"]);
}

#[tokio::test]
async fn changes_are_announced() {
    let registry = Registry::new();
    let mut changes = registry.changes();
    let handle = registry.register_dyn(constant("c", 1)).unwrap();
    assert!(changes.changed().await);
    drop(handle);
    assert!(changes.changed().await);
    let scope = registry.scope();
    scope.restrict(Restriction::deny(["c"])).keep();
    assert!(changes.changed().await);
    drop((scope, registry));
    assert!(!changes.changed().await);
}

#[tokio::test]
async fn registering_while_calls_run_is_safe() {
    let registry = registry_with([constant("c", 1)]);
    let writers = (0..4).map(|n| {
        let registry = registry.clone();
        tokio::spawn(async move {
            for _ in 0..200 {
                let handle = registry.register_dyn(constant(&format!("t{n}"), n)).unwrap();
                assert!(!registry.dispatch(request(&format!("t{n}"))).await.is_error());
                drop(handle);
            }
        })
    });
    for writer in writers.collect::<Vec<_>>() {
        writer.await.unwrap();
    }
    assert_eq!(names(registry.root()), ["c"]);
}

#[test]
fn a_guard_that_owns_a_handle_is_dropped_without_a_deadlock() {
    let registry = Registry::new();
    let inner = registry.root().guard(|_| None);
    let outer = registry.root().guard(move |_| {
        let _ = &inner;
        None
    });
    drop(outer);
}
