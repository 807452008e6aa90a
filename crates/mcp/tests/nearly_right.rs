//! Servers that answer nearly right are heard: what is wrong costs itself, and says so.

use graphloom_mcp::{McpError, McpEventKind, McpServers};
use serde_json::{Value, json};

use crate::support::{Events, answer, beginning, connected, patient, says};

/// A tool that is as it should be.
fn good(name: &str) -> Value {
    json!({"name": name, "description": "d", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}})
}

/// A server with one good tool, `good`, that says so much more.
async fn of(said: &[String], events: &Events) -> (McpServers, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let mut all = beginning(&json!([good("good")])).to_vec();
    all.extend_from_slice(said);
    (connected(vec![says(folder.path(), &all)], &events.options()).await, folder)
}

/// What a call of `good` gives as text where the server answers with this result, and what is told of it.
async fn called(result: Value) -> (String, Value, Vec<String>) {
    let events = Events::default();
    let (servers, _folder) = of(&[answer(&result)], &events).await;
    let output = servers.call("odd", "good", json!({})).await.unwrap();
    (output.content, output.data, events.of(McpEventKind::Skipped))
}

/// How a call of `good` fails where the server says this, and what is told of it.
async fn refused(said: &str) -> (McpError, Vec<String>) {
    let events = Events::default();
    let (servers, _folder) = of(&[said.to_owned(), answer(&json!({"content": "again"}))], &events).await;
    let error = servers.call("odd", "good", json!({})).await.unwrap_err();
    // The server is there, and its next answer is heard.
    assert_eq!(servers.call("odd", "good", json!({})).await.unwrap().content, "again", "{error}");
    assert_eq!(events.of(McpEventKind::Ended), [""; 0]);
    (error, events.of(McpEventKind::Skipped))
}

#[tokio::test]
async fn a_tool_without_a_schema_takes_any_object_and_a_broken_tool_costs_itself_alone() {
    let folder = tempfile::tempdir().unwrap();
    let events = Events::default();
    let tools = json!([
        good("good"),
        {"name": "no schema"},
        {"name": "null", "inputSchema": null, "description": null, "annotations": null, "title": null, "outputSchema": null},
        {"name": "list", "inputSchema": []},
        {"name": "text", "inputSchema": "{}"},
        {"inputSchema": {"type": "object"}},
        {"name": 7, "inputSchema": {"type": "object"}},
        null,
        good("good"),
        {"name": "more", "inputSchema": {"type": "object", "properties": []}, "annotations": "none", "x": {"y": [1]}, "execution": 4},
    ]);
    let mut said = beginning(&tools).to_vec();
    said.extend([answer(&json!({"content": "heard"})), answer(&json!({"content": "heard too"}))]);
    let servers = connected(vec![says(folder.path(), &said)], &events.options()).await;
    let report = servers.reports().remove(0);
    assert_eq!(report.error, None);
    let names: Vec<&str> = report.tools.iter().map(|tool| tool.original.as_str()).collect();
    assert_eq!(names, ["good", "no schema", "null", "more"]);
    let left_out: Vec<(&str, &str)> =
        report.left_out.iter().map(|(tool, reason)| (tool.as_str(), reason.as_str())).collect();
    assert_eq!(
        left_out,
        [
            ("list", "its `inputSchema` is a list, and no object"),
            ("text", "its `inputSchema` is a text, and no object"),
            ("tool 6", "it has no name"),
            ("tool 7", "its name is a number, and no text"),
            ("tool 8", "it is null, and no object"),
            ("good", "the server has two tools of this name"),
        ]
    );
    assert_eq!(events.of(McpEventKind::LeftOut).len(), 6);
    assert_eq!(
        events.of(McpEventKind::Adapted),
        [
            "MCP server `odd`, `no schema`: it has no `inputSchema`, so it takes any object",
            "MCP server `odd`, `null`: it has no `inputSchema`, so it takes any object",
            "MCP server `odd`, `more`: its annotations are a text, and no object",
        ]
    );
    assert_eq!(servers.call("odd", "no schema", json!({"any": ["thing"]})).await.unwrap().content, "heard");
    assert_eq!(servers.call("odd", "more", json!({})).await.unwrap().content, "heard too");
}

