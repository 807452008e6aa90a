//! The drawing of an assistant's graph, laid out. The route is of no protocol but the server's own.

use std::sync::Arc;

use axum::extract::State;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::host::Host;
use crate::http::{Json, Path, Problem, Query, Routes};
use crate::layout::{Direction, Drawing, OpenSubgraphs};

/// The route of drawings.
pub(crate) fn routes() -> Routes<Host> {
    Routes::new("Drawings")
        .get("/assistants/{assistant_id}/drawing", "An assistant's graph, laid out to be drawn", drawing)
        .answers::<Drawing>()
}

#[derive(Deserialize, JsonSchema)]
struct DrawingQuery {
    /// The ids of subgraphs that are drawn with the nodes inside them, repeated or with commas between. One that is in another
    /// has that one open as well.
    #[serde(default)]
    open: Vec<String>,
    /// The way that edges lead: `TB`, which is the default, from top to bottom, or `LR` from left to right.
    #[serde(default)]
    direction: Direction,
}

async fn drawing(
    State(host): State<Host>,
    Path(id): Path<String>,
    Query(query): Query<DrawingQuery>,
) -> Result<Json<Arc<Drawing>>, Problem> {
    let assistant = host.assistant(&id).await?;
    let graph = host.manager.graph(&assistant.graph_id).map(Arc::clone);
    let graph = graph.ok_or_else(|| Problem::not_found(format!("Graph `{}` is not served", assistant.graph_id)))?;
    let open = OpenSubgraphs::read(&query.open, &graph.outline().diagram)
        .map_err(|error| Problem::unprocessable(error.to_string()).about("open"))?;
    let drawn = tokio::task::spawn_blocking(move || {
        let outline = graph.outline();
        outline.drawings.get(&outline.diagram, open, query.direction)
    });
    drawn.await.map(Json).map_err(|error| {
        tracing::error!(%error, "a graph could not be drawn");
        Problem::internal()
    })
}
