//! Servers that behave badly. They are a script of these tests, `misbehaving.py`, and no server that anybody uses.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use graphloom_agents::{FailedCalls, Risk, ToolError, ToolRegistry, ToolSource};
use graphloom_llm::ToolCall;
use graphloom_mcp::{McpError, McpEventKind, passed_on};
use serde_json::{Value, json};

use crate::support::{Events, StandingClock, bad, connected, is_alive, patient, python, until};

fn call(name: &str, arguments: Value) -> ToolCall {
    ToolCall { id: "1".to_owned(), name: name.to_owned(), arguments }
}

#[tokio::test]
async fn a_server_that_dies_is_told_with_its_last_words_and_begins_again_until_its_limit() {
    if !python() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let heard = folder.path().join("heard");
    // However long it takes to end, its end is what is told.
    let _clock = StandingClock::new();
    let events = Events::default();
    let mut options = events.options();
    options.restarts = 2;
    let servers = connected(vec![bad("bad", "", &heard), bad("good", "", &heard)], &options).await;
    for (tool, last) in [("exit", "out of luck"), ("raise", "a bug of this server"), ("exit", "out of luck")] {
        let error = servers.call("bad", tool, json!({})).await.unwrap_err();
        assert!(
            matches!(&error, McpError::Ended { server, tool: of, .. } if server == "bad" && of == tool),
            "{error:?}"
        );
        let words = error.to_string();
        assert!(words.contains("it ended with exit status") && words.contains(last), "{words}");
        assert!(error.is_retryable());
        // The others go on.
        assert_eq!(servers.call("good", "fine", json!({})).await.unwrap().content, "fine");
    }
    let error = servers.call("bad", "fine", json!({})).await.unwrap_err();
    assert!(matches!(error, McpError::GaveUp { times: 2, .. }), "{error:?}");
    assert!(!error.is_retryable());
    assert_eq!(events.of(McpEventKind::Started).len(), 2 + 2);
    assert_eq!(servers.call("good", "fine", json!({})).await.unwrap().content, "fine");
    assert!(matches!(servers.reports()[0].error, Some(McpError::GaveUp { .. })));
}

#[tokio::test]
async fn a_server_that_does_not_begin_takes_nothing_from_the_others() {
    if !python() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let heard = folder.path().join("heard");
    let clock = StandingClock::new();
    let events = Events::default();
    let mut options = events.options();
    options.start_limit = Duration::from_secs(3);
    let missing = graphloom_mcp::ServerConfig::command("missing", "/nothing/here", [""; 0]);
    let servers = vec![bad("dies", "dies", &heard), bad("mute", "mute", &heard), missing, bad("good", "", &heard)];
    let count = |kind| events.of(kind).len();
    let limit_passes = async {
        let begun = || count(McpEventKind::Started) == 1 && count(McpEventKind::Failed) == 2;
        until("all but the silent one have begun or failed", begun).await;
        clock.advance(options.start_limit).await;
    };
    let (servers, ()) = tokio::join!(connected(servers, &options), limit_passes);
    let reports = servers.reports();
    let error = |at: usize| reports[at].error.as_ref().map(ToString::to_string).unwrap_or_default();
    assert!(error(0).contains("exit status: 7") && error(0).contains("no licence found"), "{}", error(0));
    assert!(error(1).contains("said nothing for 3 s"), "{}", error(1));
    assert!(error(2).contains("`/nothing/here` cannot be started"), "{}", error(2));
    assert_eq!(reports[3].error, None);
    assert_eq!(reports[3].identity.as_deref(), Some("misbehaving 1"));
    assert_eq!(servers.call("good", "fine", json!({})).await.unwrap().content, "fine");
    assert!(matches!(servers.call("none", "fine", json!({})).await, Err(McpError::UnknownServer { .. })));
}

#[tokio::test]
async fn a_server_that_writes_without_end_takes_nothing_from_the_others() {
    if !python() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let heard = folder.path().join("heard");
    let mut options = patient();
    options.message_bytes = 100_000;
    let servers = connected(vec![bad("endless", "endless", &heard), bad("good", "", &heard)], &options).await;
    let reports = servers.reports();
    let error = reports[0].error.as_ref().map(ToString::to_string).unwrap_or_default();
    assert!(error.contains("`endless` did not start"), "{error}");
    assert_eq!(reports[1].error, None);
    assert_eq!(servers.call("good", "fine", json!({})).await.unwrap().content, "fine");
}