#[tokio::test]
async fn a_list_that_is_none_costs_the_tools_and_not_the_server() {
    for result in [json!({}), json!({"tools": null}), json!({"tools": {"a": {}}}), json!("none")] {
        let folder = tempfile::tempdir().unwrap();
        let events = Events::default();
        let mut said = beginning(&json!([])).to_vec();
        said[2] = answer(&result);
        let servers = connected(vec![says(folder.path(), &said)], &events.options()).await;
        let report = servers.reports().remove(0);
        assert_eq!((report.error, report.tools.len()), (None, 0), "{result}");
        let told = events.of(McpEventKind::LeftOut);
        assert!(told.len() == 1 && told[0].contains("its list of tools is "), "{result}: {told:?}");
    }
}

#[tokio::test]
async fn a_page_that_names_itself_is_the_last_and_one_line_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let events = Events::default();
    let page = answer(&json!({"tools": [good("one"), good("two")], "nextCursor": "more"}));
    let mut said = beginning(&json!([])).to_vec();
    said.truncate(2);
    said.extend(std::iter::repeat_n(page, 5));
    let servers = connected(vec![says(folder.path(), &said)], &events.options()).await;
    assert_eq!(servers.reports()[0].tools.len(), 2);
    assert_eq!(
        events.of(McpEventKind::LeftOut),
        ["MCP server `odd`: its list of tools has no end: a page names one that was read already"]
    );
}

#[tokio::test]
async fn a_server_begins_whatever_it_leaves_out_about_itself() {
    for (result, identity) in [
        (
            json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "n"}}),
            Some("n"),
        ),
        (json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}}), None),
        (json!({"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": null}), None),
        (
            json!({"protocolVersion": "2031-01-01", "capabilities": {}, "serverInfo": {"name": 3, "version": "2"}}),
            Some("2"),
        ),
        (json!({"protocolVersion": "0.1", "capabilities": {"tools": true, "logging": []}, "instructions": null}), None),
        (json!({}), None),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut said = beginning(&json!([good("good")])).to_vec();
        said[0] = answer(&result);
        said.push(answer(&json!({"content": "heard"})));
        let servers = connected(vec![says(folder.path(), &said)], &patient()).await;
        let report = servers.reports().remove(0);
        assert_eq!((report.error, report.identity.as_deref()), (None, identity), "{result}");
        assert_eq!(servers.call("odd", "good", json!({})).await.unwrap().content, "heard", "{result}");
    }
}

