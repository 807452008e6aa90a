//! Texts one behind the other.

use super::close::close;
use super::parser;

/// What ends a list or a block of indented code which the next text would go on with; it is not shown.
const APART: &str = "<!-- -->";

/// Texts with an empty line between, each read as it is read alone: what one leaves open is closed where it ends, and no list
/// of one goes on with the next. Texts without words are left out.
///
/// ````
/// use graphloom_text::markdown::join;
///
/// assert_eq!(join(["One.", "Two."]), "One.\n\nTwo.");
/// assert_eq!(join(["```\nx", "## Two"]), "```\nx\n```\n\n## Two");
/// assert_eq!(join(["- a", "- b"]), "- a\n\n<!-- -->\n\n- b");
/// ````
#[must_use]
pub fn join<'t>(texts: impl IntoIterator<Item = &'t str>) -> String {
    let mut joined = String::new();
    let mut last = 0;
    for text in texts {
        let text = close(text.trim_end()).text;
        let text = text.trim_start_matches(['\n', '\r']);
        if text.trim().is_empty() {
            continue;
        }
        if !joined.is_empty() {
            let apart = goes_on(&joined[last..], text);
            joined.push_str("\n\n");
            if apart {
                joined.push_str(APART);
                joined.push_str("\n\n");
            }
        }
        last = joined.len();
        joined.push_str(text);
    }
    joined
}

/// Whether the first block of a text would be one with the last block of the text before it.
fn goes_on(before: &str, text: &str) -> bool {
    let both = format!("{before}\n\n{text}");
    let begin = both.len() - text.len();
    let begin = begin + text.len() - text.trim_start().len();
    parser(&both).into_offset_iter().any(|(_, range)| range.start < before.len() && range.end > begin)
}
