//! Drawings: the tree of a run, the graph of the planner.

use std::path::Path;

use graphloom_cli::{CliError, CommonArgs, ExitStatus, Failure, Session, private};
use graphloom_writehere::picture;
use serde_json::json;

use crate::args::{GraphFormat, TreeArgs, TreeFormat};
use crate::open::find;

/// Draws the tree of a run, as it is or as it was.
pub(crate) async fn tree(common: &CommonArgs, session: &Session, args: TreeArgs) -> Result<ExitStatus, Failure> {
    let (run, newest) = find(common, &args.thread).await?;
    let state = match args.at {
        Some(number) => run.at(number).state().await?,
        None => newest,
    };
    let tree = &state.state.tree;
    let drawn = match args.format {
        TreeFormat::Text => tree.to_text(),
        TreeFormat::Mermaid => tree.to_mermaid(),
        TreeFormat::Dot => tree.to_dot(),
        TreeFormat::Json => serde_json::to_string_pretty(&tree.to_json())?,
        TreeFormat::Svg => picture::svg(&tree.to_dot())?,
        TreeFormat::Png => {
            let Some(file) = &args.file else {
                return Err(Failure::usage("a picture is not text; say where to write it with `--file FILE`"));
            };
            let (png, labelled) = picture::png(&picture::svg(&tree.to_dot())?)?;
            if !labelled {
                session
                    .progress
                    .warn("this machine has no fonts, so the picture has no labels; `--format svg` has them");
            }
            return put(session, file, &png);
        }
    };
    match &args.file {
        Some(file) => put(session, file, drawn.as_bytes()),
        None => {
            session.progress.result(ExitStatus::Done, &drawn, &drawn)?;
            Ok(ExitStatus::Done)
        }
    }
}

/// Draws the graph of the planner.
pub(crate) fn graph(session: &Session, format: GraphFormat) -> Result<ExitStatus, Failure> {
    let graph = graphloom_writehere::graph()?;
    let diagram = graph.diagram();
    let drawn = match format {
        GraphFormat::Mermaid => diagram.mermaid(),
        GraphFormat::Dot => diagram.dot(),
        GraphFormat::Json => serde_json::to_string_pretty(&diagram.json())?,
        GraphFormat::Svg => picture::svg(&diagram.dot())?,
    };
    session.progress.result(ExitStatus::Done, &drawn, &drawn)?;
    Ok(ExitStatus::Done)
}

fn put(session: &Session, file: &Path, bytes: &[u8]) -> Result<ExitStatus, Failure> {
    private::write(file, bytes).map_err(CliError::io("write", file))?;
    session.progress.result(ExitStatus::Done, &format!("written to `{}`", file.display()), &json!({ "file": file }))?;
    Ok(ExitStatus::Done)
}