#[tokio::test]
async fn a_server_that_does_not_begin_says_why_and_not_how_it_ended() {
    for (said, reason) in [
        (answer(&json!("hello")), "its answer cannot be read: it is no object"),
        (
            r#"{"jsonrpc":"2.0","id":@ID@,"error":{"code":-32000,"message":"no licence","data":{"until":2020}}}"#
                .to_owned(),
            "it refused to begin: no licence: {\"until\":2020} (code -32000)",
        ),
        (r#"{"id":@ID@,"error":"no licence"}"#.to_owned(), "it refused to begin: no licence (code -32603)"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let servers = connected(vec![says(folder.path(), &[said.as_str()])], &patient()).await;
        let error = servers.reports()[0].error.as_ref().map(ToString::to_string).unwrap_or_default();
        assert!(error.contains(reason) && !error.contains("exit status"), "{error}");
    }
    let folder = tempfile::tempdir().unwrap();
    let mut said = beginning(&json!([])).to_vec();
    said[2] = r#"{"id":@ID@,"error":{"code":-32000,"message":"no tools today"}}"#.to_owned();
    let servers = connected(vec![says(folder.path(), &said)], &patient()).await;
    let error = servers.reports()[0].error.as_ref().map(ToString::to_string).unwrap_or_default();
    assert_eq!(error, "the MCP server `odd` did not start: it refused to list its tools: no tools today (code -32000)");
}

#[tokio::test]
async fn the_good_blocks_of_an_answer_are_read_and_the_odd_one_is_told() {
    for (block, line, told) in [
        (json!({"type": "text", "text": null}), "[not read: a text has no words]", "a text has no words"),
        (
            json!({"type": "video", "uri": "v:1"}),
            "[not read: content of the kind `video`, which is not known here]\n{\"type\":\"video\",\"uri\":\"v:1\"}",
            "content of the kind `video`, which is not known here",
        ),
    ] {
        let blocks = json!([{"type": "text", "text": "before"}, block, {"type": "text", "text": "after"}]);
        let (content, _, skipped) = called(json!({ "content": blocks })).await;
        assert_eq!(content, format!("before\n{line}\nafter"));
        assert_eq!(skipped, [format!("MCP server `odd`, `good`: in an answer: {told}")]);
    }
    // Members that another kind of answer has mislead nobody.
    let (content, _, _) =
        called(json!({"content": [{"type": "text", "text": "one"}], "messages": [], "contents": []})).await;
    assert_eq!(content, "one");
}

#[tokio::test]
async fn a_text_beside_data_reaches_the_model_with_the_data() {
    let (content, data, _) =
        called(json!({"content": [{"type": "text", "text": "It is warm."}], "structuredContent": {"celsius": 31}}))
            .await;
    assert_eq!((content.as_str(), data), ("It is warm.\n{\"celsius\":31}", json!({"celsius": 31})));
    let (content, data, _) = called(
        json!({"content": [{"type": "text", "text": "{ \"celsius\": 31 }"}], "structuredContent": {"celsius": 31}}),
    )
    .await;
    assert_eq!((content.as_str(), data), ("{ \"celsius\": 31 }", json!({"celsius": 31})));
}

#[tokio::test]
async fn an_answer_is_heard_in_whatever_frame_it_comes() {
    let result = r#""result":{"content":[{"type":"text","text":"heard"}]}"#;
    for said in [
        format!(r#"{{"id":@ID@,{result}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":"@ID@",{result},"error":null}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":@ID@.0,{result}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":null,{result}}}"#),
        format!(r#"{{"jsonrpc":"2.0","id":"a name of its own",{result}}}"#),
        format!(r#"[{{"jsonrpc":"2.0","id":@ID@,{result}}}]"#),
        format!("loading…\n[INFO] {{\"id\": 3}}\n\n42\n{{\"level\":\"info\"}}\n{{\"id\":@ID@,{result}}}"),
        format!("{{\n  \"jsonrpc\": \"2.0\",\n  \"id\": @ID@,\n  {result}\n}}"),
        format!(
            "{{\"method\":\"notifications/progress\",\"params\":{{\"a\":1}}}}\n{{\"method\":\"x/y\",\"id\":null}}\n{{\"id\":@ID@,{result}}}"
        ),
        format!(r#"{{"id":@ID@,{},"_meta":{{"n":NaN}}}}}}"#, result.strip_suffix('}').unwrap()),
    ] {
        let events = Events::default();
        let (servers, _folder) = of(std::slice::from_ref(&said), &events).await;
        assert_eq!(servers.call("odd", "good", json!({})).await.unwrap().content, "heard", "{said}");
        assert!(events.of(McpEventKind::Skipped).len() <= 1, "{:?}", events.of(McpEventKind::Skipped));
    }
}

#[tokio::test]
async fn lines_that_are_no_messages_are_told_once() {
    let events = Events::default();
    let heard = answer(&json!({"content": "heard"}));
    let (servers, _folder) = of(&[format!("one\ntwo\n{heard}"), format!("three\n{heard}")], &events).await;
    for _ in 0..2 {
        assert_eq!(servers.call("odd", "good", json!({})).await.unwrap().content, "heard");
    }
    assert_eq!(
        events.of(McpEventKind::Skipped),
        ["MCP server `odd`: it wrote what is no message, which is passed over: `one`"]
    );
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_is_told_at_once_and_the_server_has_not_ended() {
    let (error, _) = refused(r#"{"jsonrpc":"2.0","id":@ID@,"result":{"content":[{"type":"text","text":"half"#).await;
    assert!(
        matches!(&error, McpError::Unreadable { server, tool, .. } if server == "odd" && tool == "good"),
        "{error:?}"
    );
    assert!(error.to_string().contains("it is no JSON: EOF while parsing a string"), "{error}");
}

#[tokio::test]
async fn what_an_error_says_beyond_its_message_is_heard() {
    for (said, words) in [
        (
            r#"{"id":@ID@,"error":{"code":-32001,"message":"no such row","data":{"row":7}}}"#,
            "the MCP server `odd` refused `good`: no such row: {\"row\":7} (code -32001)",
        ),
        (
            r#"{"id":@ID@,"error":{"message":"no such row"}}"#,
            "the MCP server `odd` refused `good`: no such row (code -32603)",
        ),
        (
            r#"{"id":@ID@,"error":"no such row","result":null}"#,
            "the MCP server `odd` refused `good`: no such row (code -32603)",
        ),
    ] {
        let (error, _) = refused(said).await;
        assert_eq!(error.to_string(), words);
    }
    let (error, skipped) =
        refused(&answer(&json!({"isError": true, "content": [{"type": "text", "text": "no row"}, {"type": "text"}]})))
            .await;
    let words = "`good` of the MCP server `odd` failed and says: no row\n[not read: a text has no words]";
    assert_eq!((error.to_string().as_str(), skipped.len()), (words, 1));
}

#[tokio::test]
async fn one_odd_resource_or_prompt_costs_itself_alone() {
    let folder = tempfile::tempdir().unwrap();
    let events = Events::default();
    let begun = json!({"capabilities": {"resources": {}, "prompts": {}}});
    let resources = json!([
        {"uri": "a:1", "name": "one", "mimeType": null, "size": "big"}, {"name": "two"}, {"uri": 3}, "four", {"uri": "a:5"}
    ]);
    let prompts = json!([{"name": "one", "arguments": "none"}, {"description": "two"}, {"name": "three", "icons": 3}]);
    let said = [
        answer(&begun),
        String::new(),
        answer(&json!({ "resources": resources })),
        answer(
            &json!({"contents": [{"uri": "a:1", "text": "words"}, {"uri": "a:1", "text": null}, {"uri": "a:1", "blob": "AAAA"}]}),
        ),
        answer(&json!({ "prompts": prompts })),
        answer(
            &json!({"messages": [{"role": "user", "content": {"type": "text", "text": "ask"}}, {"role": "user", "content": {"type": "odd"}}]}),
        ),
    ];
    let servers = connected(vec![says(folder.path(), &said)], &events.options()).await;
    assert_eq!(servers.reports()[0].error, None);
    let list = servers.call("odd", "list_resources", json!({})).await.unwrap();
    assert_eq!(
        list.content,
        "[resource `one` at a:1]\n[not read: a resource: `two` has no address]\n[not read: a resource: it has no \
         address]\n[not read: a resource: it is a text, and no object]\n[resource `a:5` at a:5]"
    );
    assert_eq!(list.data.as_array().map(Vec::len), Some(2));
    let read = servers.call("odd", "read_resource", json!({"uri": "a:1"})).await.unwrap();
    assert_eq!(
        read.content,
        "resource a:1:\nwords\nresource a:1:\n[not read: a resource has no words]\nresource \
         a:1:\n[application/octet-stream, 3 bytes, which are not passed on]"
    );
    let list = servers.call("odd", "list_prompts", json!({})).await.unwrap();
    assert_eq!(
        list.content,
        "{\"name\":\"one\",\"arguments\":\"none\"}\n[not read: a prompt: it has no name]\n{\"name\":\"three\",\"icons\":3}"
    );
    let prompt = servers.call("odd", "get_prompt", json!({"name": "one"})).await.unwrap();
    assert_eq!(
        prompt.content,
        "user:\nask\nuser:\n[not read: content of the kind `odd`, which is not known here]\n{\"type\":\"odd\"}"
    );
    assert_eq!(events.of(McpEventKind::Skipped).len(), 3 + 1 + 1 + 1);
}
