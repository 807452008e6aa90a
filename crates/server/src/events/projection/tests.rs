//! Entries of a log, and the events they give.

use std::sync::Arc;

use graphloom_core_graph::checkpoint::{Source, ThreadStatus};
use serde_json::{Value, json};
use uuid::Uuid;

use super::super::channel::{Address, Channel};
use super::*;
use crate::graph::{Fields, Position, interrupt_id, task_id};
use crate::log::{CommitOf, Interrupt};
use crate::messages::{MessageChunk, ToolCallChunk, Usage};
use crate::records::RunFailure;

const THREAD: Uuid = Uuid::from_u128(7);
const RUN: Uuid = Uuid::from_u128(1);
const OTHER: Uuid = Uuid::from_u128(2);

struct Tape(Vec<Arc<Entry>>);

impl Tape {
    /// A run of `g` that has begun.
    fn begun() -> Self {
        let mut tape = Self(Vec::new());
        tape.add("", started(1));
        tape
    }

    fn add(&mut self, ns: &str, event: LogEvent) -> &mut Self {
        self.add_of(RUN, ns, 0, event)
    }

    fn add_of(&mut self, run: Uuid, ns: &str, step: u64, event: LogEvent) -> &mut Self {
        let seq = self.0.len() as u64 + 1;
        self.0.push(Arc::new(Entry { seq, time: 1_000 + seq, run, ns: ns.into(), step, event }));
        self
    }

    /// The data of tasks, of which the states that commits made are left out.
    fn tasks_without_states(&self) -> Vec<Value> {
        let events = self.events(&|event| event.channel == Channel::Tasks && !event.is_state);
        events.into_iter().map(|mut event| event["params"]["data"].take()).collect()
    }

