//! Which calls a registry makes, which it refuses, and what it tells the model.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use graphloom_agents::{
    Confirm, Confirmation, Decision, FailedCalls, Risk, Tool, ToolError, ToolOutcome, ToolOutput, ToolRegistry,
    ToolSource, TypedTool, typed,
};
use graphloom_llm::{ToolCall, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// A note to keep.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct KeepArguments {
    /// The text.
    text: String,
    /// How often.
    #[serde(default)]
    times: Option<u8>,
}

/// Keeps texts; refuses the text `no`.
#[derive(Clone, Default)]
struct Keep(Arc<Mutex<Vec<String>>>);

impl TypedTool for Keep {
    type Arguments = KeepArguments;
    const NAME: &'static str = "keep_text";
    const DESCRIPTION: &'static str = "Keeps a text.\n";
    const RISK: Risk = Risk::Write;
    const ALIASES: &'static [(&'static str, &'static str)] = &[("content", "text")];

    async fn run(&self, arguments: KeepArguments) -> Result<ToolOutput, ToolError> {
        if arguments.text == "no" {
            return Err(ToolError::refused("`no` is not kept"));
        }
        let mut kept = self.0.lock().unwrap();
        for _ in 0..arguments.times.unwrap_or(1) {
            kept.push(arguments.text.clone());
        }
        Ok(ToolOutput::new("kept").with_data(json!({ "kept": kept.len() })))
    }
}

/// A tool of a fixed behaviour, with its number of calls.
struct Fixed {
    spec: ToolSpec,
    risk: Risk,
    calls: AtomicUsize,
    act: fn() -> Act,
}

enum Act {
    Answer,
    Fail,
    Hang,
    Panic,
}

impl Fixed {
    fn new(name: &str, risk: Risk, act: fn() -> Act) -> Arc<Self> {
        let parameters = json!({"type": "object", "properties": {"n": {"type": "integer"}}});
        let spec = ToolSpec { name: name.into(), description: "a tool".into(), parameters, strict: false };
        Arc::new(Self { spec, risk, calls: AtomicUsize::new(0), act })
    }
}

#[async_trait]
impl Tool for Fixed {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn risk(&self) -> Risk {
        self.risk
    }

    async fn call(&self, _arguments: Value) -> Result<ToolOutput, ToolError> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        match (self.act)() {
            Act::Answer => Ok(ToolOutput::new("done")),
            Act::Fail => Err(ToolError::unavailable("the disk is away")),
            Act::Hang => std::future::pending().await,
            Act::Panic => panic!("a bug"),
        }
    }
}

fn call(name: &str, arguments: Value) -> ToolCall {
    ToolCall { id: "c".into(), name: name.into(), arguments }
}

async fn run(registry: &ToolRegistry, name: &str, arguments: Value) -> ToolOutcome {
    registry.call(&call(name, arguments), &mut FailedCalls::new()).await
}

fn keeper() -> (Keep, ToolRegistry) {
    let keep = Keep::default();
    let mut registry = ToolRegistry::new(Risk::Write);
    registry.register(typed(keep.clone())).unwrap();
    (keep, registry)
}

#[tokio::test]
async fn calls_are_read_tolerantly_and_what_was_tolerated_is_noted() {
    for (name, arguments, kept, notes) in [
        ("keep_text", json!({"text": "a"}), 1, 0),
        ("keep_text", json!("{\"text\": \"a\", \"times\": 2}"), 2, 0),
        ("keep_text", json!("{text: 'a', times: \"2\"}"), 2, 2),
        ("keepText", json!({"content": "a"}), 1, 2),
        ("functions.keep_text", json!({"Text": "a", "times": null}), 1, 2),
    ] {
        let (keep, registry) = keeper();
        let outcome = run(&registry, name, arguments.clone()).await;
        assert!(outcome.is_success(), "{arguments}: {}", outcome.content());
        assert_eq!(outcome.tool, "keep_text");
        assert_eq!(outcome.risk, Some(Risk::Write));
        assert_eq!(*keep.0.lock().unwrap(), vec!["a"; kept], "{arguments}");
        assert_eq!(outcome.notes.len(), notes, "{arguments}: {:?}", outcome.notes);
    }
}

