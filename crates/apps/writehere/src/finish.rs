//! The result of a run.

use graphloom_state_machine::{NodeKey, TaskStatus, TreeStatus};

use crate::cite::{resolve, verify, without_marks};
use crate::context::{article_of, article_text};
use crate::length::{count_words, missed};
use crate::state::{Finished, Mode, Request, Writing};

impl Finished {
    /// The result of a run: the root's text, or the written parts where the root was not finished.
    pub fn of(state: &Writing) -> Self {
        let mut finished = Self::of_tree(state);
        if finished.words == 0 && finished.status != "stuck" {
            finished.explanation = format!("no word was written\n{}", finished.explanation).trim_end().to_owned();
            finished.status = "failed".to_owned();
        }
        finished
    }

    /// The result by the status of the tree alone, even without any text.
    fn of_tree(state: &Writing) -> Self {
        let status = state.tree.status();
        if matches!(status, TreeStatus::Done) {
            return Self { status: status.name().to_owned(), ..Self::text_of(state, None) };
        }
        let failures = state.tree.failed().map(|node| {
            let cause = node.failure.as_ref().map(|failure| failure.cause.to_string()).unwrap_or_default();
            format!("task `{}` ({}): {cause}", node.key, node.payload.info.task_type)
        });
        let explanation = format!("{status}\n{}", failures.collect::<Vec<_>>().join("\n")).trim().to_owned();
        let text = Self::text_of(state, explanation.lines().next());
        Self { status: status.name().to_owned(), explanation, ..text }
    }

    /// The written parts of a run that stopped before its end for this `reason`.
    pub fn partial(state: &Writing, reason: &str) -> Self {
        let open: Vec<String> = state
            .tree
            .nodes()
            .filter(|node| !matches!(node.status, TaskStatus::Finish | TaskStatus::Failed))
            .map(|node| format!("`{}` is {}", node.key, node.status))
            .collect();
        let explanation =
            format!("{reason}\n{} of {} tasks are open: {}", open.len(), state.tree.len(), open.join(", "));
        Self { status: "partial".to_owned(), explanation, ..Self::text_of(state, Some(reason)) }
    }

    /// The text with its title and citations; `lacks` is what a reader must know of a text that is not complete.
    fn text_of(state: &Writing, lacks: Option<&str>) -> Self {
        let root = state.tree.root().and_then(|root| root.payload.final_text());
        let text = root.map_or_else(|| article_text(&article_of(&state.tree, &NodeKey::root())), str::to_owned);
        let words = count_words(&without_marks(&text));
        let body = match text.trim() {
            "" => String::new(),
            titled if titled.starts_with("# ") => titled.to_owned(),
            plain => format!("# {}\n\n{plain}", state.request.goal.replace('\n', " ")),
        };
        let body = match (lacks, body.split_once('\n')) {
            (Some(lacks), Some((title, rest))) => format!("{title}\n\n> This text is not complete. {lacks}\n{rest}"),
            _ => body,
        };
        let cited = resolve(&body, state.evidence.iter().map(|(_, evidence)| evidence));
        Self { words, text: cited.text, references: cited.references, events: cited.events, ..Self::default() }
    }

    /// Whether there is a text and every task was finished.
    pub fn is_done(&self) -> bool {
        self.status == "done" && self.words > 0
    }

    /// What a user should know of the text: changed or missing citations, and a length that was missed.
    pub fn notes(&self, request: &Request) -> Vec<String> {
        let missed = request.words.and_then(|asked| missed(self.words, asked));
        let searched = request.mode == Mode::Report && !request.corpus.is_empty();
        let uncited = (searched && self.words > 0 && self.references.is_empty())
            .then(|| "the report cites nothing, although there was something to search".to_owned());
        let faults = verify(&self.text).into_iter().map(|fault| fault.to_string());
        self.events.iter().map(ToString::to_string).chain(faults).chain(uncited).chain(missed).collect()
    }
}
