//! Summarising messages by the model.

use graphloom_llm::{ChatModel, ChatRequest, FinishReason, Message, Part, Role, Usage};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::groups::{Group, tokens};
use super::outline::outline;
use super::{Compaction, CompactionOptions, failed};
use crate::converse::Durable;
use crate::prompts::{EARLIER, SUMMARY};
use crate::{AgentError, Prompts, Strategy};

/// The window of a model that states none, where the caller asks for a summary all the same.
const WINDOW: u64 = 8_000;
/// Characters of a token, at most about.
const CHARACTERS: u64 = 3;
/// The fewest and the most words of a summary.
const WORDS: (u64, u64) = (60, 400);
/// Characters of a word, at most about.
const WORD: u64 = 10;

/// A summary of groups.
pub(crate) struct Summary {
    pub(crate) text: String,
    /// How many messages it is of.
    pub(crate) messages: u32,
    outlined: bool,
    usage: Usage,
}

impl Summary {
    pub(crate) fn into_compaction(self, groups: u32, before: u64, after: u64) -> Compaction {
        let Self { text, messages, outlined, usage } = self;
        Compaction { groups, messages, before, after, text, outlined, usage }
    }
}

/// What one call of the model gave.
#[derive(Serialize, Deserialize)]
struct Piece {
    text: String,
    usage: Usage,
}

/// Summarises groups, with an earlier summary before them. As many as fit are read at a time, each time with the summary so
/// far; a model that is too small to write is not asked.
pub(crate) async fn summarise<D: Durable>(
    model: &dyn ChatModel,
    prompts: &Prompts,
    before: Option<&Compaction>,
    groups: &[&Group],
    options: &CompactionOptions,
    durable: &D,
) -> Result<Summary, D::Error> {
    let window = options.most(model).filter(|most| *most > 0).unwrap_or(WINDOW);
    let words = (window / 10).clamp(WORDS.0, WORDS.1);
    let most = usize::try_from(words * WORD).unwrap_or(usize::MAX);
    let count: usize = groups.iter().map(|group| group.messages.len()).sum();
    let mut summary = Summary {
        text: before.map(|before| before.text.clone()).unwrap_or_default(),
        messages: before.map_or(0, |before| before.messages).saturating_add(u32::try_from(count).unwrap_or(u32::MAX)),
        outlined: before.is_some_and(|before| before.outlined),
        usage: Usage::default(),
    };
    for (at, chunk) in chunks(groups, window).into_iter().enumerate() {
        let earlier = Some(summary.text.as_str()).filter(|text| !text.is_empty());
        let messages = || chunk.iter().flat_map(|group| &group.messages);
        let piece = if Strategy::of(model.capabilities()) == Strategy::Guided {
            Piece { text: String::new(), usage: Usage::default() }
        } else {
            let limit = usize::try_from(window * CHARACTERS).unwrap_or(usize::MAX) / messages().count().max(1);
            let shown: Vec<Value> = messages().flat_map(|message| shown(message, limit)).collect();
            let args = json!({ "earlier": earlier.unwrap_or_default(), "messages": shown, "words": words });
            let rendered = prompts.render(SUMMARY, &args).map_err(|error| durable.error(error))?;
            let request =
                ChatRequest { messages: rendered.messages, params: options.params.clone(), ..ChatRequest::default() };
            let ask = async {
                let response = model.chat(request).await.map_err(failed)?;
                // Half a summary leaves out what came last; one that only its limit ends is as long as it may be.
                let is_usable = response.finish.is_whole() || response.finish == FinishReason::Length;
                let text = if is_usable { response.text() } else { String::new() };
                Ok(Piece { text: text.trim().to_owned(), usage: response.usage })
            };
            durable.once(&format!("{}summary/{}", options.key, at + 1), ask).await?
        };
        summary.usage += piece.usage;
        summary.outlined |= piece.text.is_empty();
        summary.text = match piece.text.as_str() {
            "" => outline(earlier, messages(), most),
            text => cut(text, most),
        };
    }
    Ok(summary)
}

/// Groups that are read together: as many as fit into a window, at least one.
fn chunks<'g>(groups: &[&'g Group], window: u64) -> Vec<Vec<&'g Group>> {
    let mut chunks: Vec<Vec<&Group>> = Vec::new();
    let mut used = 0;
    for group in groups {
        used += tokens(group);
        match chunks.last_mut() {
            Some(chunk) if used <= window => chunk.push(group),
            _ => {
                used = tokens(group);
                chunks.push(vec![group]);
            }
        }
    }
    chunks
}

/// A message as the template reads it, part by part.
fn shown(message: &Message, limit: usize) -> Vec<Value> {
    let text = |who: &str, text: &str| json!({ "who": who, "text": cut(text, limit) });
    let who = match message.role {
        Role::Assistant => "the model",
        Role::System => "the instructions",
        _ => "what the model was told",
    };
    let part = |part: &Part| match part {
        Part::Text { text: words } if !words.trim().is_empty() => Some(text(who, words)),
        Part::ToolCall(call) => Some(text("a call of the model", &format!("{} with {}", call.name, call.arguments))),
        Part::ToolResult(result) => Some(text("what a tool answered", &result.content)),
        Part::Image { .. } => Some(text(who, "(an image)")),
        Part::Document { name, .. } => Some(text(who, &format!("(a document: {})", name.as_deref().unwrap_or("-")))),
        _ => None,
    };
    message.parts.iter().filter_map(part).collect()
}

/// The beginning of a text.
fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// The message that stands in the place of what was summarised.
pub(crate) fn earlier(prompts: &Prompts, text: &str, messages: u32) -> Result<Vec<Message>, AgentError> {
    Ok(prompts.render(EARLIER, &json!({ "text": text, "messages": messages }))?.messages)
}
