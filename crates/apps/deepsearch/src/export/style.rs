//! The page's look.

/// Colours of verdicts, panels that open when they are the target of a link.
pub(super) const STYLE: &str = include_str!("report.css");
