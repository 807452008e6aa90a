//! What all wires have in common: a wire is a set of pure functions between bytes and types.

use serde_json::Value;

use super::answer::Answer;
use super::features::Features;
use super::listing::Page;
use super::table::Peculiarities;
use super::{anthropic, gemini, ollama, openai_chat, openai_responses};
use crate::{ChatEvent, ChatRequest, ModelError};

/// How a provider's requests and answers are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Wire {
    /// OpenAI's chat completions, which most servers speak.
    OpenAiChat,
    /// OpenAI's responses.
    OpenAiResponses,
    /// Anthropic's messages.
    Anthropic,
    /// Gemini's `generateContent`.
    Gemini,
    /// Ollama's own interface.
    Ollama,
}

impl Wire {
    /// The name of the wire, as [`Part::EncryptedReasoning`](crate::Part::EncryptedReasoning) states it.
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAiChat => openai_chat::NAME,
            Self::OpenAiResponses => openai_responses::NAME,
            Self::Anthropic => anthropic::NAME,
            Self::Gemini => gemini::NAME,
            Self::Ollama => ollama::NAME,
        }
    }

    pub(super) fn protocol(self) -> &'static dyn Protocol {
        match self {
            Self::OpenAiChat => &openai_chat::OpenAiChat,
            Self::OpenAiResponses => &openai_responses::OpenAiResponses,
            Self::Anthropic => &anthropic::Anthropic,
            Self::Gemini => &gemini::Gemini,
            Self::Ollama => &ollama::Ollama,
        }
    }
}

/// A request on its way to a provider.
#[derive(Debug)]
pub(super) struct Outgoing<'a> {
    pub(super) request: &'a ChatRequest,
    /// The model's name at the provider.
    pub(super) model: &'a str,
    pub(super) stream: bool,
    /// The features that are used with this provider.
    pub(super) features: Features,
    pub(super) peculiarities: &'a Peculiarities,
    /// The most tokens of input and output together, where the user has set it.
    pub(super) context: Option<u32>,
}

/// Where a request goes, below the base address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) segments: Vec<String>,
    pub(super) query: Vec<(&'static str, String)>,
}

impl Place {
    pub(super) fn of(segments: &[&str]) -> Self {
        Self { segments: segments.iter().map(|segment| (*segment).to_owned()).collect(), query: Vec::new() }
    }
}

/// How the events of a streamed answer are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// Server-sent events.
    Events,
    /// A line of JSON each.
    Lines,
}

/// The functions of one wire.
pub(super) trait Protocol: Sync {
    /// Where a request for an answer goes.
    fn place(&self, model: &str, stream: bool) -> Place;

    /// Headers that every request has.
    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// The body of a request.
    ///
    /// # Errors
    /// What the provider cannot do, as the words after "cannot".
    fn encode(&self, outgoing: &Outgoing<'_>) -> Result<Value, String>;

    /// How a streamed answer is cut into events.
    fn framing(&self) -> Framing {
        Framing::Events
    }

    /// A reader of one answer.
    fn reader(&self) -> Box<dyn Reader>;

    /// Where the list of models is; `next` is what the page before named as the next page.
    fn list_place(&self, next: Option<&str>) -> Place;

    /// A page of the list of models; `None` when the JSON is no such list.
    fn list(&self, root: &Value) -> Option<Page>;
}

/// Reads one answer, whole or event by event.
pub(super) trait Reader: Send {
    /// Takes a whole answer.
    ///
    /// # Errors
    /// What the JSON lacks, in words, when it is no answer; [`ModelError`] for an answer that says that it failed.
    fn whole(&mut self, root: &Value, answer: &mut Answer) -> Result<(), NoAnswer>;

    /// Takes one event of a stream, and adds what it says to `events`.
    ///
    /// # Errors
    /// The error that the event tells.
    fn event(
        &mut self,
        event: &Value,
        answer: &mut Answer,
        events: &mut Vec<ChatEvent>,
    ) -> Result<Progress, ModelError>;
}

/// Why JSON is no answer.
#[derive(Debug)]
pub(super) enum NoAnswer {
    /// It has not the form of one.
    Form(String),
    /// It tells an error.
    Error(ModelError),
}

/// Whether more events of an answer follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// More may follow.
    More,
    /// This was the last one.
    Ended,
}
