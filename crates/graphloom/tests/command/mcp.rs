//! `graphloom mcp list`: what servers have, and why one has nothing.

use graphloom_test_support::mcp::{program, published};
use serde_json::json;

use crate::{result, run};

#[test]
fn what_servers_have_is_listed_and_what_failed_is_told() {
    let (Some(memory), Some(everything)) = (published("memory"), published("everything")) else { return };
    let place = tempfile::tempdir().unwrap();
    let servers = json!({"mcpServers": {
        "memory": {"command": program("node"), "args": [memory], "tools": {
            "read_graph": {"risk": "write", "ask": true}, "delete_entities": {"disabled": true}}},
        "all": {"command": program("node"), "args": [everything], "color": "blue"},
        "absent": {"command": "/nothing/here"}
    }});
    std::fs::write(place.path().join("servers.json"), servers.to_string()).unwrap();
    let (status, text, told) = run(place.path(), &["mcp", "list", "--config", "servers.json"]);
    assert_eq!(status, 1, "{told}");
    let line = |name: &str| {
        let mut lines = text.lines().filter(|line| line.trim_start().starts_with(name));
        lines.next().unwrap_or_else(|| panic!("no `{name}` in {text}")).split_whitespace().collect::<Vec<_>>()
    };
    assert!(text.contains(": memory-server "), "{text}");
    assert_eq!(line("search_nodes")[1], "read");
    assert_eq!(line("create_entities")[1], "write");
    assert_eq!(line("read_graph")[1..3], ["write", "asks"]);
    assert_eq!(
        line("delete_entities:")[1..],
        "left out, the file of servers switches it off".split(' ').collect::<Vec<_>>()
    );
    assert_eq!(line("gzip-file-as-resource")[1], "destructive");
    // Both have resources, so the names say whose.
    assert_eq!(line("memory_read_resource")[1], "read");
    assert_eq!(line("all_read_resource")[1], "read");
    assert!(
        text.contains("failed: the MCP server `absent` did not start: `/nothing/here` cannot be started"),
        "{text}"
    );
    assert!(told.contains("server `all`: the field `color` is not known here"), "{told}");

    let (status, text, _) = run(place.path(), &["mcp", "list", "--config", "servers.json", "--json"]);
    let value = result(&text)["result"]["servers"].clone();
    assert_eq!((status, value[1]["tools"][0]["name"].as_str()), (1, Some("echo")));
    assert!(value[2]["error"].as_str().unwrap().contains("`absent`"), "{value}");
}

#[test]
fn a_file_that_is_wrong_is_a_fault_of_the_user() {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(
        place.path().join("servers.json"),
        r#"{"mcpServers": {"a": {"args": ["${NONE}"], "command": "x"}}}"#,
    )
    .unwrap();
    for (file, part) in [
        ("servers.json", "`servers.json`: server `a`: `args[0]` the variable `NONE` is not set"),
        ("absent.json", "`absent.json` cannot be read"),
    ] {
        let (status, _, told) = run(place.path(), &["mcp", "list", "--config", file]);
        assert!(status == 2 && told.contains(part), "{status}: {told}");
    }
}
