//! Pages: files that the server gives to browsers, beside its protocols.
//!
//! A page is a program in a browser that works with the server as any other client does: it is open to everybody, and its
//! requests carry the key. It runs under a policy that lets it load its own files and call its own server, and nothing else.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH, LOCATION, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, Uri};
use axum::response::Response;

use crate::http::{Path, Problem, Routes};

/// What a page may load and call: its own files, pictures that it makes itself, its own server. It may be in no frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// What is sent with every answer of a page. A browser asks each time whether its copy is still right.
const HEADERS: [(HeaderName, &str); 5] = [
    (CONTENT_SECURITY_POLICY, POLICY),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (CACHE_CONTROL, "no-cache"),
];

/// A page: an HTML file, and the files that it loads. See [`Server::page`](crate::Server::page).
///
/// ```
/// use graphloom_server::{Page, Server};
///
/// let page = Page::new(b"<!doctype html><title>Hello</title><script src=\"hello.js\"></script>").file(
///     "hello.js",
///     "text/javascript",
///     b"document.body.append('hello')",
/// );
/// let server = Server::new().page("/hello", page);
/// ```
#[derive(Clone, Debug)]
pub struct Page {
    index: PageFile,
    files: BTreeMap<String, PageFile>,
}

/// One file of a page.
#[derive(Clone, Debug)]
struct PageFile {
    media_type: &'static str,
    content: Bytes,
    /// A hash of the content, as `ETag` has it.
    tag: String,
}

/// Why a page cannot be where it is to be.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum MountError {
    #[error("write it as `/studio`: letters, digits, `-` and `_` after one `/` or several")]
    Malformed,
    #[error("the server answers below `/{0}` already")]
    Taken(String),
}

impl Page {
    /// A page of one HTML file, in UTF-8.
    pub fn new(index: impl Into<Cow<'static, [u8]>>) -> Self {
        Self { index: PageFile::new("text/html; charset=utf-8", index.into()), files: BTreeMap::new() }
    }

    /// Adds a file, which the page finds under this name beside itself: `studio.js`, or `pictures/studio.svg`. The media type is
    /// sent as it is. A browser runs scripts of `text/javascript` only, and applies styles of `text/css` only.
    #[must_use]
    pub fn file(mut self, name: &str, media_type: &'static str, content: impl Into<Cow<'static, [u8]>>) -> Self {
        self.files.insert(name.to_owned(), PageFile::new(media_type, content.into()));
        self
    }
}

impl PageFile {
    fn new(media_type: &'static str, content: Cow<'static, [u8]>) -> Self {
        let tag = format!("\"{}\"", &blake3::hash(&content).to_hex()[..32]);
        let content = match content {
            Cow::Borrowed(content) => Bytes::from_static(content),
            Cow::Owned(content) => content.into(),
        };
        Self { media_type, content, tag }
    }

    /// The answer with the file, or without it for a browser that has it.
    fn answer(&self, request: &HeaderMap) -> Response {
        let mut response = if self.is_known(request) {
            let mut response = Response::new(Body::empty());
            *response.status_mut() = StatusCode::NOT_MODIFIED;
            response
        } else {
            let mut response = Response::new(Body::from(self.content.clone()));
            set(&mut response, CONTENT_TYPE, self.media_type);
            response
        };
        set(&mut response, ETAG, &self.tag);
        guarded(response)
    }

    /// Whether a browser says that it has the file as it is (RFC 9110, section 13.1.2).
    fn is_known(&self, request: &HeaderMap) -> bool {
        let lists = request.get_all(IF_NONE_MATCH).iter().filter_map(|list| list.to_str().ok());
        let mut tags = lists.flat_map(|list| list.split(',')).map(str::trim);
        tags.any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == self.tag)
    }
}

/// A header; none for a value that a header cannot have.
fn set(response: &mut Response, name: HeaderName, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        response.headers_mut().insert(name, value);
    }
}

