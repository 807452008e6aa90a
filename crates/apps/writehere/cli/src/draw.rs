//! Drawings of the tree of a run.

use graphloom_cli::{CliError, ExitStatus, Failure, Session, private};
use graphloom_state_machine::Drawing;
use graphloom_writehere::{Task, picture};
use serde_json::json;
use tokio::task::spawn_blocking;

use crate::args::{TreeArgs, TreeFormat};
use crate::columns::columns;
use crate::inspect::key_of;
use crate::open::runs;

/// Draws the tree of a run, as it is or as it was.
pub(crate) async fn tree(session: &Session, args: TreeArgs) -> Result<ExitStatus, Failure> {
    let (run, newest) = runs(session).find(&args.thread).await?;
    let state = match args.at {
        Some(number) => run.at(number).state().await?,
        None => newest,
    };
    if args.format == TreeFormat::Png && args.file.is_none() {
        return Err(Failure::usage("a picture is not text; say where to write it with `--file FILE`"));
    }
    let node = args.node.as_deref().map(|node| key_of(&state.state, node)).transpose()?;
    let to = args.file.clone();
    // A large picture takes its time. It is made apart from the task that listens to signals, so that one ends it.
    let drawn = spawn_blocking(move || {
        let mut drawing = state.state.tree.draw();
        if let Some(node) = node {
            drawing = drawing.of(node);
        }
        if let Some(depth) = args.depth {
            drawing = drawing.layers(depth);
        }
        if let Some(columns) = columns(&std::io::stdout()).filter(|_| args.file.is_none()) {
            drawing = drawing.columns(columns);
        }
        let drawn = draw(&drawing, args.format)?;
        if let Some(file) = &args.file {
            private::write(file, &drawn.bytes).map_err(CliError::io("write", file))?;
        }
        Ok::<_, Failure>(drawn)
    });
    let drawn = drawn.await.map_err(|error| Failure::new(ExitStatus::Failed, error))??;
    if !drawn.labelled {
        session.progress.warn("this machine has no fonts, so the picture has no labels; `--format svg` has them");
    }
    match &to {
        Some(file) => {
            let text = format!("written to `{}`", file.display());
            session.progress.result(ExitStatus::Done, &text, &json!({ "file": file }))?;
        }
        None => {
            let text = String::from_utf8_lossy(&drawn.bytes);
            session.progress.result(ExitStatus::Done, &text, &text)?;
        }
    }
    Ok(ExitStatus::Done)
}

/// A drawing as it is written.
struct Drawn {
    bytes: Vec<u8>,
    /// Whether there were fonts for the labels of a picture.
    labelled: bool,
}

fn draw(drawing: &Drawing<'_, Task>, format: TreeFormat) -> Result<Drawn, Failure> {
    let text = match format {
        TreeFormat::Text => drawing.text(),
        TreeFormat::Mermaid => drawing.mermaid(),
        TreeFormat::Dot => drawing.dot(),
        TreeFormat::Json => serde_json::to_string_pretty(&drawing.json())?,
        TreeFormat::Svg => drawing.svg(),
        TreeFormat::Png => {
            let (bytes, labelled) = picture::png(&drawing.svg())?;
            return Ok(Drawn { bytes, labelled });
        }
    };
    Ok(Drawn { bytes: text.into_bytes(), labelled: true })
}
