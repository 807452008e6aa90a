//! The nodes of the conversation, one file each for those that do more than speak, for graphs of one's own over a
//! [`Conversation`]. Where a small model is asked otherwise, a node is a folder: its `mod.rs` chooses by the strategy for its
//! model between `free.rs` and `guided.rs`.

mod answer;
mod gap;
mod literature;
mod open;
mod proposal;
mod queries;
mod router;
mod save;
mod speak;

pub use gap::synthesize_gap;
pub use literature::literature_review;
pub(crate) use open::{Asked, MESSAGE, Message};
pub use open::{listen, open};
pub use proposal::write_proposal;
pub use queries::generate_queries;
pub use router::{failed, router};
pub use save::save;
pub(crate) use speak::asked_text;
pub use speak::{follow_up, result_notification, review_queries, review_report};

use graphloom_core_graph::{Context, NodeError, Step};

use crate::decide::Finish;
use crate::names::THOUGHT;
use crate::resources::Resources;
use crate::session::Session;
use crate::state::{Conversation, Turn};

/// Tells the thoughts stream something.
pub(crate) async fn think(cx: &Context<Resources>, thought: impl Into<String>) {
    cx.emit(THOUGHT, thought.into()).await;
}

/// Tells the thoughts stream what was left out or replaced.
async fn think_all(cx: &Context<Resources>, notes: &[String]) {
    for note in notes {
        think(cx, note.clone()).await;
    }
}

/// The end of a node that made something, in the session or nowhere: the router is next.
pub fn finished(session: Session, turn: &Turn, finish: Finish) -> Step<Conversation> {
    let turn = Turn { finish: Some(finish), failure: None, ..turn.clone() };
    Step::update(Conversation::update().session(session).turn(turn))
}

/// A node was reached without the call that leads to it.
fn stray(node: &str) -> NodeError {
    NodeError::terminal(format!("`{node}` was reached without its parameters"))
}

/// The ids of records by the numbers that prompts use; numbers of no record are left out.
pub(crate) fn ids_of(session: &Session, numbers: &[u32]) -> Vec<String> {
    let records = session.artifacts.review.as_ref().map(|review| &review.value.records);
    let mut ids: Vec<String> = Vec::new();
    for number in numbers {
        let at = usize::try_from(*number).ok().and_then(|number| number.checked_sub(1));
        let record = records.zip(at).and_then(|(records, at)| records.get(at));
        ids.extend(record.map(|record| record.id.clone()).filter(|id| !ids.contains(id)));
    }
    ids
}
