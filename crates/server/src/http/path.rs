//! What the segments of a path name.

use axum::extract::{FromRequestParts, RawPathParams};
use axum::http::request::Parts;
use serde_json::{Value, json};
use uuid::Uuid;

use super::problem::Problem;

/// The variable segments of a path, in the order of the template, percent-decoded.
///
/// `Path<ThreadUuid>`, `Path<(ThreadUuid, RunUuid)>`, `Path<String>`.
///
/// # Errors
/// 422 `Invalid thread ID: must be a UUID`, with the kind of the segment; 422 for a segment that is not UTF-8.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Path<T>(pub(crate) T);

/// One variable segment.
pub(crate) trait Segment: Sized {
    /// Reads the segment.
    fn parse(text: &str) -> Result<Self, Problem>;

    /// Its JSON Schema, for the `OpenAPI` document.
    fn schema() -> Value;
}

/// All variable segments of a template.
pub(crate) trait Segments: Sized {
    /// Reads them in their order.
    fn parse(texts: &mut dyn Iterator<Item = &str>) -> Result<Self, Problem>;

    /// Their JSON Schemas in the same order.
    fn schemas() -> Vec<Value>;
}

impl<T: Segments, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let segments = RawPathParams::from_request_parts(parts, state)
            .await
            .map_err(|_| Problem::unprocessable("A segment of the path is not UTF-8"))?;
        T::parse(&mut segments.iter().map(|(_, text)| text)).map(Self)
    }
}

impl Segment for String {
    fn parse(text: &str) -> Result<Self, Problem> {
        Ok(text.to_owned())
    }

    fn schema() -> Value {
        json!({ "type": "string" })
    }
}

macro_rules! segments {
    ($($part:ident)+) => {
        impl<$($part: Segment),+> Segments for ($($part,)+) {
            fn parse(texts: &mut dyn Iterator<Item = &str>) -> Result<Self, Problem> {
                Ok(($($part::parse(texts.next().unwrap_or_default())?,)+))
            }

            fn schemas() -> Vec<Value> {
                vec![$($part::schema()),+]
            }
        }
    };
}

segments!(A);
segments!(A B);
segments!(A B C);

impl<A: Segment> Segments for A {
    fn parse(texts: &mut dyn Iterator<Item = &str>) -> Result<Self, Problem> {
        A::parse(texts.next().unwrap_or_default())
    }

    fn schemas() -> Vec<Value> {
        vec![A::schema()]
    }
}

macro_rules! uuids {
    ($($(#[$doc:meta])* $name:ident $kind:literal;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub(crate) struct $name(pub(crate) Uuid);

        impl Segment for $name {
            fn parse(text: &str) -> Result<Self, Problem> {
                uuid_of($kind, text).map(Self)
            }

            fn schema() -> Value {
                json!({ "type": "string", "format": "uuid" })
            }
        }
    )*};
}

uuids! {
    /// The id of a thread in a path.
    ThreadUuid "thread";
    /// The id of a run in a path.
    RunUuid "run";
    /// The id of an assistant in a path.
    AssistantUuid "assistant";
    /// The id of a cron in a path.
    CronUuid "cron";
    /// The id of a checkpoint in a path.
    CheckpointUuid "checkpoint";
}

/// Reads an id that must be a UUID, wherever it stands; `kind` is the word of the refusal.
pub(crate) fn uuid_of(kind: &str, text: &str) -> Result<Uuid, Problem> {
    Uuid::try_parse(text).map_err(|_| Problem::unprocessable(format!("Invalid {kind} ID: must be a UUID")))
}
