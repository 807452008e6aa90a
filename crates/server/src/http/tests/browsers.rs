//! What a page in a browser may do.

use super::super::{AllowedOrigins, Keys};
use super::Served;

fn upgrade(host: &str, origin: &str) -> String {
    format!(
        "GET /socket HTTP/1.1\r\nhost: {host}\r\norigin: {origin}\r\nconnection: upgrade, close\r\nupgrade: websocket\r\n\
         sec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
}

#[tokio::test]
async fn a_host_that_is_not_ours_is_refused() {
    let served = Served::start(|security| security.hosts.push("Graphs.example.org".into())).await;
    let cases = [
        ("host: localhost", 200),
        ("host: LOCALHOST:2024", 200),
        ("host: 127.0.0.1", 200),
        ("host: 127.9.9.9:1", 200),
        ("host: [::1]:2024", 200),
        ("host: graphs.example.org", 200),
        ("host: evil.example.org", 421),
        ("host: localhost.evil.example.org", 421),
        ("host: 10.0.0.7", 421),
        ("host: user@localhost", 400),
        ("host: a b", 400),
        ("host: localhost\r\nhost: localhost", 400),
        ("accept: */*", 400),
    ];
    for path in ["/ok", "/nowhere"] {
        for (header, status) in cases {
            let answer =
                served.raw(format!("GET {path} HTTP/1.1\r\n{header}\r\nconnection: close\r\n\r\n").as_bytes()).await;
            let status = if status == 200 && path == "/nowhere" { 404 } else { status };
            assert!(answer.starts_with(&format!("HTTP/1.1 {status} ")), "{path} {header}: {answer}");
            assert!(answer.contains("{\""), "{answer}");
        }
    }
    let absolute = "GET http://evil.example.org/ok HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n";
    assert!(served.raw(absolute.as_bytes()).await.starts_with("HTTP/1.1 421 "));
}

#[tokio::test]
async fn a_foreign_page_is_refused_unless_it_is_allowed() {
    let listed = || AllowedOrigins::Listed(vec!["https://pages.example.org".parse().expect("an origin")]);
    let cases = [
        (AllowedOrigins::Loopback, "http://localhost:3000", 200),
        (AllowedOrigins::Loopback, "http://127.0.0.1:8123", 200),
        (AllowedOrigins::Loopback, "https://pages.example.org", 403),
        (AllowedOrigins::Loopback, "http://localhost.evil.example.org", 403),
        (AllowedOrigins::Loopback, "null", 403),
        (listed(), "https://pages.example.org", 200),
        (listed(), "http://localhost:3000", 403),
        (AllowedOrigins::Any, "https://anything.example.org", 200),
    ];
    for (origins, origin, status) in cases {
        let served = Served::start(|security| security.cors.origins = origins.clone()).await;
        let answer = served.get("/who", &[("origin", origin)]).await;
        assert_eq!(answer.status, status, "{origins:?} {origin}: {}", answer.text);
        let allowed = answer.header("access-control-allow-origin");
        let expected = match (status, &origins) {
            (403, _) => "",
            (_, AllowedOrigins::Any) => "*",
            _ => origin,
        };
        assert_eq!(allowed, expected, "{origins:?} {origin}");
        if status == 200 {
            let exposed = answer.header("access-control-expose-headers");
            for name in ["x-pagination-total", "x-pagination-next", "mcp-session-id", "content-location", "location"] {
                assert!(exposed.split(',').any(|exposed| exposed.trim() == name), "{exposed}");
            }
        } else {
            assert_eq!(answer.detail(), "Requests of pages of this Origin are refused; allow it with `cors`");
        }
        let answer = served.raw_status(upgrade("localhost", origin).as_bytes()).await;
        let status = if status == 200 { 101 } else { status };
        assert_eq!(answer, format!("HTTP/1.1 {status}"), "{origins:?} {origin}");
        // A page of the server's own.
        let own = served.url("");
        assert_eq!(served.get("/who", &[("origin", &own)]).await.status, 200);
    }
}

#[tokio::test]
async fn an_upgrade_to_a_foreign_name_is_refused() {
    let served = Served::start(|_| {}).await;
    let answer = served.raw(upgrade("evil.example.org", "http://evil.example.org").as_bytes()).await;
    assert!(answer.starts_with("HTTP/1.1 421 "), "{answer}");
}

#[tokio::test]
async fn a_preflight_needs_no_key_and_says_what_is_allowed() {
    for private_network in [false, true] {
        let served = Served::start(|security| {
            security.keys = Keys::from_text("a all a-key-of-many-characters").expect("a key");
            security.cors.private_network = private_network;
        })
        .await;
        let preflight = [
            ("origin", "http://localhost:3000"),
            ("access-control-request-method", "PATCH"),
            ("access-control-request-headers", "x-api-key,content-type"),
            ("access-control-request-private-network", "true"),
        ];
        let answer = served.send("OPTIONS", "/search", &preflight, "").await;
        assert_eq!(answer.status, 200);
        assert_eq!(answer.header("access-control-allow-origin"), "http://localhost:3000");
        assert!(answer.header("access-control-allow-methods").contains("PATCH"));
        assert_eq!(answer.header("access-control-allow-headers"), "x-api-key,content-type");
        assert_eq!(answer.header("access-control-max-age"), "600");
        let allowed = answer.header("access-control-allow-private-network");
        assert_eq!(allowed, if private_network { "true" } else { "" });
        // The refusal that follows can be read by the page.
        let refused = served.get("/who", &[("origin", "http://localhost:3000")]).await;
        assert_eq!((refused.status, refused.header("access-control-allow-origin")), (401, "http://localhost:3000"));
        let foreign =
            served.send("OPTIONS", "/search", &[("origin", "https://evil.example.org"), preflight[1]], "").await;
        assert_eq!(foreign.status, 403);
    }
}
