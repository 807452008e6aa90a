//! What the blocks of a Markdown text are, what it leaves open at its end, and texts one behind the other.
//!
//! A text of a model may end anywhere: inside of a block of code, a formula, a comment or `<details>`. Whatever is written
//! behind it would belong to that. [`close`] ends what is open, and [`join`] puts texts one behind the other so that each is
//! read as it is read alone.

mod close;
mod code;
mod join;
mod line;
mod math;
mod tags;

pub use close::{Closed, Open, close};
pub use code::code;
pub use join::join;
pub use line::prose_lines;
pub use math::math;

use pulldown_cmark::{Options, Parser};

/// The parser of all that is read here.
fn parser(text: &str) -> Parser<'_> {
    Parser::new_ext(text, Options::ENABLE_TABLES)
}

/// What a line begins with so that it is in the same quotations and items as the place `at` of a text: the signs of the
/// quotations before it on its line, and blanks in place of all else.
fn prefix_of(text: &str, at: usize) -> String {
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    text[line..at].chars().map(|c| if matches!(c, '>' | '\t') { c } else { ' ' }).collect()
}

/// Whether two ranges share a byte, the second being one of many that stand in order and apart.
///
/// ```
/// use graphloom_text::markdown::{code, touches};
///
/// let text = "a `b` c `d`";
/// assert!(touches(&(3..4), &code(text)) && !touches(&(0..2), &code(text)));
/// ```
#[must_use]
pub fn touches(range: &std::ops::Range<usize>, all: &[std::ops::Range<usize>]) -> bool {
    let next = all.partition_point(|one| one.end <= range.start);
    all.get(next).is_some_and(|one| one.start < range.end)
}
