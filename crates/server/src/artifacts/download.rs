//! How a client gets a document.

use axum::body::Body;
use axum::extract::State;
use axum::http::header::{
    CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};

use super::artifact::{Artifact, encoded};
use super::{ARTIFACTS, storage};
use crate::host::Host;
use crate::http::{Path, Problem, Routes, ThreadUuid};
use crate::refusal::Refusal;

pub(crate) fn routes() -> Routes<Host> {
    Routes::new("Artifacts")
        .get("/threads/{thread_id}/artifacts/{name}", "A document that a run of the thread made", download)
        .answers_media("application/octet-stream")
}

/// The name is looked up among those that the state of the thread lists, and is no path to anything.
async fn download(
    State(host): State<Host>,
    Path((thread, name)): Path<(ThreadUuid, String)>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    let thread = host.manager.records().threads.get(thread.0).await.map_err(Refusal::from)?;
    let listed = thread.values.get(ARTIFACTS).and_then(serde_json::Value::as_array);
    let artifact = listed.into_iter().flatten().find(|listed| listed["name"] == *name);
    let unknown = || Problem::not_found(format!("Thread {} has no artifact `{name}`", thread.thread_id));
    let artifact: Artifact = serde_json::from_value(artifact.ok_or_else(unknown)?.clone()).map_err(|_| unknown())?;
    let tag = HeaderValue::from_str(&format!("\"{}\"", artifact.hash)).map_err(|_| unknown())?;
    if headers.get(IF_NONE_MATCH) == Some(&tag) {
        return Ok((StatusCode::NOT_MODIFIED, [(ETAG, tag)]).into_response());
    }
    let store = &host.manager.stores().memory;
    let bytes = storage::read(&**store, &thread.thread_id.to_string(), &artifact.hash).await.map_err(Refusal::from)?;
    let mut response = Response::new(Body::from(bytes.ok_or_else(unknown)?));
    let to = response.headers_mut();
    let binary = || HeaderValue::from_static("application/octet-stream");
    to.insert(CONTENT_TYPE, HeaderValue::from_str(&artifact.media_type).unwrap_or_else(|_| binary()));
    to.insert(CONTENT_DISPOSITION, disposition(&artifact.name));
    to.insert(ETAG, tag);
    // A page that a model wrote is no page of this server: it is saved, and where it is shown all the same, it can do nothing.
    to.insert(
        CONTENT_SECURITY_POLICY,
        HeaderValue::from_static("sandbox; default-src 'none'; style-src 'unsafe-inline'"),
    );
    to.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    Ok(response)
}

/// As an attachment of this name (RFC 6266): in ASCII for old clients, and whole.
fn disposition(name: &str) -> HeaderValue {
    let is_plain = |c: char| c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '%' | ';') || c == ' ';
    let plain: String = name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    let value = format!("attachment; filename=\"{plain}\"; filename*=UTF-8''{}", encoded(name));
    HeaderValue::from_str(&value).unwrap_or_else(|_| HeaderValue::from_static("attachment"))
}

#[cfg(test)]
mod tests {
    use super::disposition;

    #[test]
    fn a_name_cannot_leave_its_quotes() {
        for (name, expected) in [
            ("report.md", r#"attachment; filename="report.md"; filename*=UTF-8''report.md"#),
            (r#"a"; x="b.md"#, r#"attachment; filename="a__ x=_b.md"; filename*=UTF-8''a%22%3B%20x%3D%22b.md"#),
            ("Bärte.md", "attachment; filename=\"B_rte.md\"; filename*=UTF-8''B%C3%A4rte.md"),
        ] {
            assert_eq!(disposition(name), expected);
        }
    }
}
