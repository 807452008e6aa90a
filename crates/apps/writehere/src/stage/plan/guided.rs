//! Planning by a small model: it fills in the goals of a plan of a given shape.

use graphloom_retrieval::answer::Request;

use super::super::{Outcome, Setup, StageError, TaskContext};
use super::draft::{ByRule, Draft};
use super::shaped;
use crate::TaskType;
use crate::plan::RawPlan;

/// Plans a task that is large enough; no goal is brought up to date.
pub(super) async fn plan(setup: &Setup, context: TaskContext<'_>) -> Result<Outcome, StageError> {
    let mut draft = Draft::new(setup, context)?;
    let drawn = match draft.by_rule(setup)? {
        ByRule::Settled(plan) => plan,
        ByRule::Atomic { .. } => None,
        ByRule::Open if is_small(setup, context) => None,
        ByRule::Open => {
            let (context, rules, outcome) = draft.parts();
            let mut raw = shaped::plan(setup, context, rules, outcome).await?;
            share_parts(&mut raw, &Request::of(&context.args(setup)?.to_run_root_question));
            Some(raw)
        }
    };
    draft.finish(setup, drawn).await
}

/// Whether the task is carried out without planning.
fn is_small(setup: &Setup, context: TaskContext<'_>) -> bool {
    let small = &setup.profile.settings.small;
    let words = context.tree.node(context.key).and_then(|node| node.payload.words());
    context.key.layer() >= small.force_atom_layer || words.is_some_and(|words| words <= small.atomic_words)
}

/// Gives the parts of a request that has several to the tasks, in order: to the searches and to the writing alike. A small
/// model's own goals leave parts out.
fn share_parts(raw: &mut RawPlan, request: &Request) {
    let parts = request.parts();
    for word in [TaskType::Search.word(), TaskType::Write.word()] {
        let mut tasks: Vec<_> = raw.tasks.iter_mut().filter(|task| task.task_type.as_deref() == Some(word)).collect();
        if parts.len() < 2 || tasks.is_empty() {
            continue;
        }
        let count = tasks.len();
        for (at, task) in tasks.iter_mut().enumerate() {
            let from = at * parts.len() / count;
            let to = ((at + 1) * parts.len() / count).max(from + 1);
            let texts: Vec<&str> = parts[from..to].iter().map(|part| part.text.as_str()).collect();
            task.goal = Some(texts.join("; "));
        }
    }
}
