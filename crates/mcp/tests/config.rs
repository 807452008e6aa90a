//! The file that names the servers.

use std::path::Path;
use std::time::Duration;

use graphloom_agents::Risk;
use graphloom_mcp::{McpConfig, Place};

fn parse(text: &str) -> Result<McpConfig, String> {
    let variable = |name: &str| (name == "KEY").then(|| "sesame".to_owned());
    McpConfig::parse(Path::new("servers.json"), text, variable).map_err(|error| error.to_string())
}

#[test]
fn the_form_of_editors_is_read() {
    let config = parse(
        r#"{"mcpServers": {
            "files": {"command": "npx", "args": ["-y", "server-files", "/tmp/${KEY}"], "env": {"TOKEN": "${KEY}"},
                      "cwd": "/tmp", "timeout": 90, "gallery": true,
                      "alwaysAllow": ["read"], "tools": {"write": {"risk": "destructive", "ask": true, "timeout": 0.5}}},
            "off": {"command": "nothing", "disabled": true},
            "search": {"type": "streamable-http", "url": "https://example.org/mcp?key=${KEY}",
                       "headers": {"Authorization": "Bearer ${KEY}"}},
            "login": {"url": "https://example.org/other", "oauth": {
                "clientId": "me", "clientSecret": "${KEY}", "callbackPort": 8091, "scopes": "read write"}}
        }, "inputs": []}"#,
    )
    .unwrap();
    assert_eq!(
        config.servers.iter().map(|server| server.name.as_str()).collect::<Vec<_>>(),
        ["files", "search", "login"]
    );
    let files = &config.servers[0];
    let Place::Command { command, args, env, folder } = &files.place else { panic!("{files:?}") };
    assert_eq!((command.as_str(), args[2].as_str(), env["TOKEN"].as_str()), ("npx", "/tmp/sesame", "sesame"));
    assert_eq!(folder.as_deref(), Some(Path::new("/tmp")));
    assert_eq!(files.timeout, Some(Duration::from_secs(90)));
    assert_eq!(files.tools["read"].ask, Some(false));
    let write = files.tools["write"];
    assert_eq!((write.risk, write.ask), (Some(Risk::Destructive), Some(true)));
    assert_eq!(write.timeout, Some(Duration::from_millis(500)));
    let Place::Http { url, headers, .. } = &config.servers[1].place else { panic!("{config:?}") };
    assert_eq!(url.as_str(), "https://example.org/mcp?key=sesame");
    assert_eq!(headers["Authorization"], "Bearer sesame");
    let Place::Http { oauth, .. } = &config.servers[2].place else { panic!("{config:?}") };
    assert_eq!((oauth.id.as_deref(), oauth.secret.as_deref()), (Some("me"), Some("sesame")));
    assert_eq!((oauth.callback_port, oauth.scopes.join("+").as_str()), (Some(8091), "read+write"));
    assert_eq!(config.notes.len(), 2, "{:?}", config.notes);
    assert!(config.notes.iter().any(|note| note.contains("server `files`") && note.contains("`gallery`")));
    // The other name under which editors keep them.
    assert_eq!(parse(r#"{"servers": {"a": {"command": "a"}}}"#).unwrap().servers.len(), 1);
}

#[test]
fn what_is_wrong_is_told_with_file_server_and_field() {
    for (server, part) in [
        (r"{}", "`command` is missing; a server has a `command` or a `url`"),
        (r#"{"command": 3}"#, "`command` is a number"),
        (r#"{"command": " "}"#, "`command` is empty"),
        (r#"{"command": "a", "url": "https://a.org"}"#, "`url` stands beside `command`"),
        (r#"{"command": "a", "args": "b"}"#, "`args` is a text, and is a list of texts"),
        (r#"{"command": "a", "args": ["b", 3]}"#, "`args[1]` is a number"),
        (r#"{"command": "a", "args": ["${NONE}"]}"#, "`args[0]` the variable `NONE` is not set"),
        (r#"{"command": "a", "env": {"X": "${NONE}"}}"#, "`env.X` the variable `NONE` is not set"),
        (r#"{"command": "a", "timeout": -1}"#, "`timeout` is no number of seconds"),
        (r#"{"command": "a", "disabled": "yes"}"#, "`disabled` is a text"),
        (r#"{"command": "a", "tools": {"t": {"risk": "none"}}}"#, "`tools.t.risk` is one of"),
        (r#"{"command": "a", "tools": {"t": {"risks": "read"}}}"#, "`tools.t.risks` is not known"),
        (r#"{"type": "stdio", "url": "https://a.org"}"#, "`command` is missing, and `type` is `stdio`"),
        (r#"{"type": "http", "command": "a"}"#, "`url` is missing"),
        (r#"{"type": "sse", "url": "https://a.org"}"#, "`type` is `sse`"),
        (r#"{"type": "pigeon", "url": "https://a.org"}"#, "`type` is `pigeon`"),
        (r#"{"url": "nowhere"}"#, "`url` is no address"),
        (r#"{"url": "ftp://a.org"}"#, "`url` begins with neither"),
        (r#"{"url": "https://me:sesame@a.org"}"#, "`url` holds a user or a password"),
        (r#"{"url": "http://a.org", "headers": {"Authorization": "Bearer ${KEY}"}}"#, "over plain `http`"),
        (r#"{"url": "https://a.org", "headers": {"a b": "x"}}"#, "`headers.a b` is no name of a header"),
        (r#"{"url": "https://a.org", "headers": {"A": "x\ny"}}"#, "`headers.A` holds characters"),
        (r#"{"url": "https://a.org", "oauth": true}"#, "`oauth` is true or false, and is an object"),
        (r#"{"url": "https://a.org", "oauth": {"client": "a"}}"#, "`oauth.client` is not known"),
        (r#"{"url": "https://a.org", "oauth": {"callbackPort": 70000}}"#, "`oauth.callbackPort` is no port"),
        (r#"{"url": "https://a.org", "oauth": {"clientSecret": "${KEY}"}}"#, "stands without `clientId`"),
        ("[]", "is a list, and is an object"),
    ] {
        let error = parse(&format!("{{\"mcpServers\": {{\"one\": {server}}}}}")).unwrap_err();
        assert!(error.starts_with("`servers.json`: server `one`: ") && error.contains(part), "{server}: {error}");
        assert!(!error.contains("sesame"), "{error}");
    }
    for (text, part) in [
        ("", "line 1 column 0"),
        ("[]", "it holds no object"),
        ("{}", "it has no `mcpServers`"),
        (r#"{"mcpServers": []}"#, "`mcpServers` is a list"),
        (r#"{"mcpServers": {}, "servers": {}}"#, "has both"),
    ] {
        let error = parse(text).unwrap_err();
        assert!(error.starts_with("`servers.json` names no servers: ") && error.contains(part), "{text}: {error}");
    }
    let missing = McpConfig::read(Path::new("/nothing/here.json")).unwrap_err().to_string();
    assert!(missing.starts_with("`/nothing/here.json` cannot be read"), "{missing}");
}

#[test]
fn keys_are_not_shown() {
    let config = parse(
        r#"{"mcpServers": {
            "a": {"command": "x", "args": ["--key=${KEY}"], "env": {"TOKEN": "${KEY}"}},
            "b": {"url": "https://example.org/mcp?key=${KEY}", "headers": {"Authorization": "${KEY}"}},
            "c": {"url": "https://example.org", "oauth": {"clientId": "x", "clientSecret": "${KEY}"}}
        }}"#,
    )
    .unwrap();
    let shown = format!("{config:?}");
    assert!(shown.contains("TOKEN") && shown.contains("example.org") && !shown.contains("sesame"), "{shown}");
}