fn guarded(mut response: Response) -> Response {
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// The routes of a page at a path: the path leads to the page, which is one `/` below it, with its files.
///
/// # Errors
/// [`MountError`]: a path that is none, or whose first segment is one of `taken`.
pub(crate) fn routes(mount: &str, page: Page, taken: &[&str]) -> Result<Routes<()>, MountError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let segments = mount.strip_prefix('/').ok_or(MountError::Malformed)?;
    if segments.split('/').any(|segment| segment.is_empty() || !segment.chars().all(is_plain)) {
        return Err(MountError::Malformed);
    }
    let first = segments.split('/').next().unwrap_or_default();
    if taken.contains(&first) {
        return Err(MountError::Taken(first.to_owned()));
    }
    let routes = Routes::new("Pages")
        .get(mount.to_owned(), "Leads to a page", lead)
        .answers_status(StatusCode::TEMPORARY_REDIRECT)
        .open()
        .get(format!("{mount}/"), "A page", index)
        .answers_media("text/html")
        .open()
        .get(format!("{mount}/{{*file}}"), "A file of a page", file)
        .answers_media("application/octet-stream")
        .open();
    Ok(routes.with_state(&Arc::new(page)))
}

/// The address is told from the last segment on, whatever stands before it where a proxy is in between.
async fn lead(uri: Uri) -> Response {
    let last = uri.path().rsplit('/').next().unwrap_or_default();
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::TEMPORARY_REDIRECT;
    set(&mut response, LOCATION, &format!("{last}/{query}"));
    guarded(response)
}

async fn index(State(page): State<Arc<Page>>, headers: HeaderMap) -> Response {
    page.index.answer(&headers)
}