#[tokio::test]
async fn a_call_that_hangs_ends_at_its_limit_and_the_server_is_told() {
    if !python() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let heard = folder.path().join("heard");
    let clock = StandingClock::new();
    let limit = Duration::from_millis(300);
    let servers = connected(vec![bad("bad", "", &heard).with_timeout(limit)], &patient()).await;
    let count = |word: &str| std::fs::read_to_string(&heard).unwrap_or_default().matches(word).count();
    let limit_passes = async {
        until("the server has the call", || count("hang") == 1).await;
        clock.advance(limit).await;
    };
    let (answer, ()) = tokio::join!(servers.call("bad", "hang", json!({})), limit_passes);
    let error = answer.unwrap_err();
    assert!(
        matches!(&error, McpError::TimedOut { server, tool, .. } if server == "bad" && tool == "hang"),
        "{error:?}"
    );
    until("the server hears that the call is over", || count("cancelled") == 1).await;
    // Whoever drops a call cancels it, too.
    tokio::select! {
        answer = servers.call("bad", "hang", json!({})) => panic!("{answer:?}"),
        () = until("the server has the second call", || count("hang") == 2) => {}
    }
    until("the server hears of the second", || count("cancelled") == 2).await;
    assert_eq!(servers.call("bad", "fine", json!({})).await.unwrap().content, "fine");
}

#[tokio::test]
async fn an_answer_of_50_mb_is_refused_at_once_and_a_long_one_is_cut() {
    if !python() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // No limit of time ends the call.
    let _clock = StandingClock::new();
    let events = Events::default();
    let servers = connected(vec![bad("bad", "", &folder.path().join("heard"))], &events.options()).await;
    let error = servers.call("bad", "huge", json!({})).await.unwrap_err();
    assert!(matches!(error, McpError::TooLong { limit, .. } if limit == 16 << 20), "{error:?}");
    let output = servers.call("bad", "huge", json!({"n": 3_000_000})).await.unwrap();
    assert!(output.content.len() < (1 << 20) + 200, "{}", output.content.len());
    assert!(output.content.ends_with("[1951424 bytes of this answer were left out; at most 1048576 are taken]"));
    assert_eq!(events.of(McpEventKind::Cut).len(), 1);
    assert_eq!(servers.call("bad", "fine", json!({})).await.unwrap().content, "fine");
}

#[tokio::test]
async fn what_does_not_fit_its_schema_is_refused_both_ways() {
    if !python() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let servers = connected(vec![bad("bad", "", &folder.path().join("heard"))], &patient()).await;
    for (tool, part) in [("lie", "`/n`"), ("mute", "no structured content")] {
        let error = servers.call("bad", tool, json!({})).await.unwrap_err();
        assert!(matches!(&error, McpError::Answer { tool: of, .. } if of == tool), "{error:?}");
        assert!(error.to_string().contains(part), "{error}");
    }
    for arguments in [json!({"n": "x"}), json!({}), json!(3)] {
        let error = servers.call("bad", "strict", arguments).await.unwrap_err();
        assert!(matches!(error, McpError::Arguments { .. }), "{error:?}");
    }
    assert!(servers.call("bad", "strict", json!({"n": 3})).await.is_ok());
    assert_eq!(servers.call("bad", "nothing", json!({})).await.unwrap().content, "");
}

#[tokio::test]
async fn both_forms_of_an_unknown_tool_are_one_error() {
    if !python() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let servers = connected(vec![bad("bad", "", &folder.path().join("heard"))], &patient()).await;
    for tool in ["gone", "gone_result", "never_there"] {
        let error = servers.call("bad", tool, json!({})).await.unwrap_err();
        assert_eq!(error, McpError::UnknownTool { server: "bad".to_owned(), tool: tool.to_owned() });
    }
    let registry = ToolRegistry::new(Risk::Destructive).with_source(std::sync::Arc::new(servers));
    let outcome = registry.current().call(&call("gone", json!({})), &mut FailedCalls::new()).await;
    assert!(matches!(outcome.result, Err(ToolError::Unknown { .. })), "{outcome:?}");
}

