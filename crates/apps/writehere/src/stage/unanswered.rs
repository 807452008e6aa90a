//! What of the request the sources leave open, said at the end of a text that only quotes.

use graphloom_retrieval::answer::{Request, unanswered_line};

use super::ask::agent;
use super::{Setup, StageError, TaskContext};
use crate::TaskType;
use crate::cite::without_marks;

/// The line on the parts of the request that a text does not answer; none for a model that writes itself, for an inner text,
/// and where nothing can be searched.
pub(super) fn unanswered(setup: &Setup, context: TaskContext<'_>, text: &str) -> Result<Option<String>, StageError> {
    let node = context.node()?;
    let writes = node.payload.info.task_type == TaskType::Write;
    if !writes || !context.key.is_root() || setup.search.is_none() {
        return Ok(None);
    }
    if !agent(setup, "execute", TaskType::Write.word())?.is_constrained() {
        return Ok(None);
    }
    let request = Request::of(&node.payload.info.goal);
    let line = unanswered_line(&request.unanswered(&without_marks(text)));
    Ok(Some(line).filter(|line| !line.is_empty()))
}
