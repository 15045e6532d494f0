//! The rules of spilling, over a store in memory.

use std::sync::{Arc, Mutex};

use contract_hooks::{Hooks, InnerPost};
use contract_registry::{PostDecision, Returned};
use contract_schema::{AdditionalContext, ContentBlock};
use contract_spill::{MemoryStore, Spill, SpillConfig, SpillText};
use serde_json::json;

use crate::support::{
    LogsCopies, Post, World, block, broken_stores, config, items, printed, rows, spilling, texts,
};

/// Bytes and lines of the one gap row in a preview, with the text before and after it.
fn gap(preview: &str) -> (&str, u64, Option<u64>, &str) {
    let start = preview.find("[… ").unwrap();
    let (head, rest) = preview.split_at(start);
    let (row, tail) = rest.split_once(" …]\n").unwrap();
    let row = row.strip_prefix("[… ").unwrap().replace(['(', ')'], "");
    let words: Vec<&str> = row.split(' ').collect();
    match words[..] {
        [lines, "line" | "lines", "left", "out", bytes, "byte" | "bytes"] => {
            (head, bytes.parse().unwrap(), Some(lines.parse().unwrap()), tail)
        }
        [bytes, "byte" | "bytes", "left", "out"] => (head, bytes.parse().unwrap(), None, tail),
        _ => panic!("{row}"),
    }
}

#[test]
fn s1_long_text_is_saved_whole_and_shown_by_head_tail_and_place() {
    let (world, store, _) = spilling(config(400));
    let text = rows(1000);
    let outcome = world.call_now("say", json!({ "blocks": [text] }));
    let [preview, notice] = texts(&outcome)[..] else { panic!("two blocks") };
    let (head, bytes, lines, tail) = gap(preview);
    assert!(text.starts_with(head) && text.ends_with(tail));
    assert_eq!(bytes, (text.len() - head.len() - tail.len()) as u64);
    assert_eq!(lines.unwrap(), 1000 - (head.lines().count() + tail.lines().count()) as u64);
    assert_eq!(store.get("memory/result/1/say.txt").unwrap(), text);
    assert_eq!(
        notice,
        format!(
            "(The call succeeded. Its result is too long to show; all {} bytes are in\n\
             memory/result/1/say.txt\nAsk the host for it.)",
            text.len()
        )
    );
    assert_eq!(outcome.value().unwrap().root().get("blocks").unwrap().len(), 1);
}

#[test]
fn s1_what_is_shown_never_exceeds_the_cap() {
    let texts = [rows(300), "x".repeat(3000), "é😀".repeat(600), "\n".repeat(3000)];
    for text in texts {
        for cap in (0..900).step_by(7).chain([2999, 3000, 3001]) {
            let (world, store, _) = spilling(config(cap));
            let outcome = world.call_now("say", json!({ "blocks": [text] }));
            let is_whole = *outcome.content() == [ContentBlock::text(&*text)];
            assert_eq!(store.texts().len(), usize::from(!is_whole), "cap {cap}");
            assert!(is_whole || printed(&outcome) <= cap + 1, "cap {cap}: {}", printed(&outcome));
        }
    }
}

#[test]
fn s1_a_printed_preview_is_within_the_cap() {
    let (world, ..) = spilling(config(500));
    let outcome = world.call_now("say", json!({ "blocks": [rows(1000)] }));
    assert!(printed(&outcome) <= 500);
    assert!(printed(&outcome) > 450, "the cap is used");
}

#[test]
fn s1_content_of_exactly_the_cap_stays() {
    for (length, is_cut) in [(999, false), (1000, false), (1001, true)] {
        let (world, store, _) = spilling(config(1000));
        let outcome = world.call_now("say", json!({ "blocks": ["x".repeat(length)] }));
        assert_eq!(texts(&outcome).len() == 2, is_cut, "{length}");
        assert_eq!(store.texts().len(), usize::from(is_cut));
    }
}

#[test]
fn s1_both_ends_of_a_few_enormous_lines_are_shown() {
    let (world, ..) = spilling(SpillConfig::default());
    let mut lines = vec!["x".repeat(40_000); 4];
    lines.insert(0, "begin".to_owned());
    lines.push(format!("{} error", "y".repeat(40_000)));
    let outcome = world.call_now("say", json!({ "blocks": [lines.join("\n")] }));
    let (head, bytes, lines, tail) = gap(texts(&outcome)[0]);
    assert!(head.starts_with("begin\nxxx") && tail.ends_with("yyy error"));
    assert_eq!(lines, None, "both cuts are inside lines");
    assert_eq!(bytes, (5 + 40_000 * 5 + 6 + 5 - (head.len() - 1) - tail.len()) as u64);
}

