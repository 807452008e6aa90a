//! Plans of a section: what a model answers, and what is made of it (prompt `planner` of openJiuwen DeepSearch).

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::state::{Plan, Step};

/// The longest title of a step, in characters.
const MOST_TITLE: usize = 300;

/// A plan: what has to be found out for the section next.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct PlanReply {
    /// The language of the plan.
    pub(super) language: String,
    /// The title of the plan.
    pub(super) title: String,
    /// Why these steps, or why nothing more has to be found.
    pub(super) thought: String,
    /// Whether nothing more has to be found for the section.
    pub(super) is_research_completed: bool,
    /// The steps; none when nothing more has to be found.
    pub(super) steps: Vec<StepReply>,
}

/// One question to research.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(super) struct StepReply {
    /// `info_collecting`.
    #[serde(rename = "type")]
    pub(super) kind: String,
    /// The question in a few words.
    pub(super) title: String,
    /// What exactly is to be found.
    pub(super) description: String,
    /// The ids of the steps whose results this one needs.
    pub(super) parent_ids: Vec<String>,
    /// How it needs each of them.
    pub(super) relationships: Vec<String>,
}

/// A plan of a small model.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ShortPlan {
    #[schemars(length(min = 1, max = 2), inner(length(min = 8, max = 60)))]
    pub(super) steps: Vec<String>,
}

/// For which plan of which section a reply is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlanRules<'a> {
    /// The section.
    pub(super) section: &'a str,
    /// The number of the plan, from 1.
    pub(super) number: u32,
    /// The most steps.
    pub(super) most_steps: usize,
    /// Whether anything was found before, so that research may be complete.
    pub(super) has_documents: bool,
    /// Whether steps may need others.
    pub(super) dependent: bool,
}

/// The plan of a reply, with ids `section-plan-step`, and what had to be changed.
///
/// # Errors
/// What is wrong with it, for the model: no steps although research is not complete, a step without title or
/// description, completeness before anything was found.
pub(super) fn read_plan(reply: PlanReply, rules: PlanRules<'_>) -> Result<(Plan, Vec<String>), String> {
    let id = format!("{}-{}", rules.section, rules.number);
    let mut notes = Vec::new();
    let mut plan = Plan {
        language: reply.language,
        title: reply.title,
        thought: reply.thought,
        is_research_completed: reply.is_research_completed,
        ..Plan::default()
    };
    if reply.is_research_completed {
        if !rules.has_documents {
            return Err("`is_research_completed` is true although nothing was found yet; give steps".to_owned());
        }
        plan.id = id;
        return Ok((plan, notes));
    }
    if reply.steps.is_empty() {
        return Err("research is not complete, but `steps` is empty; give at least one step".to_owned());
    }
    let given = reply.steps.len();
    let mut titles = BTreeSet::new();
    for (place, step) in (1..).zip(reply.steps) {
        let title: String = step.title.split_whitespace().collect::<Vec<_>>().join(" ");
        let title: String = title.chars().take(MOST_TITLE).collect();
        if title.is_empty() {
            return Err(format!("step {place} has no `title`"));
        }
        if step.description.trim().is_empty() {
            return Err(format!("step {place} has no `description`"));
        }
        // Ids count what the model wrote, so that parents it names within the plan stay right.
        let step = Step {
            id: format!("{id}-{place}"),
            description: step.description.trim().to_owned(),
            parent_ids: if rules.dependent { parents(&step.parent_ids, &id) } else { Vec::new() },
            relationships: if rules.dependent { step.relationships } else { Vec::new() },
            title,
            ..Step::default()
        };
        if !titles.insert(step.title.to_lowercase()) {
            notes.push(format!("plan `{id}`: step {place} repeats another and was left out"));
        } else if plan.steps.len() < rules.most_steps {
            plan.steps.push(step);
        }
    }
    if plan.steps.len() + notes.len() < given {
        notes.push(format!("plan `{id}`: of {given} steps the first {} are carried out", plan.steps.len()));
    }
    plan.id = id;
    Ok((plan, notes))
}

/// The parents, each once. A bare number is a step of the same plan.
fn parents(given: &[String], plan: &str) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let full = |parent: &String| {
        let parent = parent.trim();
        if !parent.is_empty() && parent.chars().all(|c| c.is_ascii_digit()) {
            format!("{plan}-{parent}")
        } else {
            parent.to_owned()
        }
    };
    given.iter().map(full).filter(|parent| !parent.is_empty() && seen.insert(parent.clone())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: PlanRules<'_> =
        PlanRules { section: "2", number: 1, most_steps: 3, has_documents: false, dependent: true };

    fn step(title: &str, parents: &[&str]) -> StepReply {
        StepReply {
            title: title.into(),
            description: "what".into(),
            parent_ids: parents.iter().map(|parent| (*parent).to_owned()).collect(),
            ..StepReply::default()
        }
    }

    fn reply(steps: Vec<StepReply>) -> PlanReply {
        PlanReply { steps, ..PlanReply::default() }
    }

    #[test]
    fn steps_get_ids_and_parents_of_the_same_plan_may_be_numbers() {
        let (plan, notes) =
            read_plan(reply(vec![step(" a\n b", &[]), step("c", &["1", "1-2-1", "1"])]), RULES).unwrap();
        let shown: Vec<_> = plan.steps.iter().map(|step| (step.id.as_str(), step.title.as_str())).collect();
        assert_eq!(shown, [("2-1-1", "a b"), ("2-1-2", "c")]);
        assert_eq!(plan.steps[1].parent_ids, ["2-1-1", "1-2-1"]);
        assert_eq!((plan.id.as_str(), notes.len()), ("2-1", 0));
        let parallel = PlanRules { dependent: false, ..RULES };
        let (plan, _) = read_plan(reply(vec![step("a", &["9"])]), parallel).unwrap();
        assert_eq!(plan.steps[0].parent_ids, [""; 0]);
    }

    #[test]
    fn too_many_and_repeated_steps_are_noted() {
        let steps = ["a", "A", "b", "c", "d"].map(|title| step(title, &[])).into_iter().collect();
        let (plan, notes) = read_plan(reply(steps), RULES).unwrap();
        assert_eq!(plan.steps.iter().map(|step| step.id.as_str()).collect::<Vec<_>>(), ["2-1-1", "2-1-3", "2-1-4"]);
        assert_eq!(
            notes,
            [
                "plan `2-1`: step 2 repeats another and was left out",
                "plan `2-1`: of 5 steps the first 3 are carried out",
            ]
        );
    }

    #[test]
    fn what_cannot_be_a_plan_is_refused_with_the_reason() {
        let completed = |is_research_completed| PlanReply { is_research_completed, ..PlanReply::default() };
        for (reply, rules, reason) in [
            (completed(false), RULES, "research is not complete, but `steps` is empty; give at least one step"),
            (completed(true), RULES, "`is_research_completed` is true although nothing was found yet; give steps"),
            (reply(vec![step(" ", &[])]), RULES, "step 1 has no `title`"),
            (
                reply(vec![StepReply { title: "t".into(), ..StepReply::default() }]),
                RULES,
                "step 1 has no `description`",
            ),
        ] {
            assert_eq!(read_plan(reply, rules).unwrap_err(), reason);
        }
        let later = PlanRules { has_documents: true, ..RULES };
        assert!(read_plan(completed(true), later).unwrap().0.is_research_completed);
    }
}
