//! Writing in the model's own words.

use graphloom_agents::AgentError;
use graphloom_state_machine::TaskAction;

use super::super::ask::{agent, reading_notes, seeded, text};
use super::super::part::Part;
use super::super::{Outcome, Setup, StageError, TaskContext};
use super::AGENT;
use super::heading::Heading;
use super::paragraphs::write_in_paragraphs;
use super::shorten::shorten;
use super::unplanned_search::search_unplanned;
use crate::cite::cited_ids;
use crate::context::share_of;
use crate::task::ActionResult;

/// Writes a part in one call, and asks for a shorter text once where it is far too long.
pub(super) async fn write(setup: &Setup, context: TaskContext<'_>) -> Result<Outcome, StageError> {
    let mut args = context.args(setup)?;
    let agent = agent(setup, "execute", &args.task_type)?;
    if setup.profile.settings.length.keep {
        args.share = share_of(context.tree, context.key);
    }
    let found = search_unplanned(setup, context, &mut args).await?;
    let answer = text(&agent, &args, seeded(setup, &context, "write")).await?;
    let mut notes = reading_notes(context.key, &answer.exchange);
    if !notes.is_empty() && cited_ids(&answer.value).is_empty() && setup.search.is_some() {
        // A model that cannot follow the prompt is led like the small ones: it chooses among sentences of the sources.
        match write_in_paragraphs(setup, context, &args, &agent, Heading::OfGoal).await {
            Ok(mut outcome) if !outcome.evidence.is_empty() => {
                notes.push(format!("task `{}`: sentences of the sources took the place of that reply", context.key));
                outcome.notes.splice(0..0, notes);
                outcome.exchanges.insert(0, answer.exchange);
                return Ok(outcome);
            }
            Ok(_) | Err(StageError::Agent(AgentError::Unusable { .. })) => {}
            Err(error) => return Err(error),
        }
    }
    let mut exchanges = vec![answer.exchange];
    let part = Part::of(context.key, &answer.value);
    notes.extend(part.notes);
    let mut result = ActionResult::new(AGENT, part.text);
    if let Some(share) = args.share {
        let measured = shorten(setup, context, &args, share, result.text).await;
        let part = Part::of(context.key, &measured.text);
        notes.extend(part.notes);
        (result.text, result.length) = (part.text, Some(measured.length));
        exchanges.extend(measured.exchange);
        notes.extend(measured.note);
    }
    result.evidence = cited_ids(&result.text);
    let mut outcome = context.result(TaskAction::Execute, result);
    (outcome.notes, outcome.exchanges) = (notes, exchanges);
    if let Some(found) = found {
        let count = found.evidence.len();
        outcome
            .notes
            .push(format!("task `{}`: without a plan the goal was searched once; passages: {count}", context.key));
        outcome.notes.extend(found.notes.into_iter().map(|note| format!("task `{}`: {note}", context.key)));
        outcome.evidence = found.evidence;
    }
    outcome.notes.extend(args.cuts.iter().map(|cut| format!("task `{}`: {cut}", context.key)));
    Ok(outcome)
}
