//! The line at the end of a quoting text that names the parts of the request which no source answers.

use graphloom_retrieval::answer::{Request, unanswered_line};

use super::super::{StageError, TaskContext};
use crate::cite::without_marks;

/// The line on the parts of the request that a text does not answer; `None` where the text answers all.
pub(super) fn unanswered_line_of(context: TaskContext<'_>, text: &str) -> Result<Option<String>, StageError> {
    let request = Request::of(&context.node()?.payload.info.goal);
    let line = unanswered_line(&request.unanswered(&without_marks(text)));
    Ok(Some(line).filter(|line| !line.is_empty()))
}