    fn events(&self, wants: &dyn Fn(&Address<'_>) -> bool) -> Vec<Value> {
        let mut projection = Projection::new(THREAD);
        let entries = self.0.iter().flat_map(|entry| projection.take(entry, wants));
        entries.map(|event| serde_json::from_str(&event.json).unwrap()).collect()
    }

    /// The data of one channel.
    fn of(&self, channel: Channel) -> Vec<Value> {
        let events = self.events(&|event| event.channel == channel);
        events.into_iter().map(|mut event| event["params"]["data"].take()).collect()
    }
}

fn started(attempt: u32) -> LogEvent {
    serde_json::from_value(json!({
        "run_started": {"graph": "g", "assistant": Uuid::nil(), "attempt": attempt, "base": null},
    }))
    .unwrap()
}

fn ended(status: &str, failure: Option<RunFailure>, interrupts: Vec<Interrupt>) -> LogEvent {
    LogEvent::RunEnded { status: status.to_owned(), failure, interrupts }
}

fn commit(number: u64, source: Source, next: &[&str], values: Value) -> LogEvent {
    LogEvent::Commit(CommitOf {
        number,
        parent: (number > 1).then_some(number - 1),
        source,
        changed: Vec::new(),
        next: next.iter().map(|node| Arc::from(*node)).collect(),
        values: serde_json::from_value::<Fields>(values).unwrap(),
    })
}

fn interrupt(key: &str) -> Interrupt {
    let id = interrupt_id("t", key);
    Interrupt {
        id,
        value: json!({ "q": key }),
        key: key.to_owned(),
        task: "n:1.0".to_owned(),
        ns: String::new(),
        response_schema: None,
    }
}

fn update(node: &str, values: Value) -> LogEvent {
    LogEvent::Update { task: format!("{node}:1.0").into(), node: node.to_owned(), values }
}

fn task_started(node: &str, attempt: u32, packet: Option<Value>) -> LogEvent {
    LogEvent::TaskStarted { task: format!("{node}:1.0").into(), node: node.to_owned(), attempt, packet }
}

fn message(chunk: MessageChunk) -> LogEvent {
    LogEvent::Message { task: "n:1.0".into(), node: "n".to_owned(), chunk }
}

fn custom(name: &str, payload: Value) -> LogEvent {
    LogEvent::Custom { task: "n:1.0".into(), node: "n".to_owned(), name: name.to_owned(), payload }
}

fn pipeline() -> Tape {
    let mut tape = Tape::begun();
    tape.add("", commit(1, Source::Input, &["n"], json!({"items": []})))
        .add("", task_started("n", 1, None))
        .add("", task_started("n", 2, None))
        .add("", custom("", json!({"progress": 1})))
        .add("", custom("a", json!(2)))
        .add("", update("n", json!({"items": ["x"]})))
        .add_of(RUN, "", 1, commit(2, Source::Step, &[], json!({"items": ["x"]})))
        .add("", ended("success", None, Vec::new()));
    tape
}

#[test]
fn a_run_is_told_on_all_channels_in_the_order_of_its_log() {
    let id = |position: Position| position.id(&THREAD.to_string(), "").to_string();
    let (input, first, second) = (id(Position::before_input(1)), id(Position::of(1)), id(Position::of(2)));
    let task = task_id(&THREAD.to_string(), "n:1.0");
    let expected = [
        (1, 0, "lifecycle", json!({"event": "running", "graph_name": "g"})),
        (2, 0, "checkpoints", json!({"id": input, "parent_id": null, "step": -1, "source": "input"})),
        (2, 1, "checkpoints", json!({"id": first, "parent_id": input, "step": 0, "source": "loop"})),
        (2, 2, "values", json!({"items": []})),
        (3, 0, "tasks", json!({"id": task, "name": "n", "input": {"items": []}, "triggers": ["branch:to:n"]})),
        (3, 1, "trace", json!({"kind": "attempt", "id": task, "name": "n", "attempt": 1})),
        (4, 0, "trace", json!({"kind": "attempt", "id": task, "name": "n", "attempt": 2})),
        (5, 0, "custom", json!({"payload": {"progress": 1}})),
        (6, 0, "custom", json!({"name": "a", "payload": 2})),
        (7, 0, "updates", json!({"node": "n", "values": {"items": ["x"]}})),
        (7, 1, "tasks", json!({"id": task, "name": "n", "error": null, "result": {"items": ["x"]}, "interrupts": []})),
        (8, 0, "checkpoints", json!({"id": second, "parent_id": first, "step": 1, "source": "loop"})),
        (8, 1, "values", json!({"items": ["x"]})),
        (9, 0, "lifecycle", json!({"event": "completed", "graph_name": "g"})),
    ];
    let events = pipeline().events(&|_| true);
    assert_eq!(events.len(), expected.len(), "{events:#?}");
    for (event, (entry, place, method, data)) in events.iter().zip(expected) {
        let seq: u64 = entry * 4096 + place;
        assert_eq!((&event["seq"], &event["method"]), (&json!(seq), &json!(method)));
        assert_eq!(event["params"]["data"], data, "{method} {seq}");
        assert_eq!(event["params"]["namespace"], json!([]));
        assert_eq!(event["params"]["timestamp"], json!(1_000 + entry));
        let id = if method == "lifecycle" { format!("synth:{RUN}:{THREAD}:{seq}") } else { format!("{THREAD}:{seq}") };
        assert_eq!(event["event_id"], json!(id));
    }
}

#[test]
fn numbers_do_not_depend_on_what_is_asked_for_or_where_the_reading_begins() {
    let mut tape = pipeline();
    tape.add_of(OTHER, "", 0, started(1)).add_of(OTHER, "", 1, commit(3, Source::Input, &[], json!({}))).add_of(
        OTHER,
        "",
        1,
        ended("success", None, Vec::new()),
    );
    let all = tape.events(&|_| true);
    let some = tape.events(&|event| event.channel == Channel::Values);
    assert_eq!(some.len(), 3);
    assert!(some.iter().all(|event| all.contains(event)));
    let later = Tape(tape.0.split_off(9)).events(&|_| true);
    assert_eq!(later, all[all.len() - later.len()..]);
    assert_eq!(later.len(), 5);
}

#[test]
fn a_run_ends_in_one_of_three_ways() {
    let failed = |error: &str| Some(RunFailure { error: error.to_owned(), message: "why".to_owned() });
    let asked = interrupt("q");
    let cases = [
        ("success", &[][..], None, vec![], json!({"event": "completed"})),
        ("success", &["n"][..], None, vec![], json!({"event": "interrupted"})),
        ("success", &["n"][..], None, vec![asked.clone()], json!({"event": "interrupted"})),
        ("interrupted", &[][..], None, vec![], json!({"event": "interrupted"})),
        ("error", &["n"][..], failed("NodeError"), vec![], json!({"event": "failed", "error": "why"})),
        ("timeout", &["n"][..], failed("TimeoutError"), vec![], json!({"event": "failed", "error": "why"})),
        (
            "error",
            &["n"][..],
            failed("UnknownInterruptError"),
            vec![asked.clone()],
            json!({"event": "failed", "error": "why", "reason": "unknown_interrupt", "pending_ids": [asked.id]}),
        ),
    ];
    for (status, next, failure, interrupts, expected) in cases {
        let mut tape = Tape::begun();
        tape.add("", commit(1, Source::Input, next, json!({}))).add("", ended(status, failure, interrupts));
        let mut last = tape.of(Channel::Lifecycle).pop().unwrap();
        assert_eq!(last.as_object_mut().unwrap().remove("graph_name"), Some(json!("g")));
        assert_eq!(last, expected, "{status} {next:?}");
    }
}

#[test]
fn a_run_that_never_began_ends_in_silence() {
    let mut tape = Tape::begun();
    tape.add_of(OTHER, "", 0, ended("interrupted", None, Vec::new())).add("", ended("success", None, Vec::new()));
    let events: Vec<Value> = tape.of(Channel::Lifecycle).iter().map(|data| data["event"].clone()).collect();
    assert_eq!(events, ["running", "completed"]);
}

#[test]
fn a_run_that_goes_on_after_a_crash_begins_once_and_tells_what_it_left_untold() {
    let (told, untold) = (interrupt("told"), interrupt("untold"));
    let asked = LogEvent::Interrupted { task: "n:1.0".into(), node: "n".to_owned(), interrupt: told.clone() };
    let mut tape = Tape::begun();
    tape.add("", asked).add("", started(2)).add("", ended("success", None, vec![told.clone(), untold.clone()]));
    let life: Vec<Value> = tape.of(Channel::Lifecycle).iter().map(|data| data["event"].clone()).collect();
    assert_eq!(life, ["running", "interrupted"]);
    let requested: Vec<Value> = tape.of(Channel::Input).iter().map(|data| data["interrupt_id"].clone()).collect();
    assert_eq!(requested, [json!(told.id), json!(untold.id)]);
}

#[test]
fn a_question_has_both_of_its_keys_and_ends_its_task() {
    let asked = interrupt("q");
    let mut tape = Tape::begun();
    tape.add("", LogEvent::Interrupted { task: "n:1.0".into(), node: "n".to_owned(), interrupt: asked.clone() });
    let expected = json!({"interrupt_id": asked.id, "payload": {"q": "q"}, "value": {"q": "q"}});
    assert_eq!(tape.of(Channel::Input), [expected]);
    assert_eq!(tape.events(&|event| event.channel == Channel::Input)[0]["method"], "input.requested");
    assert_eq!(tape.of(Channel::Tasks)[0]["interrupts"], json!([{"id": asked.id, "value": {"q": "q"}}]));
}

#[test]
fn a_subgraph_is_told_in_its_namespace() {
    let task = task_id(&THREAD.to_string(), "child:2.0");
    let end = |status| LogEvent::SubgraphEnded { graph: "child".to_owned(), status, detail: "why".to_owned() };
    let cases = [
        (ThreadStatus::Done, json!("completed"), Value::Null),
        (ThreadStatus::Waiting, json!("interrupted"), Value::Null),
        (ThreadStatus::Failed, json!("failed"), json!("why")),
    ];
    for (status, event, error) in cases {
        let mut tape = Tape::begun();
        tape.add("child:2.0", LogEvent::SubgraphStarted { graph: "child".to_owned() }).add("child:2.0", end(status));
        let events = tape.events(&|event| !event.namespace.is_empty());
        let namespace = json!([format!("child:{task}")]);
        assert!(events.iter().all(|event| event["params"]["namespace"] == namespace), "{events:?}");
        let data = |at: usize| &events[at]["params"]["data"];
        assert_eq!(data(0)["event"], "started");
        assert_eq!((&data(1)["event"], &data(1)["error"]), (&event, &error));
        assert_eq!(data(1)["trigger_call_id"], json!(task));
    }
}

#[test]
fn a_task_that_was_sent_for_has_its_own_input_and_a_failed_one_its_error() {
    let mut tape = Tape::begun();
    tape.add("", commit(1, Source::Input, &["n"], json!({"a": 1})))
        .add("", task_started("n", 1, Some(json!({"name": "x"}))))
        .add("", LogEvent::TaskFailed { task: "n:1.0".into(), node: "n".to_owned(), error: "why".to_owned() });
    let tasks = tape.of(Channel::Tasks);
    assert_eq!((&tasks[0]["input"], &tasks[0]["triggers"]), (&json!({"name": "x"}), &json!(["__pregel_push"])));
    assert_eq!((&tasks[1]["error"], &tasks[1]["result"]), (&json!("why"), &json!({})));
}

#[test]
fn a_task_is_told_without_the_state_that_a_commit_made_where_that_is_not_wanted() {
    let mut tape = Tape(Vec::new());
    let start = json!({"run_started": {"graph": "g", "assistant": Uuid::nil(), "attempt": 1, "base": null, "values": {"a": 0}}});
    let task = |node: &str, packet| LogEvent::TaskStarted {
        task: format!("{node}:2.0").into(),
        node: node.to_owned(),
        attempt: 1,
        packet,
    };
    tape.add("", serde_json::from_value(start).unwrap())
        .add("", task_started("first", 1, None))
        .add("", commit(2, Source::Step, &["n", "sent"], json!({"a": 1})))
        .add("", task("n", None))
        .add("", task("sent", Some(json!({"name": "x"}))))
        .add("child:2.0", task("inside", None));
    let inputs = |tasks: Vec<Value>| tasks.into_iter().map(|task| task.get("input").cloned()).collect::<Vec<_>>();
    let (first, state, sent) = (Some(json!({"a": 0})), Some(json!({"a": 1})), Some(json!({"name": "x"})));
    let untold = Some(Value::Null);
    assert_eq!(inputs(tape.of(Channel::Tasks)), [first.clone(), state, sent.clone(), untold.clone()]);
    assert_eq!(inputs(tape.tasks_without_states()), [first, None, sent, untold]);
}

#[test]
fn attempts_retries_warnings_and_losses_are_traced_beside_their_tasks() {
    let task = task_id(&THREAD.to_string(), "n:1.0");
    let retry = LogEvent::TaskRetry { task: "n:1.0".into(), node: "n".to_owned(), error: "why".to_owned(), delay: 250 };
    let mut tape = Tape::begun();
    tape.add("", task_started("n", 1, None))
        .add("", message(MessageChunk::text("m", "He")))
        .add("", retry)
        .add("child:1.0", task_started("n", 2, None))
        .add("", LogEvent::Warning { message: "look".to_owned() })
        .add("", LogEvent::Lost { events: 3 });
    let expected = [
        json!({"kind": "attempt", "id": task, "name": "n", "attempt": 1}),
        json!({"kind": "retry", "id": task, "name": "n", "error": "why", "delay_ms": 250}),
        json!({"kind": "attempt", "id": task, "name": "n", "attempt": 2}),
        json!({"kind": "warning", "message": "look"}),
        json!({"kind": "lost", "events": 3}),
    ];
    assert_eq!(tape.of(Channel::Trace), expected);
    assert_eq!(tape.of(Channel::Tasks)[0]["id"], json!(task));
    let events = tape.events(&|event| event.channel == Channel::Trace);
    assert_eq!(events[0]["params"]["node"], "n");
    // Whoever does not ask for them finds the other events under the numbers that they have without them.
    let seqs =
        |channel| tape.events(&|event| event.channel == channel).iter().map(|event| event["seq"].clone()).collect();
    let (messages, traced): (Vec<Value>, Vec<Value>) = (seqs(Channel::Messages), seqs(Channel::Trace));
    let retried = 4 * 4096;
    assert!(messages.contains(&json!(retried)) && traced.contains(&json!(retried + 1)), "{messages:?} {traced:?}");
}

#[test]
fn calls_of_models_are_traced_with_their_task_and_are_no_custom_events() {
    let task = task_id(&THREAD.to_string(), "n:1.0");
    let told = json!({ "model": "a:one", "source": "model", "call": "chat", "millis": 7, "usage": {
        "input": 5, "output": 2, "cache_read": 0, "cache_write": 0, "reasoning": 0, "cost": 3,
    } });
    let call = serde_json::from_value(told.clone()).unwrap();
    let mut tape = Tape::begun();
    tape.add("", LogEvent::ModelCall { task: "n:1.0".into(), node: "n".to_owned(), call });
    let mut expected = json!({ "kind": "model_call", "id": task, "name": "n" });
    expected.as_object_mut().unwrap().extend(told.as_object().unwrap().clone());
    assert_eq!(tape.of(Channel::Trace), [expected]);
    assert_eq!(tape.of(Channel::Custom), [] as [Value; 0]);
    let events = tape.events(&|event| event.channel == Channel::Trace);
    assert_eq!((&events[0]["params"]["node"], &events[0]["params"]["task"]), (&json!("n"), &json!(task)));
}

#[test]
fn a_node_that_writes_nothing_has_an_empty_update() {
    let mut tape = Tape::begun();
    tape.add("", update("n", Value::Null));
    assert_eq!(tape.of(Channel::Updates), [json!({"node": "n", "values": {}})]);
    assert_eq!(tape.of(Channel::Tasks)[0]["result"], json!({}));
}

/// The data of messages without the ids that each has.
fn blocks(tape: &Tape) -> Vec<Value> {
    let mut told = tape.of(Channel::Messages);
    for data in &mut told {
        let data = data.as_object_mut().unwrap();
        let id = data.remove("run_id");
        assert!(id == data.remove("message_id").or(Some(data["event"].clone())) || data["event"] == "message-start");
    }
    told
}

#[test]
fn a_message_is_told_in_blocks() {
    let call = |args: &str, id: Option<&str>| ToolCallChunk {
        index: 3,
        id: id.map(str::to_owned),
        name: id.map(|_| "search".to_owned()),
        args: args.to_owned(),
    };
    let usage = Usage { input_tokens: 1, output_tokens: 2, total_tokens: 3 };
    let chunk = MessageChunk { id: "m".to_owned(), ..MessageChunk::default() };
    let mut tape = Tape::begun();
    tape.add("", message(MessageChunk { reasoning: Some("hm".to_owned()), ..chunk.clone() }))
        .add("", message(MessageChunk::text("m", "He")))
        .add("", message(MessageChunk::text("m", "llo")))
        .add("", message(MessageChunk { tool_calls: vec![call(r#"{"q""#, Some("c"))], ..chunk.clone() }))
        .add("", message(MessageChunk { tool_calls: vec![call(":1}", None)], ..chunk.clone() }))
        .add("", message(MessageChunk { is_last: true, usage: Some(usage), ..chunk }));
    let delta = |index: u64, delta: Value| json!({"event": "content-block-delta", "index": index, "delta": delta});
    let start =
        |index: u64, content: Value| json!({"event": "content-block-start", "index": index, "content": content});
    let finish =
        |index: u64, content: Value| json!({"event": "content-block-finish", "index": index, "content": content});
    let metadata = json!({"langgraph_node": "n", "run_id": RUN, "thread_id": THREAD});
    let expected = [
        json!({"event": "message-start", "role": "ai", "id": "m", "metadata": metadata}),
        start(0, json!({"type": "reasoning", "reasoning": ""})),
        delta(0, json!({"type": "reasoning-delta", "reasoning": "hm"})),
        finish(0, json!({"type": "reasoning", "reasoning": "hm"})),
        start(1, json!({"type": "text", "text": ""})),
        delta(1, json!({"type": "text-delta", "text": "He"})),
        delta(1, json!({"type": "text-delta", "text": "llo"})),
        finish(1, json!({"type": "text", "text": "Hello"})),
        start(2, json!({"type": "tool_call_chunk", "id": "c", "name": "search", "args": ""})),
        delta(2, json!({"type": "tool-call-delta", "args": "{\"q\""})),
        delta(2, json!({"type": "tool-call-delta", "args": ":1}"})),
        finish(2, json!({"type": "tool_call", "id": "c", "name": "search", "args": {"q": 1}})),
        json!({"event": "message-finish", "usage": {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}}),
    ];
    assert_eq!(blocks(&tape), expected);
}

#[test]
fn arguments_that_are_no_object_make_an_invalid_call() {
    let calls = vec![ToolCallChunk { index: 0, id: None, name: Some("search".to_owned()), args: "{".to_owned() }];
    let mut tape = Tape::begun();
    tape.add(
        "",
        message(MessageChunk { id: "m".to_owned(), tool_calls: calls, is_last: true, ..MessageChunk::default() }),
    );
    let told = blocks(&tape);
    let content = &told.iter().find(|data| data["event"] == "content-block-finish").unwrap()["content"];
    assert_eq!((&content["type"], &content["args"]), (&json!("invalid_tool_call"), &json!("{")));
}

#[test]
fn a_message_that_is_cut_ends_with_an_error() {
    let retry = LogEvent::TaskRetry { task: "n:1.0".into(), node: "n".to_owned(), error: "why".to_owned(), delay: 1 };
    let cases = [(retry, "why"), (ended("error", None, Vec::new()), "the run ended before the message did")];
    for (event, why) in cases {
        let mut tape = Tape::begun();
        tape.add("", message(MessageChunk::text("m", "He"))).add("", event);
        let last = blocks(&tape).pop().unwrap();
        assert_eq!(last, json!({"event": "error", "message": why, "code": "aborted"}));
    }
}

#[test]
fn a_call_starts_with_the_next_task_and_ends_with_its_message() {
    let asks = json!({"messages": [{"type": "ai", "id": "a", "content": "", "tool_calls": [
        {"id": "c", "name": "search", "args": {"q": 1}},
        {"id": "d", "name": "search", "args": {"q": 2}},
    ]}]});
    let found = json!({"type": "tool", "tool_call_id": "c", "content": "found", "status": "success"});
    let failed =
        json!({"type": "tool", "tool_call_id": "d", "content": [{"type": "text", "text": "no"}], "status": "error"});
    let late = json!({"type": "tool", "tool_call_id": "e", "name": "read", "content": "late"});
    let mut tape = Tape::begun();
    tape.add("", update("model", asks))
        .add("child:1.0", task_started("other", 1, None))
        .add("", task_started("tools", 1, None))
        .add("", task_started("beside", 1, None))
        .add("", custom("tool-output-delta", json!({"tool_call_id": "c", "delta": "fo"})))
        .add("", custom("tool-output-delta", json!("of no call")))
        .add("", custom("delta", json!({"tool_call_id": "c", "delta": "another name"})))
        .add("", update("tools", json!({"messages": [found, failed, late]})));
    let expected = [
        json!({"event": "tool-started", "tool_call_id": "c", "tool_name": "search", "input": {"q": 1}}),
        json!({"event": "tool-started", "tool_call_id": "d", "tool_name": "search", "input": {"q": 2}}),
        json!({"event": "tool-output-delta", "tool_call_id": "c", "delta": "fo"}),
        json!({"event": "tool-finished", "tool_call_id": "c", "output": found}),
        json!({"event": "tool-error", "tool_call_id": "d", "message": "no"}),
        json!({"event": "tool-started", "tool_call_id": "e", "tool_name": "read", "input": null}),
        json!({"event": "tool-finished", "tool_call_id": "e", "output": late}),
    ];
    assert_eq!(tape.of(Channel::Tools), expected);
    assert_eq!(tape.of(Channel::Custom).len(), 3, "told as it is, too");
}
