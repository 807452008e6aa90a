//! Pictures: the tree of a state as SVG, and SVG as PNG.

use graphloom_state_machine::NodeKey;
use resvg::{tiny_skia, usvg};
use serde::Deserialize;
use serde_json::Value;

use crate::task::Tree;

/// A drawing that cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PictureError {
    /// The SVG cannot be made a picture.
    #[error("the drawing cannot be made a picture: {message}")]
    Render {
        /// What the renderer says.
        message: String,
    },
}

/// The tree of a state of the graph as SVG, the drawing of `writehere tree --format svg`; none before it has a task.
///
/// # Errors
/// A tree that cannot be read.
pub fn tree_picture(state: &Value) -> Result<Option<String>, serde_json::Error> {
    let tree = Tree::deserialize(&state["tree"])?;
    Ok(tree.node(&NodeKey::root()).is_some().then(|| tree.draw().svg()))
}

/// Makes a picture of SVG, and tells whether there were fonts for its labels.
///
/// # Errors
/// SVG that cannot be read, or is too large.
pub fn png(svg: &str) -> Result<(Vec<u8>, bool), PictureError> {
    let render = |message: String| PictureError::Render { message };
    let mut options = usvg::Options::default();
    options.fontdb_mut().load_system_fonts();
    let labelled = !options.fontdb.is_empty();
    let family = options.fontdb.faces().find_map(|face| face.families.first().map(|(name, _)| name.clone()));
    if let Some(family) = family {
        // Drawings ask for Times or for any font without serifs; few machines have the families that stand for these.
        options.fontdb_mut().set_serif_family(family.clone());
        let mut names = options.fontdb.faces().filter_map(|face| face.families.first().map(|(name, _)| name.clone()));
        let sans = names.find(|name| name.contains("Sans") && !name.contains("Mono") && !name.contains("Narrow"));
        drop(names);
        options.fontdb_mut().set_sans_serif_family(sans.unwrap_or_else(|| family.clone()));
        options.font_family = family;
    }
    let tree = usvg::Tree::from_str(svg, &options).map_err(|error| render(error.to_string()))?;
    let size = tree.size().to_int_size();
    let mut picture = tiny_skia::Pixmap::new(size.width(), size.height())
        .ok_or_else(|| render(format!("it has {} x {} points", size.width(), size.height())))?;
    picture.fill(tiny_skia::Color::WHITE);
    resvg::render(&tree, tiny_skia::Transform::default(), &mut picture.as_mut());
    Ok((picture.encode_png().map_err(|error| render(error.to_string()))?, labelled))
}
