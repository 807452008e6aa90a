//! Answers to the questions of an older checkpoint.
//!
//! They make a branch (`docs/semantics.md`, 43): what was pending at the checkpoint runs again and asks again, and what it asks is
//! answered. An answer is only given to the question that it was meant for: one that the same task asks, under the same key and in
//! the same words. Any other stays open, and the run says so.

use graphloom_core_graph::Question;
use graphloom_core_graph::checkpoint::{Checkpointer, HistoryFilter, Source};
use serde_json::Value;

use crate::graph::{Goto, Position, UNKNOWN_INTERRUPT, View, interrupt_id};
use crate::records::RunFailure;
use crate::runs::asked::{Asked, numbers_of, root_of};

/// Answers to questions of a checkpoint, and what counts only with them.
#[derive(Clone, Debug)]
pub(super) struct BranchAnswers {
    pub(super) at: Position,
    pub(super) given: Vec<(Asked, Value)>,
    pub(super) beside: Option<Goto>,
}

/// What a branch asks again of what is answered.
#[derive(Debug, Default)]
pub(super) struct AskedAgain {
    /// Answers by the ids of questions on the branch.
    pub(super) answers: Vec<(String, Value)>,
    /// An answer without its question.
    pub(super) unasked: Option<Unasked>,
}

/// Why an answer has no question on a branch.
#[derive(Debug)]
pub(super) enum Unasked {
    /// Its task asks in other words.
    Otherwise(RunFailure),
    /// Its task does not ask it.
    NotAtAll(RunFailure),
}

impl BranchAnswers {
    /// The first checkpoint of the newest branch that was made here; none where there is none.
    pub(super) async fn branch(
        &self,
        checkpoints: &dyn Checkpointer,
        thread: &str,
    ) -> Result<Option<u64>, graphloom_core_graph::checkpoint::CheckpointError> {
        let mut filter = HistoryFilter::default();
        filter.source = Some(Source::Fork);
        let rows = checkpoints.checkpoints(thread, "", &filter).await?;
        Ok(rows.iter().find(|row| row.parent == Some(self.at.number)).map(|row| row.number))
    }

    /// Finds the questions that are answered among those that are open on the branch.
    pub(super) fn find(&self, thread: &str, view: &View, branch: u64) -> AskedAgain {
        let mut found = AskedAgain::default();
        for (asked, answer) in &self.given {
            let is_from = |question: &&Question| {
                numbers_of(root_of(&question.task)) == Some((branch, asked.place))
                    && (&question.path, &question.key) == (&asked.path, &asked.key)
            };
            let open: Vec<&Question> = view.questions.iter().filter(is_from).collect();
            let same = open.iter().find(|question| {
                question.payload == asked.payload && !found.answers.iter().any(|(id, _)| *id == question.id)
            });
            match (same, open.first()) {
                (Some(same), _) => found.answers.push((same.id.clone(), answer.clone())),
                (None, other) => {
                    found.unasked.get_or_insert_with(|| unasked(thread, asked, other.copied()));
                }
            }
        }
        found
    }
}

/// Why an answer was not given whose question the branch does not ask, or asks in other words.
fn unasked(thread: &str, asked: &Asked, other: Option<&Question>) -> Unasked {
    let failure = |message| RunFailure { error: UNKNOWN_INTERRUPT.to_owned(), message };
    let id = interrupt_id(thread, &asked.id);
    match other {
        Some(other) => Unasked::Otherwise(failure(format!(
            "the interrupt {id} is asked in other words on its branch, so its answer was not given: answer {}",
            interrupt_id(thread, &other.id)
        ))),
        None => Unasked::NotAtAll(failure(format!(
            "the interrupt {id} is not asked on its branch, so its answer was not given"
        ))),
    }
}
