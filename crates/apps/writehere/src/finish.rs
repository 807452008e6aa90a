//! The result of a run.

use graphloom_state_machine::{NodeKey, TreeStatus};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cite::{CiteEvent, Reference, resolve};
use crate::context::{article_of, article_text};
use crate::length::count_words;
use crate::state::Writing;

/// The result of a run: the text, its sources, and what became of the tasks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Finished {
    /// `done`, `partial`, `failed` or `stuck`.
    pub status: String,
    /// Why it is not done, empty when it is.
    pub explanation: String,
    /// The text with numbered citations and its list of references.
    pub text: String,
    /// Words of the text without the references.
    pub words: usize,
    /// The sources in the order of their numbers.
    pub references: Vec<Reference>,
    /// Changes that were made to citations.
    pub events: Vec<CiteEvent>,
}

impl Finished {
    /// Puts together what the tree has: the root's text, or the parts that were written where the root was not finished.
    pub fn of(state: &Writing) -> Self {
        let status = state.tree.status();
        let root = state.tree.root().and_then(|root| root.payload.final_text());
        let text = root.map_or_else(|| article_text(&article_of(&state.tree, &NodeKey::root())), str::to_owned);
        let words = count_words(&text);
        let body = match text.trim() {
            "" => String::new(),
            titled if titled.starts_with("# ") => titled.to_owned(),
            plain => format!("# {}\n\n{plain}", state.request.goal.replace('\n', " ")),
        };
        let cited = resolve(&body, state.evidence.iter().map(|(_, evidence)| evidence));
        let done = matches!(status, TreeStatus::Done);
        let failures = || {
            let failed = state.tree.failed().map(|node| {
                let cause = node.failure.as_ref().map(|failure| failure.cause.to_string()).unwrap_or_default();
                format!("task `{}` ({}): {cause}", node.key, node.payload.info.task_type)
            });
            failed.collect::<Vec<_>>().join("\n")
        };
        Self {
            status: status.name().to_owned(),
            explanation: if done { String::new() } else { format!("{status}\n{}", failures()).trim().to_owned() },
            words,
            text: cited.text,
            references: cited.references,
            events: cited.events,
        }
    }

    /// Whether there is a text and every task was finished.
    pub fn is_done(&self) -> bool {
        self.status == "done" && self.words > 0
    }
}
