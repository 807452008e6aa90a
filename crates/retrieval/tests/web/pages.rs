//! Pages of a host of one's own, which is exempt from the guard.

use std::time::Duration;

use graphloom_retrieval::Source;
use graphloom_retrieval::web::{Page, PageError, PageOptions, Pages};
use graphloom_test_support::clock::StandingClock;
use wiremock::matchers::{header, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

const ARTICLE: &str = "<!DOCTYPE html><html><head><title>The log</title><script>evil()</script></head><body>\
    <nav><a href='/'>Home</a> <a href='/x'>Other things to read</a></nav>\
    <article><h1>The log</h1><p>Every change is written to the log first, and only then to the pages of the table, so \
    that a crash in between loses nothing that was promised to a client.</p><h2>Checkpoints</h2><p>At a checkpoint all \
    pages are written, after which the older part of the log is no longer needed for recovery after a crash.</p>\
    </article><footer>Imprint</footer></body></html>";

async fn host(routes: &[(&str, ResponseTemplate)]) -> MockServer {
    let host = MockServer::start().await;
    for (route, template) in routes {
        Mock::given(path(*route)).respond_with(template.clone()).mount(&host).await;
    }
    host
}

fn html(body: &str) -> ResponseTemplate {
    ResponseTemplate::new(200).set_body_raw(body.to_owned(), "text/html; charset=utf-8")
}

async fn fetch(host: &MockServer, route: &str, change: impl Fn(&mut PageOptions)) -> Result<Page, PageError> {
    let mut options = PageOptions::default().exempt(&host.address().to_string());
    change(&mut options);
    Pages::new(options).unwrap().fetch(&format!("{}{route}", host.uri())).await
}

#[tokio::test]
async fn the_article_of_a_page_is_read_without_what_surrounds_it() {
    let host = host(&[("/log", html(ARTICLE))]).await;
    let page = fetch(&host, "/log?utm_source=x#end", |_| {}).await.unwrap();
    assert_eq!((page.title.as_str(), page.url.as_str()), ("The log", format!("{}/log", host.uri()).as_str()));
    assert!(page.text.contains("written to the log first") && page.text.contains("Checkpoints"), "{}", page.text);
    assert!(!page.text.contains("Home") && !page.text.contains("Imprint") && !page.text.contains("evil"));
    let evidence = page.evidence();
    assert_eq!((evidence.source, evidence.text), (Source::Web { url: page.url.clone() }, page.text.clone()));
    assert_eq!(evidence.id, fetch(&host, "/log", |_| {}).await.unwrap().evidence().id);
    let sent = &host.received_requests().await.unwrap()[0];
    assert!(sent.headers.get("cookie").is_none() && sent.headers.get("authorization").is_none());
    assert_eq!(sent.headers["accept-encoding"], "identity");
}

#[tokio::test]
async fn text_and_other_encodings_are_read() {
    let gbk = [b"<html><body><p>".to_vec(), vec![0xca, 0xfd, 0xbe, 0xdd, 0xbf, 0xe2], b"</p></body></html>".to_vec()];
    let host = host(&[
        ("/plain", ResponseTemplate::new(200).set_body_raw("Title\n\nSome text.\u{202e}", "text/plain")),
        ("/notes.md", ResponseTemplate::new(200).set_body_raw("# Notes\n\nSome text.", "text/markdown")),
        ("/gbk", ResponseTemplate::new(200).set_body_raw(gbk.concat(), "text/html; charset=gbk")),
    ])
    .await;
    assert!(fetch(&host, "/plain", |_| {}).await.unwrap().text.ends_with("Some text."));
    assert_eq!(fetch(&host, "/notes.md", |_| {}).await.unwrap().title, "Notes");
    assert!(fetch(&host, "/gbk", |_| {}).await.unwrap().text.contains("数据库"));
}

#[tokio::test]
async fn redirects_are_followed_to_their_bound() {
    let to = |place: &str| ResponseTemplate::new(302).insert_header("location", place);
    let host = host(&[
        ("/a", to("/b")),
        ("/b", to("c")),
        ("/c", html(ARTICLE)),
        ("/loop", to("/loop")),
        ("/nowhere", ResponseTemplate::new(302)),
        ("/file", to("file:///etc/passwd")),
        ("/script", to("javascript:alert(1)")),
    ])
    .await;
    let page = fetch(&host, "/a", |_| {}).await.unwrap();
    assert_eq!((page.url, page.notes.len()), (format!("{}/c", host.uri()), 2));
    assert_eq!(fetch(&host, "/loop", |_| {}).await, Err(PageError::Redirects { most: 5 }));
    assert_eq!(fetch(&host, "/nowhere", |_| {}).await, Err(PageError::Refused { status: 302 }));
    for route in ["/file", "/script"] {
        assert!(matches!(fetch(&host, route, |_| {}).await, Err(PageError::Address { .. })), "{route}");
    }
}

#[tokio::test]
async fn what_is_no_page_has_its_error() {
    let raw = |body: Vec<u8>, kind: &str| ResponseTemplate::new(200).set_body_raw(body, kind);
    let host = host(&[
        ("/pdf", raw(b"%PDF-1.7".to_vec(), "application/pdf")),
        ("/image", raw(vec![1, 2], "image/png")),
        ("/large", html(&format!("<p>{}</p>", "x".repeat(9000)))),
        ("/empty", html("<html><body><script>draw()</script></body></html>")),
        ("/binary", raw(vec![0; 400], "text/plain")),
        ("/gone", ResponseTemplate::new(404)),
        ("/login", ResponseTemplate::new(403)),
        ("/busy", ResponseTemplate::new(429)),
        ("/broken", ResponseTemplate::new(500)),
        ("/zipped", html(ARTICLE).insert_header("content-encoding", "gzip")),
        ("/slow", html(ARTICLE).set_delay(Duration::from_secs(30))),
    ])
    .await;
    for (route, expected, retryable) in [
        ("/pdf", PageError::MediaType { media_type: "application/pdf".into() }, false),
        ("/image", PageError::MediaType { media_type: "image/png".into() }, false),
        ("/large", PageError::TooLarge { limit: 4096 }, false),
        ("/binary", PageError::Empty { reason: "it is no text".into() }, false),
        ("/gone", PageError::Refused { status: 404 }, false),
        ("/login", PageError::Refused { status: 403 }, false),
        ("/busy", PageError::Busy { status: 429, until: None }, true),
        ("/broken", PageError::Busy { status: 500, until: None }, true),
        ("/zipped", PageError::Encoded { encoding: "gzip".into() }, true),
    ] {
        let error = fetch(&host, route, |options| options.longest_body = 4096).await.unwrap_err();
        assert_eq!((&error, error.is_retryable()), (&expected, retryable), "{route}");
    }
    let clock = StandingClock::new();
    let deadline = Duration::from_millis(200);
    let limit_passes = async {
        while !host.received_requests().await.unwrap().iter().any(|request| request.url.path() == "/slow") {
            tokio::task::yield_now().await;
        }
        clock.advance(deadline).await;
    };
    let (slow, ()) = tokio::join!(fetch(&host, "/slow", |options| options.deadline = deadline), limit_passes);
    let error = slow.unwrap_err();
    assert_eq!((&error, error.is_retryable()), (&PageError::TimedOut { seconds: 0 }, true));
    assert!(matches!(fetch(&host, "/empty", |_| {}).await, Err(PageError::Empty { .. })));
}

#[tokio::test]
async fn a_page_that_its_host_keeps_from_programs_is_not_asked_for() {
    let rules = "User-agent: *\nDisallow: /private\n\nUser-agent: graphloom\nDisallow: /log\n";
    let host = host(&[
        ("/robots.txt", ResponseTemplate::new(200).set_body_raw(rules, "text/plain")),
        ("/log", html(ARTICLE)),
        ("/private", html(ARTICLE)),
        ("/leads", ResponseTemplate::new(302).insert_header("location", "/log")),
    ])
    .await;
    let forbidden = Err(PageError::Robots { host: host.address().to_string() });
    assert_eq!(fetch(&host, "/log", |_| {}).await, forbidden);
    assert_eq!(fetch(&host, "/leads", |_| {}).await, forbidden, "a redirect is looked at like the first address");
    assert!(fetch(&host, "/private", |_| {}).await.is_ok(), "the program's own group counts");
    assert!(fetch(&host, "/private", |options| options.agent = "reader/1".into()).await.is_err());
    assert!(fetch(&host, "/log", |options| options.robots = false).await.is_ok());
    let asked: Vec<String> =
        host.received_requests().await.unwrap().iter().map(|sent| sent.url.path().to_owned()).collect();
    assert_eq!(asked.iter().filter(|path| *path == "/log").count(), 1, "{asked:?}");
}

#[tokio::test]
async fn a_host_that_cannot_say_what_it_allows_is_left_alone() {
    let host = host(&[("/robots.txt", ResponseTemplate::new(503)), ("/log", html(ARTICLE))]).await;
    let error = fetch(&host, "/log", |_| {}).await.unwrap_err();
    assert!(matches!(&error, PageError::RobotsUnknown { .. }) && error.is_retryable(), "{error}");
    assert!(error.to_string().contains("is down (status 503)"), "{error}");
}

#[tokio::test]
async fn a_host_that_asks_for_an_hour_is_not_asked_for_other_pages() {
    let an_hour = |status| ResponseTemplate::new(status).insert_header("retry-after", "3600");
    for status in [429, 503] {
        let host = host(&[("/a", an_hour(status)), ("/b", html(ARTICLE))]).await;
        let pages = Pages::new(PageOptions::default().exempt(&host.address().to_string())).unwrap();
        for page in ["a", "b"] {
            let error = pages.fetch(&format!("{}/{page}", host.uri())).await.unwrap_err();
            assert!(
                matches!(error, PageError::Busy { status: told, until: Some(_) } if told == status),
                "{page}: {error:?}"
            );
            assert!(error.to_string().contains("try again after") && error.is_retryable(), "{error}");
        }
        let requests = host.received_requests().await.unwrap();
        let asked: Vec<&str> =
            requests.iter().map(|sent| sent.url.path()).filter(|path| *path != "/robots.txt").collect();
        assert_eq!(asked, ["/a"], "once, and the other page not at all");
    }
}

#[tokio::test]
async fn a_page_that_did_not_change_is_not_sent_again() {
    let host = MockServer::start().await;
    let same = ResponseTemplate::new(304).insert_header("etag", "\"one\"");
    Mock::given(path("/log")).and(header("if-none-match", "\"one\"")).respond_with(same).mount(&host).await;
    Mock::given(path("/log")).respond_with(html(ARTICLE).insert_header("etag", "\"one\"")).mount(&host).await;
    let pages = Pages::new(PageOptions::default().exempt(&host.address().to_string())).unwrap();
    let address = format!("{}/log", host.uri());
    let first = pages.fetch(&address).await.unwrap();
    assert_eq!(pages.fetch(&address).await.unwrap(), first);
    let requests = host.received_requests().await.unwrap();
    let of_page: Vec<bool> = requests
        .iter()
        .filter(|sent| sent.url.path() == "/log")
        .map(|sent| sent.headers.contains_key("if-none-match"))
        .collect();
    assert_eq!(of_page, [false, true]);
}