#[test]
fn s1_blocks_are_bounded_together_and_images_keep_their_order() {
    let (world, store, _) = spilling(config(400));
    let (one, two) = (rows(40), "{\"a\":[1,2]}".repeat(40));
    let arguments = json!({ "blocks": ["image:AA==", one, "image:BB==", two, "image:CC=="] });
    let outcome = world.call_now("say", arguments);
    let [_, first, second, third, notice] = outcome.content() else { panic!("five blocks") };
    assert_eq!(
        [first, second, third],
        [&block("image:AA=="), &block("image:BB=="), &block("image:CC==")]
    );
    let saved = format!("{one}\n{two}");
    assert!(notice.as_text().unwrap().contains(&format!("all {} bytes", saved.len())));
    assert_eq!(store.texts()[0].text, saved);
    // Each alone is under the cap, and so are many small ones.
    let outcome = world.call_now("say", json!({ "blocks": vec![""; 500] }));
    assert_eq!(texts(&outcome).len(), 2);
    assert_eq!(store.texts()[1].text, "\n".repeat(499));
}

#[test]
fn s1_images_alone_are_not_text() {
    let (world, store, _) = spilling(config(400));
    let image = format!("image:{}", "AAAA".repeat(1000));
    let outcome = world.call_now("say", json!({ "blocks": [image] }));
    assert_eq!(outcome.content(), [block(&image)]);
    assert!(store.texts().is_empty());
}

#[test]
fn s1_a_failure_is_bounded_and_the_notice_says_so() {
    let (world, store, _) = spilling(config(400));
    let outcome = world.call_now("say", json!({ "fail": rows(1000) }));
    assert!(outcome.is_error());
    let [preview, notice] = texts(&outcome)[..] else { panic!("two blocks") };
    assert!(preview.starts_with("Error: row 1\n"));
    assert!(notice.starts_with("(The call failed. What it reports is too long to show; all "));
    assert_eq!(store.texts()[0].text, format!("Error: {}", rows(1000)));
    assert_eq!(outcome.error().unwrap().message(), rows(1000));
}

#[test]
fn s2_a_store_that_does_not_save_leaves_the_content_inline() {
    for store in broken_stores() {
        let hooks = Hooks::new();
        Spill::new(store, config(400)).mount(&hooks).keep();
        let outcome = World::new(&hooks).call_now("say", json!({ "blocks": [rows(1000)] }));
        assert!(!outcome.is_error());
        assert_eq!(outcome.content(), [ContentBlock::text(rows(1000))]);
    }
}

#[test]
fn s2_a_cap_without_room_for_the_notice_saves_nothing() {
    for cap in [0, 1, 50, 100] {
        for text in [rows(30), rows(10_000)] {
            let (world, store, _) = spilling(config(cap));
            let outcome = world.call_now("say", json!({ "blocks": [text] }));
            assert_eq!(outcome.content(), [ContentBlock::text(&*text)]);
            assert!(store.texts().is_empty());
        }
    }
}

#[test]
fn s2_a_cap_with_room_for_the_notice_alone_shows_that() {
    let (world, store, _) = spilling(config(140));
    let outcome = world.call_now("say", json!({ "blocks": [rows(1000)] }));
    let [notice] = texts(&outcome)[..] else { panic!("one block") };
    assert!(notice.starts_with("(The call succeeded.") && notice.len() <= 140);
    assert_eq!(store.texts().len(), 1);
}

