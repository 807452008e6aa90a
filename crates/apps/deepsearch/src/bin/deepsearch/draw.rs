//! Drawings of the graphs.

use graphloom_cli::{ExitStatus, Failure, Session};
use graphloom_core_graph::Diagram;
use layout::backends::svg::SVGWriter;
use layout::gv::{DotParser, GraphBuilder};
use serde_json::json;

use crate::args::GraphFormat;

/// Draws one graph or all of them.
pub(crate) fn graph(session: &Session, format: GraphFormat, only: Option<String>) -> Result<ExitStatus, Failure> {
    let mut diagrams = graphloom_deepsearch::graph::diagrams()?;
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

fn draw(diagram: &Diagram, format: GraphFormat) -> Result<String, Failure> {
    Ok(match format {
        GraphFormat::Mermaid => format!("%% {}\n{}", diagram.name, diagram.mermaid()),
        GraphFormat::Dot => format!("// {}\n{}", diagram.name, diagram.dot()),
        GraphFormat::Json => serde_json::to_string_pretty(&diagram.json())?,
        GraphFormat::Svg => svg(&diagram.dot())?,
    })
}

/// Lays DOT out as SVG.
fn svg(dot: &str) -> Result<String, Failure> {
    let parsed = DotParser::new(dot).process();
    let graph = parsed
        .map_err(|message| Failure::new(ExitStatus::Failed, format!("the drawing cannot be laid out: {message}")))?;
    let mut builder = GraphBuilder::new();
    builder.visit_graph(&graph);
    let mut drawn = builder.get();
    let mut writer = SVGWriter::new();
    drawn.do_it(false, false, false, &mut writer);
    Ok(writer.finalize())
}
