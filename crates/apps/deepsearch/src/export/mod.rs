//! A report as files for readers: Markdown, and one HTML file that needs nothing else.
//!
//! Everything that models, documents and people wrote is escaped; addresses other than `http` and `https` lead nowhere;
//! there is no script and nothing is loaded from outside. This holds for both files.

mod body;
mod contents;
mod figure;
mod html;
mod markdown;
mod panels;
mod picture;
mod placeholders;
mod references;
mod sanitize;
mod unchecked_signs;

pub use crate::markup::{escape, safe_href};
pub use html::html;
pub use markdown::markdown;
