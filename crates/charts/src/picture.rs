//! Pictures of charts, for models that look at them.

use resvg::{tiny_skia, usvg};

use crate::error::ChartError;

/// A chart as a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Picture {
    /// The picture as PNG.
    pub bytes: Vec<u8>,
    /// Whether there were fonts for the labels. Without, the picture has none, and nobody should judge it.
    pub is_labelled: bool,
}

/// Makes a picture of SVG, on white, in the size of the chart. The fonts are those of the system.
///
/// # Errors
/// [`ChartError::Drawing`] for SVG that cannot be read, or is too large.
pub fn png(svg: &str) -> Result<Picture, ChartError> {
    let failed = |reason: String| ChartError::Drawing { reason };
    let mut options = usvg::Options::default();
    options.fontdb_mut().load_system_fonts();
    let is_labelled = !options.fontdb.is_empty();
    let family = options.fontdb.faces().find_map(|face| face.families.first().map(|(name, _)| name.clone()));
    if let Some(family) = family {
        options.fontdb_mut().set_sans_serif_family(family.clone());
        options.font_family = family;
    }
    let tree = usvg::Tree::from_str(svg, &options).map_err(|error| failed(error.to_string()))?;
    let size = tree.size().to_int_size();
    let mut picture = tiny_skia::Pixmap::new(size.width(), size.height())
        .ok_or_else(|| failed(format!("it has {} x {} points", size.width(), size.height())))?;
    picture.fill(tiny_skia::Color::WHITE);
    resvg::render(&tree, tiny_skia::Transform::default(), &mut picture.as_mut());
    let bytes = picture.encode_png().map_err(|error| failed(error.to_string()))?;
    Ok(Picture { bytes, is_labelled })
}
