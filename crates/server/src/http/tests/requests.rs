//! What is read of a request, and how a wrong one is refused.

use std::time::Duration;

use proptest::prelude::*;

use super::Served;

const ID: &str = "0190f3b4-0000-7000-8000-000000000000";

#[tokio::test]
async fn a_request_is_read_or_refused_with_its_place() {
    let served = Served::start(|security| security.limits.body = 1000).await;
    let deep = format!("{{\"names\":{}{}}}", "[".repeat(200), "]".repeat(200));
    let deep = &deep[..];
    let long = format!("{{\"names\":[\"{}\"]}}", "x".repeat(1000));
    let thread = format!("/threads/{ID}");
    let two = format!("/threads/{ID}/runs/{ID}");
    let wrong_run = format!("/threads/{ID}/runs/7");
    let cases = [
        ("GET", "/nowhere", "", 404, r#"{"detail":"Not Found"}"#),
        ("PUT", "/search", "{}", 405, r#"{"detail":"Method Not Allowed"}"#),
        ("POST", "/search", "{", 422, r#"{"detail":"Invalid JSON in request body"}"#),
        ("POST", "/search", "", 422, r#"{"detail":"Invalid JSON in request body"}"#),
        ("POST", "/search", r#"{"limit":3}"#, 200, r#"{"limit":3,"names":[]}"#),
        (
            "POST",
            "/search",
            r#"{"names":["a",7]}"#,
            422,
            r#"{"detail":"Invalid request body at `names[1]`: invalid type: integer `7`, expected a string at line 1 column 15"}"#,
        ),
        (
            "POST",
            "/search",
            deep,
            422,
            r#"{"detail":"Request body is nested too deeply: arrays and objects must stay below 100 levels"}"#,
        ),
        ("POST", "/search", &long, 413, r#"{"detail":"Request body is larger than 1000 bytes"}"#),
        ("POST", "/optional", "", 200, "false"),
        ("POST", "/optional", "{}", 200, "true"),
        ("DELETE", "/items", r#"{"names":["a"]}"#, 200, r#"{"limit":null,"names":["a"]}"#),
        ("GET", "/modes?wait=True&stream_mode=a&stream_mode=b", "", 200, r#"{"stream_mode":["a","b"],"wait":true}"#),
        ("GET", "/modes?wait=1&stream_mode=%5B%22a%22%5D", "", 200, r#"{"stream_mode":["a"],"wait":true}"#),
        ("GET", "/modes?wait=x", "", 422, r#"{"detail":"Invalid query at `wait`: `x` is not `true` or `false`"}"#),
        ("GET", &thread, "", 200, &format!("\"{ID}\"")),
        ("GET", "/threads/7", "", 422, r#"{"detail":"Invalid thread ID: must be a UUID"}"#),
        ("GET", &two, "", 200, &format!("[\"{ID}\",\"{ID}\"]")),
        ("GET", &wrong_run, "", 422, r#"{"detail":"Invalid run ID: must be a UUID"}"#),
        ("GET", "/names/a%2Fb%2E%20c", "", 200, r#""a/b. c""#),
        ("GET", "/names/%ff", "", 422, r#"{"detail":"A segment of the path is not UTF-8"}"#),
        (
            "POST",
            "/other",
            r#"{"limit":"x"}"#,
            422,
            r#"{"error":{"message":"Invalid request body at `limit`: invalid type: string \"x\", expected u32 at line 1 column 12","code":"invalid_request","param":"limit"}}"#,
        ),
        (
            "GET",
            "/other",
            "",
            405,
            r#"{"error":{"message":"Method Not Allowed","code":"method_not_allowed","param":null}}"#,
        ),
    ];
    for (method, path, body, status, expected) in cases {
        let answer = served.send(method, path, &[], body.to_owned()).await;
        assert_eq!((answer.status, answer.text.as_str()), (status, expected), "{method} {path} {body}");
        assert_eq!(answer.header("content-type"), "application/json", "{method} {path}");
    }
}

#[tokio::test]
async fn a_body_that_grows_over_the_limit_is_refused() {
    let served = Served::start(|security| security.limits.body = 1000).await;
    let chunk = "[".repeat(600);
    let head = "POST /search HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n";
    let answer = served.raw(format!("{head}258\r\n{chunk}\r\n258\r\n{chunk}\r\n0\r\n\r\n").as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 413 "), "{answer}");
    assert!(answer.ends_with(r#"{"detail":"Request body is larger than this server takes"}"#), "{answer}");
}

#[tokio::test]
async fn a_request_has_an_id() {
    let served = Served::start(|_| {}).await;
    let long = "x".repeat(129);
    for (sent, is_taken) in [("abc-1.2:3_D", true), ("a b", false), ("", false), ("a\"b", false), (&long, false)] {
        let answer = served.get("/nowhere", &[("x-request-id", sent)]).await;
        let id = answer.header("x-request-id").to_owned();
        assert_eq!(id == sent, is_taken, "{sent}");
        assert!(is_taken || uuid::Uuid::try_parse(&id).is_ok(), "{id}");
    }
}

#[tokio::test]
async fn a_panic_is_a_500_without_details_and_the_server_goes_on() {
    let served = Served::start(|_| {}).await;
    let answer = served.get("/panic", &[]).await;
    assert_eq!((answer.status, answer.text.as_str()), (500, r#"{"detail":"Internal Server Error"}"#));
    assert!(!answer.header("x-request-id").is_empty());
    assert_eq!(served.get("/ok", &[]).await.status, 200);
    let metrics = served.get("/metrics", &[]).await;
    assert_eq!(metrics.header("content-type"), "text/plain; version=0.0.4; charset=utf-8");
    for line in [
        "graphloom_panics_total 1\n",
        "graphloom_http_requests_total{method=\"GET\",route=\"/panic\",status=\"500\"} 1\n",
        "graphloom_http_requests_total{method=\"GET\",route=\"/ok\",status=\"200\"} 1\n",
        "graphloom_http_request_duration_seconds_bucket{route=\"/ok\",le=\"+Inf\"} 1\n",
        "graphloom_http_request_duration_seconds_count{route=\"/ok\"} 1\n",
        "graphloom_http_requests_in_flight 1\n",
        "# TYPE graphloom_http_request_duration_seconds histogram\n",
    ] {
        assert!(metrics.text.contains(line), "{line} in {}", metrics.text);
    }
}

#[tokio::test]
async fn figures_count_by_template_and_are_json_as_well() {
    let served = Served::start(|_| {}).await;
    for n in 0..20 {
        served.get(&format!("/threads/{n}"), &[]).await;
        served.get(&format!("/nowhere/{n}"), &[]).await;
    }
    served.guard.metrics().run_reached("success");
    let permit = served.guard.capacity().run();
    let figures = served.get("/metrics?format=json", &[]).await;
    drop(permit);
    let figures: serde_json::Value = serde_json::from_str(&figures.text).unwrap();
    assert_eq!(
        figures["requests"],
        serde_json::json!([
            { "route": "/threads/{thread_id}", "method": "GET", "status": 422, "count": 20 },
            { "route": "unknown", "method": "GET", "status": 404, "count": 20 },
        ])
    );
    assert_eq!((&figures["active_runs"], &figures["runs"]["success"]), (&1.into(), &1.into()));
    assert_eq!(served.get("/metrics?format=xml", &[]).await.status, 422);
}

#[test]
fn no_bytes_on_the_socket_make_the_server_fail() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let served = runtime.block_on(Served::start(|security| security.limits.header_time = Duration::from_millis(200)));
    let line =
        proptest::string::string_regex("(GET|POST|OPTIONS|[A-Z]{1,9}) [/a-z%?{}*.:0-9]{0,40} HTTP/1.[01]").unwrap();
    let names = "(host|origin|x-api-key|authorization|x-request-id|content-length|upgrade|connection|[a-z-]{1,9})";
    let header = proptest::string::bytes_regex(&format!("(?s-u){names}: [^\r\n]{{0,40}}\r\n")).unwrap();
    let strategy = (line, proptest::collection::vec(header, 0..5), any::<bool>());
    proptest!(ProptestConfig::with_cases(200), |((line, headers, is_ours) in strategy)| {
        let own = if is_ours { "host: localhost\r\n" } else { "" };
        let mut request = format!("{line}\r\nconnection: close\r\n{own}").into_bytes();
        request.extend(headers.concat());
        request.extend(b"\r\n");
        let answer = runtime.block_on(served.raw(&request));
        prop_assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 4") || answer.starts_with("HTTP/1.1 2")
            || answer.starts_with("HTTP/1.0 4") || answer.starts_with("HTTP/1.0 2"), "{answer}");
    });
    assert_eq!(runtime.block_on(served.get("/ok", &[])).status, 200, "the server goes on");
}

#[test]
fn no_bytes_make_the_server_fail() {
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let served = runtime.block_on(Served::start(|_| {}));
    let client = super::client();
    let paths = ["/search", "/optional", "/other", "/modes", "/names/", "/threads/", "/metrics"];
    let methods = ["GET", "POST", "DELETE", "PUT"];
    let json = proptest::string::string_regex(r#"[\[\]{}":,0-9a-z\\. \u{0}\u{ff}]{0,60}"#).expect("an expression");
    let body = prop_oneof![proptest::collection::vec(any::<u8>(), 0..200), json.prop_map(String::into_bytes)];
    let query = proptest::string::string_regex("[a-z_%&=\\[\\]\"0-9+;]{0,60}").expect("an expression");
    let strategy = (0..methods.len(), 0..paths.len(), body, query);
    proptest!(ProptestConfig::with_cases(300), |((method, path, body, query) in strategy)| {
        let known = ["stream_mode", "wait", "format", "limit"][path % 4];
        let url = served.url(&format!("{}?{known}={query}", paths[path]));
        let request = client.request(methods[method].parse().expect("a method"), &url).body(body);
        let status = runtime.block_on(async { request.send().await.expect("an answer").status().as_u16() });
        prop_assert!(status < 500, "{url}: {status}");
    });
}