#[tokio::test]
async fn what_cannot_be_called_is_told_with_what_can() {
    let (keep, registry) = keeper();
    for (name, arguments, parts) in [
        ("keep_texts", json!({"text": "a"}), vec!["no tool `keep_texts`", "`keep_text`"]),
        ("keep_text", json!({}), vec!["at the top level", "`text` must be there"]),
        ("keep_text", json!({"text": "a", "times": 300}), vec!["`/times`", "255"]),
        ("keep_text", json!({"text": "a", "tims": 3}), vec!["tims", "`times`"]),
        ("keep_text", json!("what?"), vec!["no JSON object"]),
        ("keep_text", json!({"text": "no"}), vec!["`no` is not kept"]),
    ] {
        let outcome = run(&registry, name, arguments.clone()).await;
        let content = outcome.content();
        assert!(!outcome.is_success());
        for part in parts {
            assert!(content.contains(part), "{arguments}: {content}");
        }
    }
    assert!(keep.0.lock().unwrap().is_empty());
}

#[tokio::test]
async fn the_model_sees_only_what_it_may_call() {
    let mut registry = ToolRegistry::new(Risk::Destructive);
    let tools = [("look", Risk::Read), ("write", Risk::Write), ("delete", Risk::Destructive)]
        .map(|(name, risk)| Fixed::new(name, risk, || Act::Answer));
    for tool in &tools {
        registry.register(Arc::clone(tool) as Arc<dyn Tool>).unwrap();
    }
    let limited = registry.clone().at_most(Risk::Write).only(["look", "delete"]).unwrap();
    assert_eq!(limited.names().collect::<Vec<_>>(), ["look"]);
    assert_eq!(limited.specs().len(), 1);
    for (name, part) in [
        ("write", "may not be used here; the tools are `look`"),
        ("delete", "`delete` is destructive, and at most write"),
    ] {
        let outcome = run(&limited, name, json!({})).await;
        assert!(outcome.content().contains(part), "{}", outcome.content());
    }
    assert!(run(&limited, "look", json!({})).await.is_success());
    assert_eq!(tools.map(|tool| tool.calls.load(Ordering::SeqCst)), [1, 0, 0]);
    let raised = limited.at_most(Risk::Destructive);
    assert!(!run(&raised, "delete", json!({})).await.is_success(), "a ceiling is never raised");

    let error = registry.clone().only(["look", "lok"]).unwrap_err().to_string();
    assert!(error.contains("`lok`") && error.contains("`look`, `write`, `delete`"), "{error}");
    let error = registry.register(Fixed::new("look", Risk::Read, || Act::Answer)).unwrap_err().to_string();
    assert!(error.contains("already a tool"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_hangs_is_dropped_and_one_that_panics_has_failed() {
    let mut registry = ToolRegistry::new(Risk::Read).with_timeout(Duration::from_secs(3600));
    registry.register(Fixed::new("hang", Risk::Read, || Act::Hang)).unwrap();
    registry.register(Fixed::new("panic", Risk::Read, || Act::Panic)).unwrap();
    let registry = registry.with_timeout_of("hang", Duration::from_secs(30));
    let outcome = run(&registry, "hang", json!({})).await;
    let error = outcome.result.unwrap_err();
    assert_eq!(error, ToolError::TimedOut { tool: "hang".into(), milliseconds: 30_000 });
    assert!(error.is_retryable());
    let error = run(&registry, "panic", json!({})).await.result.unwrap_err();
    assert_eq!(error.to_string(), "`panic` stopped unexpectedly");
    assert!(!error.is_retryable());
}

#[tokio::test]
async fn an_answer_of_50_mb_is_cut_before_it_is_kept_anywhere() {
    struct Flood(ToolSpec);

    #[async_trait]
    impl Tool for Flood {
        fn spec(&self) -> &ToolSpec {
            &self.0
        }

        fn risk(&self) -> Risk {
            Risk::Read
        }

        async fn call(&self, _: Value) -> Result<ToolOutput, ToolError> {
            Ok(ToolOutput::new("水".repeat(50_000_000 / 3)).with_data(json!(["x".repeat(2_000_000)])))
        }
    }

    let parameters = json!({"type": "object", "properties": {}});
    let spec = ToolSpec { name: "flood".into(), description: String::new(), parameters, strict: false };
    let mut registry = ToolRegistry::new(Risk::Read);
    registry.register(Arc::new(Flood(spec))).unwrap();
    let outcome = run(&registry, "flood", json!({})).await;
    let output = outcome.result.unwrap();
    assert!(output.content.len() <= 1 << 20 && output.content.len() > (1 << 20) - 3, "{}", output.content.len());
    assert!(output.data.is_null());
    assert!(
        outcome.notes[0].contains("49999998 bytes and was cut") && outcome.notes[1].contains("left out"),
        "{:?}",
        outcome.notes
    );
}

#[tokio::test]
async fn the_same_call_is_not_made_a_third_time_after_two_failures() {
    let broken = Fixed::new("broken", Risk::Read, || Act::Fail);
    let mut registry = ToolRegistry::new(Risk::Write);
    registry.register(Arc::clone(&broken) as Arc<dyn Tool>).unwrap();
    registry.register(Fixed::new("write", Risk::Write, || Act::Answer)).unwrap();
    let mut repeats = FailedCalls::new();
    for arguments in [json!({"n": 1}), json!("{\"n\": 1}"), json!({"n": "1"})] {
        let _ = registry.call(&call("broken", arguments), &mut repeats).await;
    }
    assert_eq!(broken.calls.load(Ordering::SeqCst), 2, "the third is the same call, however it is written");
    // The failures outlive the process.
    let mut repeats: FailedCalls = serde_json::from_value(serde_json::to_value(&repeats).unwrap()).unwrap();
    let outcome = registry.call(&call("broken", json!({"n": 1})), &mut repeats).await;
    assert!(matches!(&outcome.result, Err(ToolError::Repeated { times: 2, .. })));
    assert!(outcome.content().contains("the disk is away"), "{}", outcome.content());
    let _ = registry.call(&call("broken", json!({"n": 2})), &mut repeats).await;
    assert_eq!(broken.calls.load(Ordering::SeqCst), 3, "other arguments are another call");
    let _ = registry.call(&call("write", json!({})), &mut repeats).await;
    let _ = registry.call(&call("broken", json!({"n": 1})), &mut repeats).await;
    assert_eq!(broken.calls.load(Ordering::SeqCst), 4, "a change may have mended it");
    for _ in 0..3 {
        let _ = registry.call(&call("nothing", json!({})), &mut repeats).await;
    }
    let outcome = registry.call(&call("nothing", json!({})), &mut repeats).await;
    assert!(matches!(outcome.result, Err(ToolError::Repeated { .. })), "a name that does not exist counts too");
}

/// Says no and keeps what it was asked.
#[derive(Default)]
struct No(Mutex<Vec<Confirmation>>);

#[async_trait]
impl Confirm for No {
    async fn confirm(&self, request: &Confirmation) -> Decision {
        self.0.lock().unwrap().push(request.clone());
        Decision::Deny { reason: "not on a Sunday".into() }
    }
}

#[tokio::test]
async fn a_person_is_asked_from_the_stated_risk_on() {
    let delete = Fixed::new("delete", Risk::Destructive, || Act::Answer);
    let no = Arc::new(No::default());
    let mut registry =
        ToolRegistry::new(Risk::Destructive).confirming(Risk::Destructive, Arc::clone(&no) as Arc<dyn Confirm>);
    registry.register(Arc::clone(&delete) as Arc<dyn Tool>).unwrap();
    registry.register(Fixed::new("write", Risk::Write, || Act::Answer)).unwrap();
    assert!(run(&registry, "write", json!({})).await.is_success());
    let outcome = run(&registry, "delete", json!({"n": "4"})).await;
    assert!(outcome.content().contains("not on a Sunday"), "{}", outcome.content());
    assert_eq!(delete.calls.load(Ordering::SeqCst), 0);
    let asked = no.0.lock().unwrap();
    assert_eq!(asked.len(), 1);
    assert_eq!(asked[0].arguments, json!({"n": 4}), "the person sees the arguments that the tool would get");
}

/// A tool of which nothing is known, with a limit of its own.
struct Unknown(Arc<Fixed>);

#[async_trait]
impl Tool for Unknown {
    fn spec(&self) -> &ToolSpec {
        self.0.spec()
    }

    fn risk(&self) -> Risk {
        self.0.risk()
    }

    fn must_ask(&self) -> bool {
        true
    }

    fn time_limit(&self) -> Option<Duration> {
        Some(Duration::from_millis(70))
    }

    async fn call(&self, arguments: Value) -> Result<ToolOutput, ToolError> {
        self.0.call(arguments).await
    }
}

/// Says yes.
struct Yes;

#[async_trait]
impl Confirm for Yes {
    async fn confirm(&self, _request: &Confirmation) -> Decision {
        Decision::Allow
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_of_which_nothing_is_known_is_called_only_when_a_person_allows_it() {
    let unknown = Fixed::new("unknown", Risk::Read, || Act::Answer);
    let mut registry = ToolRegistry::new(Risk::Destructive);
    registry.register(Arc::new(Unknown(Arc::clone(&unknown)))).unwrap();
    registry.register(Arc::new(Unknown(Fixed::new("slow", Risk::Read, || Act::Hang)))).unwrap();
    let outcome = run(&registry, "unknown", json!({})).await;
    assert!(matches!(&outcome.result, Err(ToolError::Denied { reason, .. }) if reason.contains("nobody can be asked")));
    let no = Arc::new(No::default());
    let denied = registry.clone().confirming(Risk::Destructive, Arc::clone(&no) as Arc<dyn Confirm>);
    assert!(!run(&denied, "unknown", json!({})).await.is_success());
    assert_eq!((no.0.lock().unwrap().len(), unknown.calls.load(Ordering::SeqCst)), (1, 0));
    let allowed = registry.confirming(Risk::Destructive, Arc::new(Yes));
    assert!(run(&allowed, "unknown", json!({})).await.is_success());
    // The tool's own limit holds where the registry says nothing of the tool.
    let limits = [(allowed.clone(), 70), (allowed.with_timeout_of("slow", Duration::from_millis(40)), 40)];
    for (registry, limit) in limits {
        let error = run(&registry, "slow", json!({})).await.result.unwrap_err();
        assert_eq!(error, ToolError::TimedOut { tool: "slow".into(), milliseconds: limit });
    }
}

/// A source that has a second tool once it is told so.
#[derive(Default)]
struct Growing(AtomicBool);

impl ToolSource for Growing {
    fn tools(&self, taken: &BTreeSet<String>) -> Vec<Arc<dyn Tool>> {
        assert_eq!(taken.iter().collect::<Vec<_>>(), ["look"]);
        let mut tools: Vec<Arc<dyn Tool>> = vec![Fixed::new("read-page", Risk::Read, || Act::Answer)];
        if self.0.load(Ordering::SeqCst) {
            tools.push(Fixed::new("find", Risk::Read, || Act::Answer));
            tools.push(Fixed::new("look", Risk::Read, || Act::Panic));
            tools.push(Fixed::new("erase", Risk::Destructive, || Act::Answer));
        }
        tools
    }
}

#[tokio::test]
async fn a_source_has_other_tools_from_time_to_time() {
    let source = Arc::new(Growing::default());
    let mut registry = ToolRegistry::new(Risk::Write);
    registry.register(Fixed::new("look", Risk::Read, || Act::Answer)).unwrap();
    let registry = registry.with_source(Arc::clone(&source) as Arc<dyn ToolSource>);
    assert_eq!(registry.current().names().collect::<Vec<_>>(), ["look", "read-page"]);
    source.0.store(true, Ordering::SeqCst);
    let current = registry.current();
    assert_eq!(current.names().collect::<Vec<_>>(), ["look", "read-page", "find"], "the ceiling and the names hold");
    assert!(run(&current, "look", json!({})).await.is_success(), "a tool of a source replaces none");
    let outcome = run(&current, "readPage", json!({})).await;
    assert_eq!((outcome.tool.as_str(), outcome.is_success()), ("read-page", true));
}
