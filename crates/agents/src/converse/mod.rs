//! The tool loop: the model replies, its calls are made, the results go back to it, until it answers.

mod durable;
mod options;
mod result;
mod transcript;
mod turn;
mod union;

use std::borrow::Cow;

use futures::StreamExt;
use futures::stream::FuturesOrdered;
use graphloom_llm::{ChatModel, Message, Part, Role, ToolCall, ToolSpec};
use serde_json::{Value, json};

pub use durable::{Direct, Durable};
pub use options::{Conversation, ConverseOptions, Progress};
pub use transcript::{CallRecord, StopReason, Transcript};

use crate::agent::BLANK_REPLIES;
use crate::prompts::{FEEDBACK, LAST_TURN, TOOLS};
use crate::{AgentError, FailedCalls, Prompts, Risk, ToolError, ToolOutcome, ToolRegistry};
pub(crate) use durable::node_error;
pub(crate) use result::{SHORT, images, limit as result_limit, message, rough_tokens};
pub(crate) use turn::{Form, Question, Turn};

/// Lets the model use tools until it answers or its turns are used up.
///
/// Each turn is a step of `durable` under the key `turn/1`, `turn/2` and so on, after
/// [`ConverseOptions::key`]; calls are made again when the conversation is, in the same order with the same arguments.
/// The tools are [looked at](ToolRegistry::current) anew before each turn.
/// Results go back to the model [fenced](crate#prompt-files), with their origin. A model without tool calls is told the
/// tools in words and replies with a JSON object, a call or its answer, by its grammar where it has one.
///
/// A call that cannot be made, or fails, is an observation for the model and no error. A model that replies with neither
/// text nor a call is told so; three such replies in a row end the conversation.
///
/// # Errors
/// [`AgentError::Conversation`] when the model fails, errors of the templates, and those of `durable`.
pub async fn converse<D: Durable>(mut conversation: Conversation<'_>, durable: &D) -> Result<Transcript, D::Error> {
    let registry = conversation.tools;
    let mut tools = registry.current();
    let form = Form::of(conversation.model, &tools);
    let mut specs = tools.specs();
    let mut messages = std::mem::take(&mut conversation.messages);
    if form == Form::Written {
        introduce(conversation.prompts, &specs, &mut messages).map_err(|error| durable.error(error))?;
    }
    let mut transcript = Transcript::new(messages, conversation.options.repeats.clone());
    let mut course = Course::default();
    let turns = conversation.options.max_turns.max(1);
    for number in 1..=turns {
        if number > 1 && matches!(tools, Cow::Owned(_)) {
            tools = registry.current();
            let before = std::mem::replace(&mut specs, tools.specs());
            if form == Form::Written && specs != before {
                introduce(conversation.prompts, &specs, &mut transcript.messages)
                    .map_err(|error| durable.error(error))?;
            }
        }
        let last = number == turns && !specs.is_empty();
        if last {
            let told = last_turn(conversation.prompts).map_err(|error| durable.error(error))?;
            transcript.messages.extend(told);
        }
        let question = Question {
            model: conversation.model,
            form,
            messages: transcript.messages.clone(),
            tools: &specs,
            last,
            number,
            params: conversation.options.params.clone(),
        };
        let key = format!("{}turn/{number}", conversation.options.key);
        let ask = async {
            let failed = |source| AgentError::Conversation { turn: number, source: Box::new(source) };
            question.ask().await.map_err(failed)
        };
        let turn: Turn = durable.once(&key, ask).await?;
        if let Some(watch) = conversation.watch {
            watch(Progress::Turn { turn: number, usage: turn.usage });
        }
        let reached = take(&conversation, &tools, form, turn, number, &mut transcript, &mut course).await;
        if let Some(stop) = reached.map_err(|error| durable.error(error))? {
            // An answer that the model was made to give is not one that it came to.
            let is_forced = last && matches!(stop, StopReason::Answered | StopReason::Silent);
            transcript.stop = if is_forced { StopReason::TurnLimit } else { stop };
            break;
        }
    }
    Ok(transcript)
}

/// What is remembered of a conversation besides its transcript.
#[derive(Default)]
struct Course {
    /// At which message the result of each call stands.
    placed: Vec<usize>,
    /// How many replies in a row held neither text nor a call.
    silent: u32,
}