#[test]
fn s3_content_that_a_hook_replaced_is_bounded() {
    let (world, store, hooks) = spilling(config(400));
    let long = || vec![ContentBlock::text(rows(500))];
    let _hook =
        hooks.post_execute("hook", Post(move |_| PostDecision::replace_content_not_value(long())));
    let outcome = world.call_now("say", json!({ "blocks": ["short"] }));
    assert_eq!(texts(&outcome).len(), 2);
    assert_eq!(store.texts()[0].text, rows(500));
    assert_eq!(outcome.value().unwrap().json().to_string(), r#"{"blocks":["short"]}"#);
}

#[test]
fn s3_a_block_passes_and_nothing_of_the_result_is_written() {
    let (world, store, hooks) = spilling(config(400));
    let feedback = || vec![ContentBlock::text(rows(500))];
    let _hook = hooks.post_execute("hook", Post(move |_| PostDecision::block(feedback())));
    for (tool, arguments) in
        [("say", json!({ "blocks": [rows(900)] })), ("list", json!({ "count": 99, "width": 50 }))]
    {
        let outcome = world.call_now(tool, arguments);
        assert!(outcome.is_error());
        assert_eq!(outcome.content(), [ContentBlock::text(rows(500))]);
    }
    assert!(store.texts().is_empty());
}

#[test]
fn s3_nothing_of_a_replaced_value_is_written() {
    let (world, store, hooks) = spilling(config(400));
    let public = || Returned::typed(items(3, 5));
    let _hook = hooks.post_execute("hook", Post(move |_| PostDecision::replace_value(public())));
    let outcome = world.call_now("list", json!({ "count": 99, "width": 50 }));
    assert_eq!(texts(&outcome), ["00001\n00002\n00003\n(10 of 3; all in nowhere)"]);
    assert!(store.texts().is_empty());
}

#[test]
fn s3_contexts_stay() {
    let (world, _, hooks) = spilling(config(400));
    let context = || vec![AdditionalContext::text("test", "hook", "remember")];
    let _hook =
        hooks.post_execute("hook", Post(move |_| PostDecision::accept().with_contexts(context())));
    let outcome = world.call_now("say", json!({ "blocks": [rows(500)] }));
    assert_eq!(texts(&outcome).len(), 2);
    assert_eq!(outcome.contexts(), context());
}

#[test]
fn s3_what_is_unmounted_bounds_nothing() {
    let (store, hooks) = (Arc::new(MemoryStore::new()), Hooks::new());
    let mounted = Spill::new(store.clone(), config(400)).mount(&hooks);
    let world = World::new(&hooks);
    drop(mounted);
    let outcome = world.call_now("say", json!({ "blocks": [rows(500)] }));
    assert_eq!(outcome.content(), [ContentBlock::text(rows(500))]);
    assert!(store.texts().is_empty());
}

#[test]
fn s4_a_tool_with_an_overflow_shows_its_page_with_the_place() {
    for config in [config(4000), SpillConfig { max_inline_bytes: None, ..config(0) }] {
        let (world, store, _) = spilling(config);
        let outcome = world.call_now("list", json!({ "count": 99, "width": 5 }));
        let [page] = texts(&outcome)[..] else { panic!("one block") };
        assert!(page.ends_with("00010\n(10 of 99; all in memory/overflow/1/list.txt)"), "{page}");
        let saved = store.get("memory/overflow/1/list.txt").unwrap();
        assert_eq!(saved, items(99, 5).items.join("\n"));
        // Nothing is left out of ten.
        let outcome = world.call_now("list", json!({ "count": 10, "width": 5 }));
        assert!(texts(&outcome)[0].ends_with("all in nowhere)"));
        assert_eq!(store.texts().len(), 1);
    }
}

#[test]
fn s4_a_page_over_the_cap_is_not_saved_again() {
    let (world, store, _) = spilling(config(400));
    let outcome = world.call_now("list", json!({ "count": 99, "width": 300 }));
    let [preview, notice] = texts(&outcome)[..] else { panic!("two blocks") };
    assert!(preview.contains(" bytes left out …]\n"));
    assert!(printed(&outcome) <= 400);
    assert_eq!(
        notice,
        "(The call succeeded. This page of its result is too long to show (3055 bytes); \
         the whole result is in\nmemory/overflow/1/list.txt\nAsk the host for it.)"
    );
    assert_eq!(store.texts().len(), 1);
    assert_eq!(store.texts()[0].text, items(99, 300).items.join("\n"));
}

#[test]
fn s4_a_page_that_could_not_be_saved_says_so() {
    for store in broken_stores() {
        for cap in [400, 4000] {
            let hooks = Hooks::new();
            Spill::new(Arc::clone(&store), config(cap)).mount(&hooks).keep();
            let arguments = json!({ "count": 99, "width": 100 });
            let outcome = World::new(&hooks).call_now("list", arguments);
            let [page] = texts(&outcome)[..] else { panic!("one block") };
            assert!(page.ends_with("(10 of 99; all in nowhere)"), "{page}");
        }
    }
}

#[test]
fn s4_a_page_that_panics_leaves_the_content_and_saves_nothing_of_it() {
    let (world, store, hooks) = spilling(config(4000));
    let mut value = items(20, 5);
    "panic".clone_into(&mut value.items[0]);
    let value = Mutex::new(Some(value));
    let replace = move |_| {
        PostDecision::replace_value(Returned::typed(value.lock().unwrap().take().unwrap()))
    };
    let _hook = hooks.post_execute("hook", Post(replace));
    let outcome = world.call_now("list", json!({ "count": 20, "width": 5 }));
    assert!(texts(&outcome)[0].ends_with("(10 of 20; all in nowhere)"));
    assert!(store.texts().is_empty());
}

#[test]
fn s4_a_replaced_page_is_left_alone() {
    let (world, store, hooks) = spilling(config(4000));
    let mine = || vec![ContentBlock::text("mine")];
    let _hook =
        hooks.post_execute("hook", Post(move |_| PostDecision::replace_content_not_value(mine())));
    let outcome = world.call_now("list", json!({ "count": 99, "width": 5 }));
    assert_eq!(texts(&outcome), ["mine"]);
    assert!(store.texts().is_empty());
}

#[test]
fn s4_nested_calls_are_skipped_and_their_outer_call_is_not() {
    for (inner, arguments) in
        [("say", json!({ "blocks": [rows(500)] })), ("list", json!({ "count": 99, "width": 90 }))]
    {
        let (store, hooks) = (Arc::new(MemoryStore::new()), Hooks::new());
        Spill::new(store.clone(), config(400)).mount(&hooks).keep();
        let world = World::nesting(&hooks, inner);
        world.call_now("outer", arguments);
        let nested = world.nested.lock().unwrap();
        assert_eq!(nested.len(), 1);
        assert!(nested[0].value().is_some() && printed(&nested[0]) > 400);
        assert!(store.texts().is_empty());
    }
}

#[test]
fn s4_a_replaced_value_of_a_nested_call_is_not_bounded() {
    let (world, store, hooks) = spilling(config(400));
    let value = || Returned::tree(json!({ "blocks": [rows(500)] }));
    let judge = Post(move |inner| match inner {
        InnerPost::Accept => PostDecision::replace_value(value()),
        InnerPost::ReplaceContent(_) | InnerPost::ReplaceValue | InnerPost::Block => {
            PostDecision::accept()
        }
    });
    let _hook = hooks.post_execute("hook", judge);
    world.call_now("outer", json!({ "blocks": ["short"] }));
    assert_eq!(texts(&world.nested.lock().unwrap()[0]), [rows(500)]);
    // The outer call's value was replaced, too, by one that its renderer shows as `done`.
    assert!(store.texts().is_empty());
}

#[test]
fn s5_a_direct_read_is_exempt() {
    let (world, store, _) = spilling(config(400));
    let outcome = world.call_now("read", json!({ "blocks": [rows(500)] }));
    assert_eq!(outcome.content(), [ContentBlock::text(rows(500))]);
    assert!(store.texts().is_empty());
    let (world, store, _) = spilling(SpillConfig { exempt: Vec::new(), ..config(400) });
    world.call_now("read", json!({ "blocks": [rows(500)] }));
    assert_eq!(store.texts().len(), 1);
}

#[test]
fn s5_what_policy_put_in_place_of_a_read_is_not_exempt() {
    let long = || vec![ContentBlock::text(rows(500))];
    let value = || Returned::tree(json!({ "blocks": [rows(500)] }));
    let decisions: [fn() -> PostDecision; 2] = [
        || PostDecision::replace_content_not_value(vec![ContentBlock::text(rows(500))]),
        || PostDecision::replace_value(Returned::tree(json!({ "blocks": [rows(500)] }))),
    ];
    for decision in decisions {
        let (world, store, hooks) = spilling(config(400));
        let _hook = hooks.post_execute("hook", Post(move |_| decision()));
        for blocks in [json!(["short"]), json!([rows(600)])] {
            let outcome = world.call_now("read", json!({ "blocks": blocks }));
            assert_eq!(texts(&outcome).len(), 2);
            assert!(printed(&outcome) <= 400);
            assert_eq!(store.texts().last().unwrap().text, rows(500));
        }
    }
    // What gives the tool's own content again replaces nothing.
    let (world, store, hooks) = spilling(config(400));
    let same = move |_| PostDecision::replace_content_not_value(long());
    let _hook = hooks.post_execute("hook", Post(same));
    let outcome = world.call_now("read", json!({ "blocks": [rows(500)] }));
    assert_eq!(outcome.content(), [ContentBlock::text(rows(500))]);
    assert!(store.texts().is_empty());
    // A value that policy put in place did not pass the tool's limits, whatever bounded its content then.
    struct Same;
    impl contract_hooks::Bound for Same {
        fn bound<'a>(
            &'a self,
            completed: contract_registry::Completed<'a>,
            _: Option<&'a [ContentBlock]>,
        ) -> futures_util::future::BoxFuture<'a, Option<Vec<ContentBlock>>> {
            Box::pin(async move { Some(completed.outcome().content().to_vec()) })
        }
    }
    let (world, store, hooks) = spilling(config(400));
    let _bound = hooks.bound("same", Same);
    let _hook = hooks.post_execute("hook", Post(move |_| PostDecision::replace_value(value())));
    world.call_now("read", json!({ "blocks": ["short"] }));
    assert_eq!(store.texts().len(), 1);
}