async fn file(
    State(page): State<Arc<Page>>,
    Path(name): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let file = page.files.get(&name).ok_or_else(|| Problem::not_found("The page has no such file"))?;
    Ok(file.answer(&headers))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Server;
    use crate::http::{Keys, Security};
    use crate::running::Running;
    use crate::start_error::StartError;

    fn page() -> Page {
        Page::new(b"<!doctype html><title>Hello</title>".as_slice())
            .file("hello.js", "text/javascript", b"hello()".as_slice())
            .file("pictures/a.svg", "image/svg+xml", "<svg/>".as_bytes().to_vec())
    }

    async fn started(mount: &str, with_keys: bool) -> Result<Running, StartError> {
        // Sees to it that the process has its cryptography, without which no client is made.
        drop(graphloom_http::unproxied("test"));
        let mut security = Security::at(([127, 0, 0, 1], 0).into());
        if with_keys {
            security.keys = Keys::from_text("studio read,run v4ZbmJ1kQ0yT7uXc").unwrap();
        }
        Server::new().demo().unwrap().page(mount, page()).start(security).await
    }

    async fn send(running: &Running, method: &str, path: &str, headers: &[(&str, &str)]) -> reqwest::Response {
        let client = graphloom_http::unproxied("test").redirect(reqwest::redirect::Policy::none()).build().unwrap();
        let mut request = client.request(method.parse().unwrap(), format!("http://{}{path}", running.address()));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        request.send().await.unwrap()
    }

    fn header<'r>(response: &'r reqwest::Response, name: &str) -> &'r str {
        response.headers().get(name).map_or("", |value| value.to_str().unwrap())
    }

    #[tokio::test]
    async fn a_page_is_open_to_everybody_and_runs_under_its_policy() {
        let running = started("/ui/hello", true).await.unwrap();
        let files = [
            ("/ui/hello/", "text/html; charset=utf-8", "<!doctype html><title>Hello</title>"),
            ("/ui/hello/hello.js", "text/javascript", "hello()"),
            ("/ui/hello/pictures/a.svg", "image/svg+xml", "<svg/>"),
        ];
        for (path, media_type, content) in files {
            let response = send(&running, "GET", path, &[]).await;
            assert_eq!((response.status().as_u16(), header(&response, "content-type")), (200, media_type), "{path}");
            for (name, value) in HEADERS {
                assert_eq!(header(&response, name.as_str()), value, "{path}");
            }
            let length = content.len().to_string();
            assert_eq!(response.text().await.unwrap(), content);
            let head = send(&running, "HEAD", path, &[]).await;
            assert_eq!((head.status().as_u16(), header(&head, "content-length")), (200, length.as_str()), "{path}");
            assert_eq!(head.text().await.unwrap(), "");
        }
        let lead = send(&running, "GET", "/ui/hello?server=a", &[]).await;
        assert_eq!((lead.status().as_u16(), header(&lead, "location")), (307, "hello/?server=a"));
        assert_eq!(header(&lead, "content-security-policy"), POLICY);
        for missing in ["/ui/hello/other.js", "/ui/hello/../hello/none", "/ui/hello/pictures/"] {
            let response = send(&running, "GET", missing, &[("x-api-key", "v4ZbmJ1kQ0yT7uXc")]).await;
            assert_eq!(response.status().as_u16(), 404, "{missing}");
        }
        let key = [("x-api-key", "v4ZbmJ1kQ0yT7uXc")];
        assert_eq!(send(&running, "POST", "/ui/hello/", &key).await.status().as_u16(), 405);
        // What the page asks for needs the key, as ever, and so does a method that the page has not.
        assert_eq!(send(&running, "POST", "/threads/search", &[]).await.status().as_u16(), 401);
        assert_eq!(send(&running, "DELETE", "/ui/hello/hello.js", &[]).await.status().as_u16(), 401);
    }

    #[tokio::test]
    async fn a_browser_that_has_a_file_is_told_so() {
        let running = started("/hello", false).await.unwrap();
        let first = send(&running, "GET", "/hello/hello.js", &[]).await;
        let tag = header(&first, "etag").to_owned();
        let other = send(&running, "GET", "/hello/", &[]).await;
        assert!(tag.len() == 34 && tag != header(&other, "etag"), "{tag}");
        let (weak, listed) = (format!("W/{tag}"), format!("\"other\", {tag}"));
        let cases = [(tag.as_str(), 304), (&weak, 304), (&listed, 304), ("*", 304), ("\"other\"", 200), ("", 200)];
        for (known, status) in cases {
            let response = send(&running, "GET", "/hello/hello.js", &[("if-none-match", known)]).await;
            assert_eq!(response.status().as_u16(), status, "{known}");
            assert_eq!((header(&response, "etag"), header(&response, "cache-control")), (tag.as_str(), "no-cache"));
            assert_eq!(response.text().await.unwrap().is_empty(), status == 304);
        }
    }

    #[tokio::test]
    async fn hosts_and_origins_count_for_a_page_as_for_all_else() {
        let running = started("/hello", false).await.unwrap();
        for (name, value, status) in [
            ("host", "evil.example.org", 421),
            ("origin", "https://evil.example.org", 403),
            ("origin", "http://localhost:3000", 200),
        ] {
            for path in ["/hello/", "/hello/hello.js"] {
                assert_eq!(send(&running, "GET", path, &[(name, value)]).await.status().as_u16(), status, "{value}");
            }
        }
    }

    #[tokio::test]
    async fn a_page_is_not_put_where_something_is() {
        let taken = ["/threads", "/threads/x", "/ok/page", "/metrics", "/openapi.json", "/mcp", "/.well-known"];
        for mount in ["", "/", "hello", "/hello/", "//hello", "/{x}", "/a b", "/ä"].into_iter().chain(taken) {
            let error = started(mount, false).await.expect_err(mount);
            let is_told = matches!(&error, StartError::Page { mount: told, .. } if told == mount);
            assert!(is_told, "{mount}: {error}");
        }
        let server = Server::new().page("/hello", page()).page("/hello", page());
        let error = server.start(Security::at(([127, 0, 0, 1], 0).into())).await.expect_err("twice");
        let expected = "no page can be at `/hello`: the server answers below `/hello` already";
        assert_eq!(error.to_string(), expected);
    }

    #[tokio::test]
    async fn pages_are_in_the_list_of_routes() {
        let running = started("/hello", false).await.unwrap();
        let document = send(&running, "GET", "/openapi.json", &[]).await.text().await.unwrap();
        let document: serde_json::Value = serde_json::from_str(&document).unwrap();
        assert!(document["paths"]["/hello/"]["get"].get("security").is_none(), "a page needs no key");
        assert!(document["paths"]["/hello/{file}"]["get"].is_object());
    }
}
