//! The picture of a thread's state, where whoever serves its graph draws one. The route is of no protocol but the server's own.

use axum::extract::State;
use axum::http::HeaderName;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};

use crate::host::Host;
use crate::http::{Path, Problem, Query, Routes, ThreadUuid};
use crate::langgraph::{CheckpointName, values_at};

const SVG: &str = "image/svg+xml";

/// A picture that is opened by itself shows what it is, and runs and loads nothing.
const HEADERS: [(HeaderName, &str); 2] = [(CONTENT_TYPE, SVG), (CONTENT_SECURITY_POLICY, "default-src 'none'")];

/// The route of pictures.
pub(crate) fn routes() -> Routes<Host> {
    Routes::new("Pictures")
        .get("/threads/{thread_id}/picture", "A picture of the state, as SVG", picture)
        .answers_media(SVG)
}

async fn picture(
    State(host): State<Host>,
    Path(ThreadUuid(thread)): Path<ThreadUuid>,
    Query(at): Query<CheckpointName>,
) -> Result<Response, Problem> {
    let (graph, values) = values_at(&host, thread, &at).await?;
    let none = || Problem::not_found("No picture is made of this state");
    let draw = graph.outline().pictures.of(at.ns()).cloned().ok_or_else(none)?;
    let drawn = tokio::task::spawn_blocking(move || draw(&values)).await.map_err(|error| error.to_string());
    match drawn.and_then(|drawn| drawn) {
        Ok(svg) => Ok((HEADERS, svg.ok_or_else(none)?).into_response()),
        Err(error) => {
            tracing::error!(%thread, error, "the picture of a state cannot be made");
            Err(Problem::internal())
        }
    }
}
