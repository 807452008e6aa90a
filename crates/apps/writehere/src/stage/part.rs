//! A text of a model as a part of the whole: closed where it ends, and without a list of references of its own.

use graphloom_state_machine::NodeKey;
use graphloom_text::markdown::close;
use graphloom_text::without_reference_lists;

use crate::cite::whole_marks;

/// A text that can stand before others, with what a user should know of it.
pub(super) struct Part {
    pub(super) text: String,
    pub(super) notes: Vec<String>,
}

impl Part {
    /// The part that the task `key` wrote.
    pub(super) fn of(key: &NodeKey, text: &str) -> Self {
        let whole = whole_marks(text);
        let cut = (whole.len() < text.trim_end().len())
            .then(|| "the text ended inside of a citation, which was taken out".to_owned());
        let closed = close(whole);
        let unlisted = without_reference_lists(&closed.text);
        let notes = cut.into_iter().chain(closed.told()).chain(unlisted.told());
        Self { notes: notes.map(|note| format!("task `{key}`: {note}")).collect(), text: unlisted.text }
    }
}
