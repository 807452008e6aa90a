//! The heading of a part that is made of quotations.

use graphloom_retrieval::Evidence;

use super::super::TaskContext;
use crate::cite::cited_ids;
use crate::context::context_node;

/// Where the heading of a part directly inside the root comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Heading {
    /// The goal of the part.
    OfGoal,
    /// A source that the part quotes.
    OfSource,
}

impl Heading {
    /// The heading for a part with this text and evidence, which follows the text `before`.
    pub(super) fn text(
        self,
        context: TaskContext<'_>,
        gathered: &[Evidence],
        text: &str,
        before: &str,
    ) -> Option<String> {
        match self {
            Self::OfGoal => goal_heading(context),
            Self::OfSource => source_heading(context, gathered, text, before),
        }
    }
}

/// The heading of a part directly inside the root: its goal.
fn goal_heading(context: TaskContext<'_>) -> Option<String> {
    let part = context_node(context.tree, context.key).filter(|part| part.layer() == 1)?;
    let goal = part.payload.info.goal.trim().trim_end_matches(['.', ':', ';']);
    let goal = goal.strip_prefix("Write about ").or_else(|| goal.strip_prefix("Write ")).unwrap_or(goal);
    let mut letters = goal.chars();
    let first = letters.next()?;
    Some(format!("## {}{}", first.to_uppercase(), letters.as_str()))
}

/// The heading of a part directly inside the root that a small model made: that of the first source it quotes whose heading
/// the text does not have yet. A small model's own goals promise what the quotations do not say.
fn source_heading(context: TaskContext<'_>, gathered: &[Evidence], text: &str, before: &str) -> Option<String> {
    context_node(context.tree, context.key).filter(|part| part.layer() == 1)?;
    let asked = &context.tree.root()?.payload.info.goal;
    let cited = cited_ids(text);
    let quoted = cited.iter().filter_map(|id| gathered.iter().find(|evidence| evidence.id == *id));
    let named = |evidence: &Evidence| {
        let name = evidence.heading.last().unwrap_or(&evidence.title);
        // Many documents number their headings.
        name.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ' ')).trim().to_owned()
    };
    let is_new = |name: &String| {
        !name.is_empty() && name != asked && !before.lines().any(|line| line.trim_start_matches('#').trim() == name)
    };
    quoted.map(named).find(is_new).map(|name| format!("## {name}"))
}
