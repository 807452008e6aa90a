//! Whatever a server sends, good and odd together: each good part is there, each odd one is told once, and no call waits
//! when its answer has come.

use graphloom_mcp::{McpError, McpEventKind};
use graphloom_test_support::draws;
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::support::{Events, answer, connected, says};

/// A part of what a server sends, and what becomes of it.
#[derive(Clone, Debug)]
enum Part {
    /// It is as it should be.
    Good(Value),
    /// It is taken, and one line says what was changed.
    Mended(Value),
    /// It is left out, and one line says why.
    Odd(Value),
}

/// A tool without its name, which its place gives it.
fn tool() -> impl Strategy<Value = Part> {
    let good = prop::sample::select(vec![
        json!({"inputSchema": {"type": "object"}}),
        json!({"inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}}}),
        json!({"inputSchema": {"properties": []}, "description": null, "title": "t", "outputSchema": null}),
        json!({"inputSchema": {"type": ["object", "null"]}, "annotations": {"readOnlyHint": true, "title": 3}}),
        json!({"inputSchema": {}, "annotations": null, "_meta": [], "icons": "none", "execution": {"taskSupport": 7}}),
    ]);
    let mended = prop::sample::select(vec![
        json!({}),
        json!({"inputSchema": null, "annotations": [], "description": {"en": "d"}}),
        json!({"input_schema": {"type": "object"}, "outputSchema": "any"}),
        json!({"inputSchema": {"type": "object", "required": "n"}}),
        json!({"inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": "yes"}}),
    ]);
    let odd = prop::sample::select(vec![
        json!({"inputSchema": []}),
        json!({"inputSchema": "object"}),
        json!({"inputSchema": {"type": "string"}}),
        json!({"inputSchema": {"type": "object", "properties": 3}}),
        json!({"inputSchema": {"properties": {"a": {"type": 12}}}}),
        json!({"inputSchema": {"description": "x".repeat(66_000)}}),
        json!({"name": null, "inputSchema": {}}),
        json!({"name": ["a"]}),
        json!({"name": ""}),
        json!({"name": "t0", "inputSchema": {}}),
        json!(null),
        json!([]),
        json!("t"),
    ]);
    prop_oneof![3 => good.prop_map(Part::Good), 1 => mended.prop_map(Part::Mended), 2 => odd.prop_map(Part::Odd)]
}

/// A block of an answer. `WORDS` is what of it has to be read.
fn block() -> impl Strategy<Value = Part> {
    let good = prop::sample::select(vec![
        json!({"type": "text", "text": "WORDS"}),
        json!({"type": "text", "text": "WORDS", "annotations": {"audience": 4}, "_meta": null}),
        json!({"type": "resource", "resource": {"uri": "a:b", "text": "WORDS", "mimeType": null}}),
        json!({"type": "resource_link", "uri": "a:b", "name": "WORDS", "size": "large"}),
        json!("WORDS"),
    ]);
    let mended = prop::sample::select(vec![
        json!({"type": "markdown", "text": "WORDS"}),
        json!({"text": "WORDS"}),
        json!({"type": "text", "text": ["WORDS"]}),
    ]);
    let odd = prop::sample::select(vec![
        json!({"type": "text", "text": null}),
        json!({"type": "text"}),
        json!({"type": "image", "mimeType": "image/png"}),
        json!({"type": "resource"}),
        json!({"type": "resource_link", "name": "n"}),
        json!({"type": "video", "data": "AAAA"}),
        json!({"type": 5}),
        json!({}),
        json!(null),
        json!(7),
    ]);
    prop_oneof![3 => good.prop_map(Part::Good), 1 => mended.prop_map(Part::Mended), 2 => odd.prop_map(Part::Odd)]
}

/// What stands around an answer, which is `ANSWER`: the members of its message, and lines before it.
fn frame() -> impl Strategy<Value = String> {
    let members = prop::sample::select(vec![
        r#"{"jsonrpc":"2.0","id":@ID@,ANSWER}"#,
        r#"{"id":"@ID@",ANSWER}"#,
        r#"{"jsonrpc":2,"id":@ID@.0,"error":null,ANSWER}"#,
        r#"{"jsonrpc":"2.0","id":"of its own",ANSWER}"#,
        r#"[{"jsonrpc":"2.0","id":@ID@,ANSWER}]"#,
        r#"{"jsonrpc":"2.0","id":@ID@,ANSWER,"n":NaN}"#,
        "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": @ID@,\n  ANSWER\n}",
    ]);
    let before = prop::sample::select(vec![
        "",
        "ready",
        "{\"level\":30,\"msg\":\"ready\"}",
        r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"loud","data":1}}"#,
        r#"{"jsonrpc":"2.0","method":"notifications/of/its/own","id":null}"#,
        r#"{"jsonrpc":"2.0","id":0,"result":{}}"#,
    ]);
    (before, members).prop_map(|(before, members)| format!("{before}\n{members}"))
}

/// What a tool answers: its blocks, with data or without; or an error.
#[derive(Clone, Debug)]
enum CallResult {
    Blocks(Vec<Part>, Option<Value>),
    Refused(String),
}