#[tokio::test]
async fn schemas_and_names_are_made_fit_and_what_cannot_be_is_left_out() {
    if !python() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let events = Events::default();
    let heard = folder.path().join("heard");
    let servers = connected(vec![bad("bad", "schemas", &heard), bad("more", "", &heard)], &events.options()).await;
    let reports = servers.reports();
    let left: Vec<&str> = reports[0].left_out.iter().map(|(tool, _)| tool.as_str()).collect();
    assert_eq!(left, ["broken", "list", "fine"]);
    let names: Vec<&str> = reports[0].tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!((names[0], names[2], names[3]), ("odd", "bad_fine", "hidden"));
    assert!(names[1].starts_with("a_name_that_no_provider_takes_x") && names[1].len() == 64, "{}", names[1]);
    assert_eq!(reports[0].tools[3].description, "Reads.");
    assert!(reports[1].tools.iter().any(|tool| tool.name == "more_fine" && tool.original == "fine"));
    let registry = ToolRegistry::new(Risk::Destructive).with_source(std::sync::Arc::new(servers));
    let tools = registry.current();
    let outcome = tools.call(&call("odd", json!({"file_name": "a"})), &mut FailedCalls::new()).await;
    assert_eq!(outcome.content(), r#"got {"file name": "a"}"#);
    let adapted = events.of(McpEventKind::Adapted);
    for part in ["`file name` is called `file_name`", "`fine`: the model calls it `bad_fine`", "nobody sees"] {
        assert!(adapted.iter().any(|event| event.contains(part)), "{part}: {adapted:?}");
    }
    assert_eq!(events.of(McpEventKind::LeftOut).len(), 3);
}

#[tokio::test]
async fn a_server_with_ever_more_pages_is_asked_no_further() {
    if !python() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let servers = connected(vec![bad("bad", "pages", &folder.path().join("heard"))], &patient()).await;
    let reports = servers.reports();
    assert_eq!((reports[0].error.clone(), reports[0].tools.len()), (None, 512));
}

#[tokio::test]
async fn a_list_that_changed_is_read_again() {
    if !python() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut servers = connected(vec![bad("bad", "", &folder.path().join("heard"))], &patient()).await;
    let grown =
        |servers: &graphloom_mcp::McpServers| servers.reports()[0].tools.iter().any(|tool| tool.name == "grown");
    assert!(!grown(&servers));
    // The listing at the start is a change, too.
    servers.changed().await;
    servers.call("bad", "grow", json!({})).await.unwrap();
    servers.changed().await;
    assert!(grown(&servers));
}

#[tokio::test]
async fn its_errors_and_its_log_are_told_and_other_lines_do_no_harm() {
    if !python() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let events = Events::default();
    let servers = connected(vec![bad("bad", "", &folder.path().join("heard"))], &events.options()).await;
    assert_eq!(servers.call("bad", "notice", json!({})).await.unwrap().content, "noticed");
    until("the lines come", || !events.of(McpEventKind::Stderr).is_empty() && !events.of(McpEventKind::Log).is_empty())
        .await;
    assert!(events.of(McpEventKind::Stderr)[0].contains("words"));
    assert!(events.of(McpEventKind::Log)[0].contains("a line of the log"));
}

#[tokio::test]
async fn a_tool_of_which_nothing_is_known_is_not_called_unless_somebody_says_so() {
    if !python() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let heard = folder.path().join("heard");
    let allowed = bad("allowed", "", &heard)
        .with_rule("silent_about_risk", graphloom_mcp::ToolRule::default().risk(Risk::Read))
        .with_rule("fine", graphloom_mcp::ToolRule::default().risk(Risk::Destructive));
    let servers = connected(vec![bad("bad", "", &heard), allowed], &patient()).await;
    let registry = ToolRegistry::new(Risk::Destructive).with_source(std::sync::Arc::new(servers));
    let tools = registry.current();
    let mut repeats = FailedCalls::new();
    let outcome = tools.call(&call("bad_silent_about_risk", json!({})), &mut repeats).await;
    assert!(matches!(outcome.result, Err(ToolError::Denied { .. })), "{outcome:?}");
    assert!(tools.call(&call("allowed_silent_about_risk", json!({})), &mut repeats).await.is_success());
    // The user's word stands above the server's, which calls it one that reads.
    let careful = tools.into_owned().at_most(Risk::Read);
    let outcome = careful.call(&call("allowed_fine", json!({})), &mut repeats).await;
    assert!(matches!(outcome.result, Err(ToolError::TooRisky { .. })), "{outcome:?}");
    assert!(careful.call(&call("bad_fine", json!({})), &mut repeats).await.is_success());
}

#[tokio::test]
async fn no_more_calls_than_the_limits_allow_are_made_at_a_time() {
    if !python() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let mut options = patient();
    options.parallel = 1;
    let (one, other) = (folder.path().join("one"), folder.path().join("other"));
    let servers = connected(vec![bad("one", "", &one), bad("other", "", &one)], &options).await;
    let calls = ["one", "other", "one", "other"].map(|server| servers.call(server, "wait", json!({})));
    assert!(futures::future::join_all(calls).await.iter().all(Result::is_ok));
    let lines = std::fs::read_to_string(&one).unwrap();
    let order: Vec<&str> = lines.lines().filter(|line| matches!(*line, "begin" | "end")).collect();
    assert_eq!(order, ["begin", "end"].repeat(4));
    options.parallel = 2;
    let servers = connected(vec![bad("one", "", &other), bad("other", "", &other)], &options).await;
    let calls = ["one", "other"].map(|server| servers.call(server, "wait", json!({"together": 2})));
    assert!(futures::future::join_all(calls).await.iter().all(Result::is_ok));
    let lines = std::fs::read_to_string(&other).unwrap();
    let order: Vec<&str> = lines.lines().filter(|line| matches!(*line, "begin" | "end")).collect();
    assert_eq!(order, ["begin", "begin", "end", "end"]);
}

#[tokio::test]
async fn a_program_gets_few_variables_and_ends_with_all_that_it_started() {
    if !python() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let heard = folder.path().join("heard");
    let server = bad("bad", "stubborn", &heard).with_env("ITS_OWN", "x");
    let servers = connected(vec![server], &patient()).await;
    let lines = std::fs::read_to_string(&heard).unwrap();
    let processes: Vec<u32> = lines.lines().next().unwrap().split(' ').map(|id| id.parse().unwrap()).collect();
    assert_eq!(servers.processes().await, [("bad".to_owned(), processes[0])]);
    assert!(processes.iter().all(|process| is_alive(*process)));
    let named: Vec<&str> = lines.lines().find_map(|line| line.strip_prefix("env ")).unwrap().split(' ').collect();
    assert!(named.contains(&"ITS_OWN") && named.contains(&"PATH"), "{named:?}");
    // The variables of this process, of which Cargo set some, are not there beside those that are meant to be.
    assert!(std::env::var_os("CARGO_MANIFEST_DIR").is_some());
    assert!(!passed_on().contains(&"CARGO_MANIFEST_DIR") && !named.contains(&"CARGO_MANIFEST_DIR"), "{named:?}");
    drop(servers);
    until("the program and its child end", || !processes.iter().any(|process| is_alive(*process))).await;

    std::fs::remove_file(&heard).unwrap();
    let servers = connected(vec![bad("bad", "stubborn", &heard)], &patient()).await;
    let lines = std::fs::read_to_string(&heard).unwrap();
    let processes: Vec<u32> = lines.lines().next().unwrap().split(' ').map(|id| id.parse().unwrap()).collect();
    servers.close().await;
    assert!(!is_alive(processes[0]), "closing waits for the end");
    until("the child ends", || !processes.iter().any(|process| is_alive(*process))).await;
}

#[test]
fn a_runtime_that_ends_leaves_no_program() {
    if !python() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let heard = folder.path().join("heard");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let servers = runtime.block_on(connected(vec![bad("bad", "stubborn", &heard)], &patient()));
    let lines = std::fs::read_to_string(&heard).unwrap();
    let processes: Vec<u32> = lines.lines().next().unwrap().split(' ').map(|id| id.parse().unwrap()).collect();
    drop(runtime);
    graphloom_test_support::wait::until("the program and its child end", || {
        !processes.iter().any(|process| is_alive(*process))
    });
    drop(servers);
}

#[tokio::test]
async fn closing_ends_a_call_that_is_made_with_the_program_and_none_begins_again() {
    if !python() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let heard = folder.path().join("heard");
    let events = Events::default();
    let servers = connected(vec![bad("bad", "", &heard)], &events.options()).await;
    let process = servers.processes().await[0].1;
    let tools = servers.tools(&BTreeSet::new());
    let tool = |name: &str| Arc::clone(tools.iter().find(|tool| tool.spec().name == name).unwrap());
    let hanging = tool("hang");
    let call = tokio::spawn(async move { hanging.call(json!({})).await });
    let said = || std::fs::read_to_string(&heard).unwrap_or_default();
    until("the call is made", || said().contains("hang")).await;
    servers.close().await;
    assert!(!is_alive(process));
    let error = call.await.unwrap().unwrap_err().to_string();
    assert!(error.contains("`bad` was closed"), "{error}");
    let error = tool("fine").call(json!({})).await.unwrap_err().to_string();
    assert!(error.contains("`bad` was closed"), "{error}");
    assert_eq!(events.of(McpEventKind::Started).len(), 1);
}
