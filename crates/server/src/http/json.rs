//! JSON in and out.

use std::error::Error;

use axum::body::{Body, Bytes};
use axum::extract::rejection::BytesRejection;
use axum::extract::{FromRequest, Request};
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tower_http::timeout::TimeoutError;

use super::problem::Problem;

/// A body of JSON, read from a request or written to an answer.
///
/// A request needs no content type. An empty body is read as `null`: `Json<Option<T>>` takes it and `Json<T>` of an
/// object does not. Any method may have a body, DELETE as well.
///
/// # Errors
/// 413 for a body over the limit; 408 for one that does not come; 422 `Invalid JSON in request body` for what is no JSON; 422 with the JSON path for a
/// field that is not as asked; 422 for JSON that is nested too deeply. No error repeats the whole body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Json<T>(pub(crate) T);

/// How deeply JSON may be nested, carried by every request that passed the guard.
#[derive(Clone, Copy, Debug)]
pub(crate) struct JsonDepth(pub(crate) usize);

/// Arrays and objects within each other are fewer than this: what a client gives is stored as a part of something larger, and must
/// be read again.
pub(crate) const MAX_JSON_DEPTH: usize = graphloom_core_graph::MOST_LEVELS;

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let depth = request.extensions().get::<JsonDepth>().map_or(MAX_JSON_DEPTH, |depth| depth.0);
        let body = Bytes::from_request(request, state).await.map_err(|rejection| unread(&rejection))?;
        parse(&body, depth).map(Self)
    }
}

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        match serde_json::to_vec(&self.0) {
            Ok(body) => {
                let mut response = Response::new(Body::from(body));
                response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
                response
            }
            Err(error) => {
                tracing::error!(%error, "an answer could not be written as JSON");
                Problem::internal().into_response()
            }
        }
    }
}

/// Why a body was not read to its end.
fn unread(rejection: &BytesRejection) -> Problem {
    if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE {
        return Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "Request body is larger than this server takes");
    }
    let mut cause: Option<&dyn Error> = Some(rejection);
    while let Some(error) = cause {
        if error.is::<TimeoutError>() {
            return Problem::new(StatusCode::REQUEST_TIMEOUT, "Request body did not arrive in time");
        }
        cause = error.source();
    }
    Problem::bad_request("Request body could not be read to its end")
}

/// Whether a body is JSON, whatever it says.
fn is_json(body: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(body).is_ok()
}

/// Reads a body as a `T`; `depth` is the number of levels that arrays and objects must stay below.
pub(crate) fn parse<T: DeserializeOwned>(body: &[u8], depth: usize) -> Result<T, Problem> {
    let (body, is_empty) = if body.is_empty() { (&b"null"[..], true) } else { (body, false) };
    check_depth(body, depth.min(MAX_JSON_DEPTH))?;
    let mut reader = serde_json::Deserializer::from_slice(body);
    let value = serde_path_to_error::deserialize(&mut reader).map_err(|error| {
        let path = error.path().to_string();
        match error.inner().classify() {
            // A field is named only in what is JSON to its end.
            serde_json::error::Category::Data if is_empty || !is_json(body) => invalid_json(),
            serde_json::error::Category::Data => at_path("request body", &path, &error.into_inner().to_string()),
            _ => unreadable(error.inner()),
        }
    })?;
    reader.end().map_err(|_| invalid_json())?;
    Ok(value)
}

/// 422 for a field, named by its path.
pub(crate) fn at_path(place: &str, path: &str, message: &str) -> Problem {
    // A message may quote what the client sent, and that may be of any length.
    let message: String = message.chars().take(500).collect();
    if matches!(path, "." | "?") {
        return Problem::unprocessable(format!("Invalid {place}: {message}"));
    }
    Problem::unprocessable(format!("Invalid {place} at `{path}`: {message}")).about(path)
}

fn invalid_json() -> Problem {
    Problem::unprocessable("Invalid JSON in request body")
}

/// 422 for what is no JSON; of a text or a number that JSON can write and no program can hold it is said what is wrong.
fn unreadable(error: &serde_json::Error) -> Problem {
    let message = error.to_string();
    if ["surrogate", "hex escape", "out of range"].iter().any(|what| message.contains(what)) {
        return Problem::unprocessable(format!("Invalid JSON in request body: {message}"));
    }
    invalid_json()
}

/// Refuses text whose brackets are nested `limit` levels deep or deeper, without a parse.
fn check_depth(body: &[u8], limit: usize) -> Result<(), Problem> {
    let mut depth = 0_usize;
    let mut bytes = body.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => skip_string(&mut bytes),
            b'[' | b'{' => {
                depth += 1;
                if depth >= limit {
                    let detail =
                        format!("Request body is nested too deeply: arrays and objects must stay below {limit} levels");
                    return Err(Problem::unprocessable(detail));
                }
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    Ok(())
}

fn skip_string(bytes: &mut std::slice::Iter<'_, u8>) {
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => return,
            b'\\' => drop(bytes.next()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::Value;

    use super::{at_path, parse};

    #[derive(Debug, Deserialize)]
    struct Search {
        #[expect(dead_code, reason = "only its type is looked at")]
        limit: u32,
    }

    fn refused<T: serde::de::DeserializeOwned + std::fmt::Debug>(body: &str) -> String {
        parse::<T>(body.as_bytes(), 128).expect_err("a refusal").detail.into_owned()
    }

    #[test]
    fn what_is_wrong_is_named_by_its_path() {
        assert_eq!(refused::<Value>("{"), "Invalid JSON in request body");
        assert_eq!(refused::<Value>("{} {}"), "Invalid JSON in request body");
        assert_eq!(refused::<Value>("\u{feff}{}"), "Invalid JSON in request body");
        assert_eq!(refused::<Search>(""), "Invalid JSON in request body");
        assert_eq!(refused::<Search>(r#"{"a":1}}"#), "Invalid JSON in request body");
        let half = refused::<Value>(r#"["\ud800"]"#);
        assert!(half.starts_with("Invalid JSON in request body: ") && half.contains("hex escape"), "{half}");
        assert!(refused::<Value>("[1e400]").contains("number out of range"), "{}", refused::<Value>("[1e400]"));
        let nested = refused::<Vec<Search>>(r#"[{"limit":1},{"limit":"x"}]"#);
        assert!(
            nested.starts_with("Invalid request body at `[1].limit`: invalid type: string \"x\", expected u32"),
            "{nested}"
        );
        assert!(parse::<Option<Search>>(b"", 128).expect("an empty body").is_none());
        assert!(at_path("query", "limit", &"x".repeat(10_000)).detail.len() < 600);
    }

    #[test]
    fn depth_is_counted_outside_of_strings() {
        let nested = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        assert!(parse::<Value>(nested(99).as_bytes(), 128).is_ok());
        assert!(refused::<Value>(&nested(100)).contains("below 100 levels"));
        assert!(refused::<Value>(&"[".repeat(1_000_000)).contains("below 100 levels"));
        assert!(parse::<Value>(br#"["[[[\"[[["]"#, 3).is_ok());
        assert!(parse::<Value>(b"[[[]]]", 3).is_err());
    }
}
