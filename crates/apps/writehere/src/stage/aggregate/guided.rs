//! What of the request the sources leave open, said at the end of a text that only quotes.

use graphloom_retrieval::answer::{Request, unanswered_line};

use super::super::{StageError, TaskContext};
use crate::cite::without_marks;

/// The line on the parts of the request that a text does not answer; none where it answers all.
pub(super) fn left_open(context: TaskContext<'_>, text: &str) -> Result<Option<String>, StageError> {
    let request = Request::of(&context.node()?.payload.info.goal);
    let line = unanswered_line(&request.unanswered(&without_marks(text)));
    Ok(Some(line).filter(|line| !line.is_empty()))
}