#[test]
fn s7_recomputed_content_gets_the_page_first_and_then_the_cap() {
    for (width, blocks) in [(5, 1), (300, 2)] {
        let (world, store, hooks) = spilling(config(400));
        let value = move || Returned::typed(items(50, width));
        let _hook = hooks.post_execute("hook", Post(move |_| PostDecision::replace_value(value())));
        let outcome = world.call_now("list", json!({ "count": 3, "width": 5 }));
        let shown = texts(&outcome);
        assert_eq!(shown.len(), blocks);
        assert!(shown.last().unwrap().contains("memory/overflow/1/list.txt"), "{shown:?}");
        assert!(printed(&outcome) <= 400);
        assert_eq!(store.texts().len(), 1);
        assert_eq!(store.texts()[0].text, items(50, width).items.join("\n"));
    }
}

#[test]
fn s7_recomputed_content_of_any_tool_is_bounded() {
    let (world, store, hooks) = spilling(config(400));
    let value = || Returned::tree(json!({ "blocks": [rows(500)] }));
    let _hook = hooks.post_execute("hook", Post(move |_| PostDecision::replace_value(value())));
    let outcome = world.call_now("say", json!({ "blocks": ["short"] }));
    assert_eq!(texts(&outcome).len(), 2);
    assert_eq!(store.texts()[0].text, rows(500));
}

