//! Node `simple`: one conversation with tools whose results go back to the model until it answers.

mod free;
mod guided;
mod guided_tools;

use std::sync::{Mutex, PoisonError};

use graphloom_agents::{
    CompletionSignal, Conversation, ConverseOptions, EntryKind, Exchange, Progress, StopReason as Ended, Strategy,
    Transcript, WorkingMemory, converse,
};
use graphloom_core_graph::{Context, NodeError, Shared, Snapshot};
use graphloom_llm::{ChatModel, Message, Params};
use serde_json::json;

use super::analyze::merge;
use super::initialize::vault_context;
use super::stop_reason::{open_failure, stop_reason};
use super::visit::{Report, Visit, visit};
use crate::ObsiusError;
use crate::analyze::{Intents, asks_for_change, claims_change};
use crate::ask::agent;
use crate::completion::Facts;
use crate::overlay_tools::OverlayTools;
use crate::phase::{Decision, Phase};
use crate::resources::{Resources, Setup};
use crate::state::{ExecutedAction, Metrics, WorkflowState, WorkflowStateUpdate};
use crate::view::{language_name, vault_args};

/// How sure a conversation that ended by itself is to have carried out the request.
const ANSWERED: f64 = 0.9;

/// State in: the request, and what an earlier attempt changed. State out: the answer, the actions, the changes, and why it
/// ends: a limit is no success. It fails when the model does, when it claims a change that no tool made, and when a tool
/// failed and nothing was changed: never a note that was not asked for.
///
/// # Errors
/// What the graph runtime itself reports.
pub async fn simple(state: Snapshot<WorkflowState>, cx: Context<Resources>) -> Result<WorkflowStateUpdate, NodeError> {
    visit(Phase::Simple, state, cx, async |visit| work(&visit).await).await
}

async fn work(visit: &Visit) -> Result<Report, NodeError> {
    let state = &visit.state;
    let resources = visit.resources();
    let workspace = OverlayTools::new(resources, &state.changes).map_err(ObsiusError::from)?;
    // Turns are durable steps themselves.
    let setup = visit.plain.clone();
    let spec = agent(&setup, "simple", "request").map_err(ObsiusError::from)?;
    let request = state.session.original_request.as_str();
    let context = vault_context(resources);
    let mut args = json!({
        "request": request,
        "feedback": state.review.feedback,
        "done": done_before(state),
        "language": language_name(state),
    });
    merge(&mut args, vault_args(state));
    args["vault"] = json!({ "name": context.vault_name, "notes": context.notes });
    let rendered = setup.prompts.render(&spec.spec().template, &args).map_err(ObsiusError::from)?;

    let mut options = ConverseOptions::default();
    options.max_turns = u32::try_from(state.session.config.max_turns).unwrap_or(u32::MAX);
    options.params =
        Params { temperature: spec.spec().temperature, max_tokens: spec.spec().max_tokens, ..Params::default() };
    options.repeats = state.repeats.clone();
    options.key = "first/".to_owned();
    let conversation =
        ConversationSetup { visit, setup: &setup, workspace: &workspace, messages: rendered.messages, options };
    let transcript = match spec.strategy() {
        Strategy::Free => free::converse(conversation, &**spec.model()).await?,
        Strategy::Guided => guided::converse(conversation).await?,
    };
    if claims(request, &transcript, &workspace) {
        let answer = transcript.answer.unwrap_or_default().chars().take(300).collect();
        return Err(NodeError::terminal(ObsiusError::NothingDone { said: answer }));
    }
    let link_repairs = workspace.repair_links(state).map_err(ObsiusError::from)?;
    conclude(visit, &workspace, transcript, link_repairs, &rendered.template, context)
}

/// A conversation that is to be held.
struct ConversationSetup<'a> {
    visit: &'a Visit,
    setup: &'a Setup,
    workspace: &'a OverlayTools,
    messages: Vec<Message>,
    options: ConverseOptions,
}

impl ConversationSetup<'_> {
    /// What a person asked for.
    fn request(&self) -> &str {
        &self.visit.state.session.original_request
    }

    /// Holds it with a model.
    async fn hold(&self, model: &dyn ChatModel) -> Result<Transcript, NodeError> {
        let (visit, workspace) = (self.visit, self.workspace);
        let done = Mutex::new(Vec::new());
        // What is done is kept in case the time runs out before the model answers.
        let watch = |progress: Progress<'_>| {
            let Progress::Outcome(outcome) = progress else { return };
            let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
            done.push(ExecutedAction::of(&outcome.call, "", 1, outcome));
            let memory: Vec<_> =
                done.iter().map(|action: &ExecutedAction| visit.entry(EntryKind::Action, action.line())).collect();
            let update = WorkflowState::update()
                .executed_actions(done.clone())
                .execution_metrics(Metrics::of_actions(&done))
                .working_memory(memory);
            visit.keep(update, &done, workspace.changes());
        };
        let conversation = Conversation::new(model, workspace.tools(), &self.setup.prompts, self.messages.clone());
        converse(conversation.with_options(self.options.clone()).watched_by(&watch), &visit.cx).await
    }
}