/// Takes a turn into the transcript, makes its calls, and says why the conversation ends, if it does.
async fn take(
    conversation: &Conversation<'_>,
    tools: &ToolRegistry,
    form: Form,
    turn: Turn,
    number: u32,
    transcript: &mut Transcript,
    course: &mut Course,
) -> Result<Option<StopReason>, AgentError> {
    transcript.turns = number;
    transcript.usage += turn.usage;
    transcript.notes.extend(turn.notes.iter().map(|note| format!("turn {number}: {note}")));
    let silent = turn.is_silent();
    if !silent {
        transcript.messages.push(turn.message);
    }
    if turn.cut {
        transcript.answer = Some(turn.text).filter(|text| !text.trim().is_empty());
        return Ok(Some(StopReason::Cut));
    }
    if silent {
        transcript.notes.push(format!("turn {number}: the reply held neither text nor a call"));
        transcript.messages.extend(feedback(conversation.prompts)?);
        course.silent += 1;
        return Ok((course.silent >= BLANK_REPLIES).then_some(StopReason::Silent));
    }
    course.silent = 0;
    if turn.calls.is_empty() {
        transcript.answer = Some(turn.text);
        return Ok(Some(StopReason::Answered));
    }
    let limit = result::limit(conversation.model, &conversation.options);
    let mut stuck = false;
    let mut images = Vec::new();
    for outcome in make(conversation, tools, &turn.calls, &mut transcript.repeats).await {
        if conversation.model.capabilities().images {
            images.extend(result::images(&outcome));
        }
        stuck |= matches!(outcome.result, Err(ToolError::Repeated { .. }))
            && transcript.calls.iter().any(|earlier| {
                matches!(earlier.outcome.result, Err(ToolError::Repeated { .. }))
                    && earlier.outcome.tool == outcome.tool
                    && earlier.outcome.arguments == outcome.arguments
            });
        course.placed.push(transcript.messages.len());
        transcript.messages.push(result::message(conversation.prompts, form, &outcome, limit)?);
        transcript.calls.push(CallRecord { turn: number, outcome });
    }
    // All results of a turn stand together behind its calls, so the images follow them.
    transcript.messages.extend(images);
    result::fit(conversation, form, &mut transcript.messages, &transcript.calls, &course.placed)?;
    Ok(stuck.then_some(StopReason::Repeating))
}

/// Makes the calls of a turn; gives their outcomes in the order of the calls.
async fn make(
    conversation: &Conversation<'_>,
    tools: &ToolRegistry,
    calls: &[ToolCall],
    repeats: &mut FailedCalls,
) -> Vec<ToolOutcome> {
    let parallel = conversation.options.parallel.max(1);
    let reads = |call: &&ToolCall| parallel > 1 && tools.risk(&call.name) == Some(Risk::Read);
    let mut outcomes = Vec::with_capacity(calls.len());
    let mut rest = calls;
    while !rest.is_empty() {
        let (group, after) = rest.split_at(rest.iter().take_while(reads).count().max(1));
        rest = after;
        let known = repeats.clone();
        let mut waiting = group.iter();
        let mut running = FuturesOrdered::new();
        loop {
            while running.len() < parallel
                && let Some(call) = waiting.next()
            {
                running.push_back(make_one(conversation, tools, call, known.clone()));
            }
            let Some((outcome, later)) = running.next().await else { break };
            if let Some(watch) = conversation.watch {
                watch(Progress::Outcome(&outcome));
            }
            if group.len() == 1 {
                *repeats = later;
            } else {
                repeats.merge(&later, &outcome);
            }
            outcomes.push(outcome);
        }
    }
    outcomes
}

async fn make_one(
    conversation: &Conversation<'_>,
    tools: &ToolRegistry,
    call: &ToolCall,
    mut repeats: FailedCalls,
) -> (ToolOutcome, FailedCalls) {
    if let Some(watch) = conversation.watch {
        watch(Progress::Call(call));
    }
    let outcome = tools.call(call, &mut repeats).await;
    (outcome, repeats)
}

impl Form {
    pub(crate) fn of(model: &dyn ChatModel, tools: &ToolRegistry) -> Self {
        if model.capabilities().tools || tools.is_empty() { Self::Native } else { Self::Written }
    }
}

/// Tells the model in words which tools there are, under its first instructions; once.
pub(crate) fn introduce(prompts: &Prompts, specs: &[ToolSpec], messages: &mut Vec<Message>) -> Result<(), AgentError> {
    let tools: Vec<Value> = specs.iter().map(described).collect();
    let rendered = prompts.render(TOOLS, &json!({ "tools": tools }))?;
    let text: String = rendered.messages.iter().map(Message::joined_text).collect();
    match messages.iter_mut().find(|message| message.role == Role::System) {
        Some(system) if system.joined_text().contains(&text) => {}
        Some(system) => system.parts.push(Part::Text { text: format!("\n\n{text}") }),
        None => messages.insert(0, Message::system(text)),
    }
    Ok(())
}

/// A tool as the template reads it.
fn described(spec: &ToolSpec) -> Value {
    let required = spec.parameters.get("required").and_then(Value::as_array);
    let properties = spec.parameters.get("properties").and_then(Value::as_object);
    let arguments: Vec<Value> = properties
        .into_iter()
        .flatten()
        .map(|(name, schema)| {
            json!({
                "name": name,
                "required": required.is_some_and(|names| names.iter().any(|each| each == name)),
                "description": schema.get("description").and_then(Value::as_str).unwrap_or_default(),
            })
        })
        .collect();
    json!({ "name": spec.name, "description": spec.description, "arguments": arguments })
}

/// What a model is told that said nothing.
pub(crate) fn feedback(prompts: &Prompts) -> Result<Vec<Message>, AgentError> {
    Ok(prompts.render(FEEDBACK, &json!({ "problem": "it held neither text nor a tool call" }))?.messages)
}

/// What a model is told before its last turn.
pub(crate) fn last_turn(prompts: &Prompts) -> Result<Vec<Message>, AgentError> {
    Ok(prompts.render(LAST_TURN, &Value::Null)?.messages)
}