#[test]
fn c2_the_log_copy_of_a_nested_result_is_bounded_and_its_value_is_not() {
    for (inner, text) in [("say", rows(500)), ("read", rows(700)), ("say", rows(3))] {
        let (store, hooks) = (Arc::new(MemoryStore::new()), Hooks::new());
        Spill::new(store.clone(), config(400)).mount(&hooks).keep();
        let copies = Arc::<Mutex<Vec<Vec<ContentBlock>>>>::default();
        let logs = LogsCopies { hooks: hooks.clone(), copies: Arc::clone(&copies) };
        hooks.around("log", logs).keep();
        let world = World::nesting(&hooks, inner);
        world.call_now("outer", json!({ "blocks": [text] }));
        assert_eq!(texts(&world.nested.lock().unwrap()[0]), [&*text]);
        let copies = copies.lock().unwrap();
        if text.len() <= 400 {
            assert_eq!(copies[0], [ContentBlock::text(text)]);
            assert!(store.texts().is_empty());
            continue;
        }
        assert!(SpillText::of_blocks(&copies[0]).bytes() < 400);
        let place = format!("memory/dispatch/1/{inner}.txt");
        assert!(copies[0][1].as_text().unwrap().contains(&place));
        assert_eq!(store.get(&place).unwrap(), text);
    }
}

#[test]
fn c2_a_log_copy_that_cannot_be_saved_stays_whole() {
    for store in broken_stores() {
        let hooks = Hooks::new();
        Spill::new(store, config(400)).mount(&hooks).keep();
        let copies = Arc::<Mutex<Vec<Vec<ContentBlock>>>>::default();
        let logs = LogsCopies { hooks: hooks.clone(), copies: Arc::clone(&copies) };
        hooks.around("log", logs).keep();
        World::new(&hooks).call_now("outer", json!({ "blocks": [rows(500)] }));
        assert_eq!(copies.lock().unwrap()[0], [ContentBlock::text(rows(500))]);
    }
}
