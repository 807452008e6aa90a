//! One turn: the model replies with calls or with its answer.

use graphloom_llm::{
    ChatModel, ChatRequest, FinishReason, Message, ModelError, Params, ResponseFormat, StructuredOptions, ToolCall,
    ToolChoice, ToolSpec, Usage, structured_value,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::union;
use crate::notes::of_steps;

/// The result of a turn, as it is stored.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Turn {
    /// The model's message as it goes into the conversation.
    pub(crate) message: Message,
    pub(crate) calls: Vec<ToolCall>,
    /// The text when there are no calls.
    pub(crate) text: String,
    /// Whether the reply was broken off, which the notes tell.
    pub(crate) cut: bool,
    pub(crate) usage: Usage,
    pub(crate) notes: Vec<String>,
}

impl Turn {
    /// Whether the reply held neither text nor a call; thoughts are no text.
    pub(crate) fn is_silent(&self) -> bool {
        self.calls.is_empty() && self.text.trim().is_empty()
    }
}

/// How the model calls tools.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// By the provider's own means.
    Native,
    /// By an object of a schema, for models without tool calls.
    Written,
}

/// One question to the model.
pub(crate) struct Question<'a> {
    pub(crate) model: &'a dyn ChatModel,
    pub(crate) form: Form,
    pub(crate) messages: Vec<Message>,
    pub(crate) tools: &'a [ToolSpec],
    /// Whether tools are no longer offered.
    pub(crate) last: bool,
    pub(crate) number: u32,
    pub(crate) params: Params,
}

impl Question<'_> {
    pub(crate) async fn ask(self) -> Result<Turn, ModelError> {
        match self.form {
            Form::Native => self.ask_natively().await,
            Form::Written => self.ask_in_text().await,
        }
    }

    async fn ask_natively(self) -> Result<Turn, ModelError> {
        let request = ChatRequest {
            messages: self.messages,
            tools: self.tools.to_vec(),
            tool_choice: if self.last { ToolChoice::None } else { ToolChoice::Auto },
            format: ResponseFormat::Text,
            params: self.params,
            ..ChatRequest::default()
        };
        let response = self.model.chat(request).await?;
        if response.finish == FinishReason::ContentFilter {
            let message = "the provider withheld the reply".to_owned();
            return Err(ModelError::Refused { model: self.model.id().to_string(), message });
        }
        let broken_off = response.broken_off();
        let cut = broken_off.is_some();
        // A call that was cut off could do half of what was meant.
        let calls = if cut { Vec::new() } else { response.tool_calls().cloned().collect() };
        let text = response.text();
        let notes = broken_off.map(|told| format!("the reply {told}")).into_iter().collect();
        Ok(Turn { calls, text, cut, usage: response.usage, notes, message: response.message })
    }

    async fn ask_in_text(self) -> Result<Turn, ModelError> {
        let support = self.model.capabilities().structured;
        let schema = if self.last { union::answer_only() } else { union::tools_or_answer(self.tools, support) };
        let options = StructuredOptions { name: Some("turn".to_owned()), ..StructuredOptions::default() };
        let request = ChatRequest { messages: self.messages, params: self.params, ..ChatRequest::default() };
        let reply = match structured_value(self.model, request, &schema, &options).await {
            Ok(reply) => reply,
            Err(ModelError::Incomplete { partial, .. }) => {
                return Ok(Turn {
                    message: Message::assistant(partial.as_str()),
                    calls: Vec::new(),
                    text: partial,
                    cut: true,
                    usage: Usage::default(),
                    notes: FinishReason::Length
                        .broken_off()
                        .map(|told| format!("the reply {told}"))
                        .into_iter()
                        .collect(),
                });
            }
            Err(error) => return Err(error),
        };
        let mut turn = Turn {
            message: Message::assistant(reply.value.to_string()),
            calls: Vec::new(),
            text: String::new(),
            cut: false,
            usage: reply.usage,
            notes: of_steps(&reply.trace),
        };
        match (reply.value.get("tool").and_then(Value::as_str), reply.value.get("answer")) {
            (Some(name), _) if !self.last => turn.calls.push(ToolCall {
                id: format!("call-{}", self.number),
                name: name.to_owned(),
                arguments: reply.value.get("arguments").cloned().unwrap_or_default(),
            }),
            (_, Some(Value::String(answer))) => turn.text.clone_from(answer),
            _ => {}
        }
        Ok(turn)
    }
}
