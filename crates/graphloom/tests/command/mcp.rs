//! `graphloom mcp list`: what servers have, and why one has nothing.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};

use graphloom_test_support::mcp::{program, published, sdk_example};
use serde_json::json;

use crate::{graphloom, result, run, told};

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

/// A server that is ended with the test.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_is_made_in_the_browser_kept_and_forgotten() {
    let Some(script) = sdk_example("simpleStreamableHttp") else { return };
    let free = || TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let (port, login) = (free(), free());
    let mut server = Command::new(program("node"));
    server
        .arg(script)
        .args(["--oauth", "--oauth-strict"])
        .env("MCP_PORT", port.to_string())
        .env("MCP_AUTH_PORT", login.to_string());
    let mut server = server.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
    for _ in 0..2 {
        assert!(lines.any(|line| line.unwrap().contains("listening on port")), "it did not begin");
    }
    std::thread::spawn(move || lines.for_each(drop));
    let _server = Served(server);

    let place = tempfile::tempdir().unwrap();
    let file = json!({"mcpServers": {"demo": {"url": format!("http://localhost:{port}/mcp")}}});
    std::fs::write(place.path().join("servers.json"), file.to_string()).unwrap();
    let list = ["mcp", "list", "--config", "servers.json"];
    let (status, text, hint) = run(place.path(), &list);
    assert_eq!(status, 1);
    assert!(text.contains("asks for a login"), "{text}");
    assert!(hint.contains("graphloom mcp login demo --config servers.json"), "{hint}");

    let mut command = graphloom(place.path(), &["mcp", "login", "demo", "--config", "servers.json", "-q"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let address = lines.find_map(|line| line.ok().filter(|line| line.starts_with("http"))).unwrap();
    std::thread::spawn(move || lines.for_each(drop));
    let client = graphloom_http::client(&address.parse().unwrap(), "browser").unwrap().build().unwrap();
    let page = client.get(address).send().await.unwrap().text().await.unwrap();
    assert!(page.contains("You are logged in"), "{page}");
    let (status, text, _) = told(child.wait_with_output().unwrap());
    assert_eq!(status, 0, "{text}");
    assert!(text.starts_with("logged in to `demo` at `localhost:"), "{text}");

    let (status, text, hint) = run(place.path(), &list);
    assert_eq!(status, 0, "{text} {hint}");
    assert!(text.contains("greet"), "{text}");
    let logout = ["mcp", "logout", "demo", "--config", "servers.json"];
    assert!(run(place.path(), &logout).1.contains("is forgotten"));
    assert!(run(place.path(), &logout).1.contains("there is no login"));
    assert_eq!(run(place.path(), &list).0, 1);
    let (status, _, why) = run(place.path(), &["mcp", "login", "other", "--config", "servers.json"]);
    assert!(status == 2 && why.contains("names no server `other`; there are `demo`"), "{status}: {why}");
}