/// Whether a conversation ends as if something was changed, although nothing is.
fn claims(request: &str, transcript: &Transcript, workspace: &OverlayTools) -> bool {
    let answer = transcript.answer.as_deref().unwrap_or_default();
    let asked = asks_for_change(request) || (Intents::of(request).changes_something() && claims_change(answer));
    let answered = transcript.stop == Ended::Answered && open_failure(&actions_of(transcript)).is_none();
    answered && asked && workspace.changes().is_empty()
}

/// What an earlier attempt of this request did, when its changes are still there.
fn done_before(state: &WorkflowState) -> String {
    if state.changes.is_empty() {
        return String::new();
    }
    let lines: Vec<String> = state.executed_actions.iter().map(ExecutedAction::line).collect();
    lines.join("\n")
}

/// The calls of a conversation as actions of the run.
fn actions_of(transcript: &Transcript) -> Vec<ExecutedAction> {
    let calls = transcript.calls.iter();
    calls
        .map(|call| ExecutedAction::of(&format!("{}.{}", call.turn, call.outcome.call), "", 1, &call.outcome))
        .collect()
}

fn conclude(
    visit: &Visit,
    workspace: &OverlayTools,
    transcript: Transcript,
    link_repairs: Vec<String>,
    template: &str,
    mut context: crate::state::VaultContext,
) -> Result<Report, NodeError> {
    let state = &visit.state;
    let actions = actions_of(&transcript);
    let changes = workspace.changes();
    context.recent_changes = changes.iter().map(|(path, _)| path.to_string()).collect();
    let failed = actions.iter().filter(|action| !action.result.success).count();
    let mut memory: Vec<_> = actions.iter().map(|action| visit.entry(EntryKind::Action, action.line())).collect();
    let made_up_for_failures = failed > 0 && open_failure(&actions).is_none();
    if made_up_for_failures {
        // The first rule of the completion check does not hold after a failed call. That a later call made up for it is a
        // judgement, and is recorded as one.
        let reason = format!("{failed} failed calls were followed by one that succeeded");
        let signal = CompletionSignal { confidence: 0.9, reason: reason.clone() };
        memory.push(visit.entry(EntryKind::Reflection, reason).with_signal(signal));
    }
    // What an earlier attempt did counts where its changes are still there.
    let earlier_writes = state.executed_actions.iter().filter(|action| action.is_write() && !state.changes.is_empty());
    let before = earlier_writes.count();
    let facts = Facts {
        simple: true,
        iteration: 1,
        actions: actions.len() + before,
        failed,
        threshold: state.session.config.confidence_threshold,
        signal: made_up_for_failures,
        ..Facts::default()
    };
    let stop = stop_reason(&transcript, &actions, !changes.is_empty(), facts).map_err(NodeError::terminal)?;
    let remedy = stop.remedy();
    let confidence = if stop.is_success() { ANSWERED } else { 0.0 };
    let metrics = Metrics { tokens_used: transcript.usage.total(), ..Metrics::of_actions(&actions) };
    let mut exchange = Exchange::default();
    exchange.agent = "simple/request".to_owned();
    exchange.template = template.to_owned();
    exchange.messages = transcript.messages;
    let message = format!("{} actions, {} turns", actions.len(), transcript.turns);
    let told: Vec<String> = actions.iter().flat_map(ExecutedAction::told).collect();
    let update = WorkflowState::update()
        .replace_working_memory(WorkingMemory::with_limit(state.session.config.max_working_memory_entries))
        .working_memory(memory)
        .vault_context(context)
        .executed_actions(actions)
        .repeats(transcript.repeats)
        .changes(Shared::new(changes))
        .answer(transcript.answer.unwrap_or_default())
        .stop(stop)
        .confidence(confidence)
        .execution_metrics(metrics)
        .exchanges([exchange])
        .notes(transcript.notes)
        .notes(told)
        .notes(remedy)
        .notes(link_repairs);
    Ok(Report::new(Decision::TaskComplete, message).with(update))
}
