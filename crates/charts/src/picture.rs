//! Pictures of charts, for models that look at them.

use resvg::{tiny_skia, usvg};

use crate::error::ChartError;

/// Words in the names of families that have Chinese, Japanese and Korean characters.
const WIDE_FAMILIES: [&str; 14] = [
    "cjk",
    "han",
    "wenquanyi",
    "fallback",
    "unifont",
    "simsun",
    "simhei",
    "yahei",
    "pingfang",
    "heiti",
    "songti",
    "gothic",
    "mincho",
    "ming",
];

/// A chart as a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Picture {
    /// The picture as PNG.
    pub bytes: Vec<u8>,
    /// Whether there were fonts for the labels, as far as the names of the fonts tell. Without, labels are missing or
    /// are empty boxes, and nobody should judge the picture.
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
    let families: Vec<String> = options
        .fontdb
        .faces()
        .flat_map(|face| face.families.iter().map(|(name, _)| name.clone()))
        .collect();
    let is_wide = |name: &String| WIDE_FAMILIES.iter().any(|word| name.to_lowercase().contains(word));
    let needs_wide = svg.chars().any(|c| matches!(c, '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{d7a3}' | '\u{f900}'..='\u{faff}'));
    let is_labelled = !families.is_empty() && (!needs_wide || families.iter().any(is_wide));
    let sans = families.iter().find(|name| name.contains("Sans") && !name.contains("Mono"));
    if let Some(family) = sans.or(families.first()) {
        options.fontdb_mut().set_sans_serif_family(family.clone());
        options.font_family.clone_from(family);
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
