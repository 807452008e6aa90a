//! Drawings of the graphs.

use graphloom_cli::{CliError, ExitStatus, Failure, GraphFormat, Session};
use graphloom_core_graph::diagram::Diagram;
use serde_json::json;

/// Draws one graph or all of them.
pub(crate) fn graph(session: &Session, format: GraphFormat, only: Option<String>) -> Result<ExitStatus, Failure> {
    let mut diagrams = graphloom_deepsearch::graph::diagrams();
    if let Some(only) = only {
        let names: Vec<String> = diagrams.iter().map(|diagram| format!("`{}`", diagram.name)).collect();
        diagrams.retain(|diagram| diagram.name == only);
        if diagrams.is_empty() {
            return Err(Failure::usage(format!("there is no graph `{only}`; there are {}", names.join(", "))));
        }
    }
    let drawn: Vec<String> = diagrams.iter().map(|diagram| draw(diagram, format)).collect::<Result<_, _>>()?;
    let text = drawn.join("\n");
    let named: Vec<_> =
        diagrams.iter().zip(&drawn).map(|(diagram, drawn)| json!({ "name": diagram.name, "drawing": drawn })).collect();
    session.progress.result(ExitStatus::Done, &text, &named)?;
    Ok(ExitStatus::Done)
}

/// A drawing with the name of its graph, where its form has comments.
fn draw(diagram: &Diagram, format: GraphFormat) -> Result<String, CliError> {
    let drawn = format.draw(diagram)?;
    Ok(match format.comment() {
        Some(comment) => format!("{comment} {}\n{drawn}", diagram.name),
        None => drawn,
    })
}