fn said() -> impl Strategy<Value = CallResult> {
    let data = prop::option::of(prop::sample::select(vec![json!({"n": "DATA"}), json!(["DATA"]), json!("DATA")]));
    let refused = prop::sample::select(vec![
        r#""error":{"code":-32000,"message":"WORDS"}"#,
        r#""error":{"code":"x","message":"no","data":{"why":"WORDS"}}"#,
        r#""error":{"message":"WORDS","data":null},"result":null"#,
        r#""error":"WORDS""#,
        r#""error":["WORDS"]"#,
        r#""result":{"isError":true,"content":"WORDS"}"#,
        r#""result":{"isError":true,"structuredContent":["WORDS"]}"#,
    ]);
    prop_oneof![
        3 => (prop::collection::vec(block(), 0..6), data).prop_map(|(blocks, data)| CallResult::Blocks(blocks, data)),
        1 => refused.prop_map(|text| CallResult::Refused(text.to_owned())),
    ]
}

fn begun() -> impl Strategy<Value = Value> {
    prop::sample::select(vec![
        json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "n", "version": "1"}}),
        json!({"protocolVersion": "2024-11-05", "capabilities": {"tools": {"listChanged": "no"}}, "serverInfo": {"name": "n"}}),
        json!({"protocolVersion": "2040-01-01", "capabilities": {}}),
        json!({"protocolVersion": 2, "capabilities": null, "serverInfo": "n"}),
        json!({}),
    ])
}

/// The words of the part at this place.
fn words(of: usize, at: usize) -> String {
    format!("words {of} {at}.")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: draws(), failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn drawn_listings_and_answers_lose_only_what_is_odd(
        begun in begun(),
        tools in prop::collection::vec(tool(), 0..7),
        calls in prop::collection::vec((frame(), said()), 1..4),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(tried(begun, tools, calls))?;
    }
}

async fn tried(begun: Value, tools: Vec<Part>, calls: Vec<(String, CallResult)>) -> Result<(), TestCaseError> {
    // The tools, with the names that each should be known by.
    let (mut good, mut mended, mut odd) = (vec!["t0".to_owned()], 0, 0);
    let mut sent = vec![json!({"name": "t0", "inputSchema": {"type": "object"}})];
    for (at, part) in tools.into_iter().enumerate() {
        let name = format!("t{}", at + 1);
        let named = |mut tool: Value| {
            if let Value::Object(members) = &mut tool {
                members.entry("name").or_insert_with(|| name.as_str().into());
            }
            tool
        };
        match part {
            Part::Good(tool) => {
                good.push(name.clone());
                sent.push(named(tool));
            }
            Part::Mended(tool) => {
                mended += 1;
                good.push(name.clone());
                sent.push(named(tool));
            }
            Part::Odd(tool) => {
                odd += 1;
                sent.push(named(tool));
            }
        }
    }
    let mut all = vec![answer(&begun), String::new(), answer(&json!({ "tools": sent }))];
    for (of, (frame, said)) in calls.iter().enumerate() {
        let body = match said {
            CallResult::Refused(text) => text.replace("WORDS", &words(of, 0)),
            CallResult::Blocks(parts, data) => {
                let blocks: Vec<Value> = parts.iter().enumerate().map(|(at, part)| written(part, of, at)).collect();
                let mut result = json!({ "content": blocks });
                if let Some(data) = data {
                    result["structuredContent"] = data.clone();
                }
                format!("\"result\":{result}")
            }
        };
        all.push(frame.replace("ANSWER", &body).trim_start().to_owned());
    }
    let folder = tempfile::tempdir().unwrap();
    let events = Events::default();
    let servers = connected(vec![says(folder.path(), &all)], &events.options()).await;
    let report = servers.reports().remove(0);
    prop_assert_eq!(&report.error, &None);
    let names: Vec<String> = report.tools.iter().map(|tool| tool.original.clone()).collect();
    prop_assert_eq!(&names, &good);
    prop_assert_eq!(report.left_out.len(), odd);
    prop_assert_eq!(events.of(McpEventKind::LeftOut).len(), odd);
    prop_assert_eq!(events.of(McpEventKind::Adapted).len(), mended, "{:?}", events.of(McpEventKind::Adapted));
    for (of, (_, said)) in calls.iter().enumerate() {
        let passed_over = |events: &Events| {
            events.of(McpEventKind::Skipped).iter().filter(|line| line.contains("in an answer")).count()
        };
        let before = passed_over(&events);
        let answered = servers.call("odd", &good[of % good.len()], json!({})).await;
        match said {
            CallResult::Refused(_) => {
                let error = answered.unwrap_err();
                prop_assert!(matches!(error, McpError::Protocol { .. } | McpError::Tool { .. }), "{error:?}");
                prop_assert!(error.to_string().contains(&words(of, 0)), "{error}");
            }
            CallResult::Blocks(parts, data) => {
                let output = answered.map_err(|error| TestCaseError::fail(error.to_string()))?;
                let mut told = 0;
                for (at, part) in parts.iter().enumerate() {
                    match part {
                        Part::Good(_) => prop_assert!(output.content.contains(&words(of, at)), "{}", output.content),
                        Part::Mended(_) => {
                            told += 1;
                            prop_assert!(output.content.contains(&words(of, at)), "{}", output.content);
                        }
                        Part::Odd(_) => told += 1,
                    }
                }
                prop_assert_eq!(passed_over(&events) - before, told, "{}", output.content);
                if let Some(data) = data {
                    prop_assert_eq!(output.content.matches("DATA").count(), 1, "{}", output.content);
                    prop_assert_eq!(&output.data, data);
                }
            }
        }
    }
    prop_assert_eq!(events.of(McpEventKind::Ended).len(), 0);
    Ok(())
}

fn written(part: &Part, of: usize, at: usize) -> Value {
    let (Part::Good(value) | Part::Mended(value) | Part::Odd(value)) = part;
    serde_json::from_str(&value.to_string().replace("WORDS", &words(of, at))).unwrap()
}
