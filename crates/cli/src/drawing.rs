//! The forms of a drawing.

use clap::ValueEnum;
use graphloom_core_graph::diagram::{Diagram, Marks};
use layout::backends::svg::SVGWriter;
use layout::gv::{DotParser, GraphBuilder};

use crate::{CliError, ExitStatus, Failure, Session};

/// The forms of a drawing of a graph.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GraphFormat {
    /// Mermaid
    #[default]
    Mermaid,
    /// GraphViz
    Dot,
    /// JSON
    Json,
    /// A drawing
    Svg,
}

impl GraphFormat {
    /// Draws a graph.
    ///
    /// # Errors
    /// [`CliError::Drawing`].
    pub fn draw(self, diagram: &Diagram) -> Result<String, CliError> {
        self.draw_marked(diagram, &Marks::new())
    }

    /// Draws a graph with marks. JSON has none.
    ///
    /// # Errors
    /// As [`draw`](Self::draw).
    pub fn draw_marked(self, diagram: &Diagram, marks: &Marks) -> Result<String, CliError> {
        match self {
            Self::Mermaid => Ok(diagram.mermaid_marked(marks)),
            Self::Dot => Ok(diagram.dot_marked(marks)),
            Self::Json => Ok(format!("{:#}", diagram.json())),
            Self::Svg => svg(&diagram.dot_marked(marks)),
        }
    }

    /// Draws a graph and prints the drawing as the result.
    ///
    /// # Errors
    /// As [`draw`](Self::draw); a result that cannot be written.
    pub fn print(self, diagram: &Diagram, session: &Session) -> Result<ExitStatus, Failure> {
        let drawn = self.draw(diagram)?;
        session.progress.result(ExitStatus::Done, &drawn, &drawn)?;
        Ok(ExitStatus::Done)
    }

    /// What begins a line of comment; `None` where there are no comments.
    pub fn comment(self) -> Option<&'static str> {
        match self {
            Self::Mermaid => Some("%%"),
            Self::Dot => Some("//"),
            Self::Json | Self::Svg => None,
        }
    }
}

/// Lays DOT out as SVG.
///
/// # Errors
/// [`CliError::Drawing`] for DOT that cannot be read.
pub fn svg(dot: &str) -> Result<String, CliError> {
    let graph = DotParser::new(dot).process().map_err(|message| CliError::Drawing { message })?;
    let mut builder = GraphBuilder::new();
    builder.visit_graph(&graph);
    let mut drawn = builder.get();
    let mut writer = SVGWriter::new();
    drawn.do_it(false, false, false, &mut writer);
    Ok(writer.finalize())
}
