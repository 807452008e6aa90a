//! A text as answer and thoughts.

use super::walk::{Parts, is_blank, parts};

/// A text, told apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Separated {
    /// The answer. Where a text holds no thoughts it is the text, to the byte.
    pub answer: String,
    /// The thoughts without the marks around them; several are joined by an empty line.
    pub thoughts: String,
    /// Whether thoughts were begun and never closed.
    pub open: bool,
}

/// Tells the thoughts of a whole text from its answer.
///
/// ```
/// use graphloom_llm::thoughts::separate;
///
/// let told = separate("<think>Maybe twelve? No.</think>\n\nThere are ten.");
/// assert_eq!((told.answer.as_str(), told.thoughts.as_str()), ("There are ten.", "Maybe twelve? No."));
/// // The server's template had begun the thoughts.
/// assert_eq!(separate("Maybe twelve? No.\n</think>\n\nThere are ten.").answer, "There are ten.");
/// // A text that speaks of tags keeps its words.
/// let about = "Its thoughts stand between `<think>` and `</think>`.";
/// assert_eq!(separate(about).answer, about);
/// ```
pub fn separate(text: &str) -> Separated {
    joined(text, &parts(text, true))
}

/// The answer and the thoughts of parts.
pub(super) fn joined(text: &str, parts: &Parts) -> Separated {
    let mut told = Separated { open: parts.open, ..Separated::default() };
    let is_plain = parts.marks == 0 || parts.parts == [(false, 0..text.len())];
    for (is_thoughts, range) in &parts.parts {
        let part = &text[range.clone()];
        if *is_thoughts {
            let part = part.trim_matches(is_blank);
            if !part.is_empty() {
                if !told.thoughts.is_empty() {
                    told.thoughts.push_str("\n\n");
                }
                told.thoughts.push_str(part);
            }
        } else if is_plain {
            told.answer.push_str(part);
        } else if told.answer.is_empty() || told.answer.ends_with(is_blank) {
            told.answer.push_str(part.trim_start_matches(is_blank));
        } else {
            told.answer.push_str(part);
        }
    }
    told
}
