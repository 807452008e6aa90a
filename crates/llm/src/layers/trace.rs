//! A span for each call, with the attribute names of the `GenAI` conventions of OpenTelemetry.

mod content;

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use futures::StreamExt;
use tokio::time::Instant;
use tracing::field::Empty;
use tracing::{Instrument, Span, info_span};

use crate::{
    Capabilities, ChatEvent, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId,
    ResponseFormat, Usage,
};

/// The variable that asks for prompts and answers in spans, by the conventions: `true` or nothing.
pub const CONTENT_VARIABLE: &str = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT";

/// Opens a `tracing` span for each call. Prompts and answers are written into it only when that is asked for.
pub struct Traced {
    server: Option<(String, u16)>,
    content: bool,
    inner: Arc<dyn ChatModel>,
}

impl Traced {
    /// Traces calls of `inner`.
    pub fn new(inner: Arc<dyn ChatModel>) -> Self {
        Self { server: None, content: false, inner }
    }

    /// States the server that calls go to.
    #[must_use]
    pub fn at(mut self, address: impl Into<String>, port: u16) -> Self {
        self.server = Some((address.into(), port));
        self
    }

    /// Whether prompts, answers and tools are written into the spans, as JSON. Programs ask for it when
    /// [`CONTENT_VARIABLE`] is `true`.
    #[must_use]
    pub fn with_content(mut self, content: bool) -> Self {
        self.content = content;
        self
    }

    fn span(&self, request: &ChatRequest, stream: bool) -> Span {
        let id = self.inner.id();
        let output = if request.format == ResponseFormat::Text { "text" } else { "json" };
        let params = &request.params;
        // Numbers are signed: exporters of spans know no others.
        let stop = (!params.stop.is_empty()).then(|| json(&params.stop));
        let (address, port) =
            self.server.as_ref().map_or((None, None), |(address, port)| (Some(address), Some(i64::from(*port))));
        let span = info_span!(
            "chat",
            otel.name = %format_args!("chat {}", id.name),
            otel.kind = "client",
            otel.status_code = Empty,
            gen_ai.operation.name = "chat",
            gen_ai.provider.name = %provider_name(&id.provider),
            gen_ai.request.model = %id.name,
            gen_ai.request.max_tokens = params.max_tokens.map(i64::from),
            gen_ai.request.temperature = params.temperature,
            gen_ai.request.top_p = params.top_p,
            gen_ai.request.seed = params.seed.map(signed),
            gen_ai.request.stop_sequences = stop,
            gen_ai.request.stream = stream,
            gen_ai.output.type = output,
            gen_ai.response.id = Empty,
            gen_ai.response.model = Empty,
            gen_ai.response.finish_reasons = Empty,
            gen_ai.response.time_to_first_chunk = Empty,
            gen_ai.usage.input_tokens = Empty,
            gen_ai.usage.output_tokens = Empty,
            gen_ai.usage.cache_read.input_tokens = Empty,
            gen_ai.usage.cache_creation.input_tokens = Empty,
            gen_ai.usage.reasoning.output_tokens = Empty,
            gen_ai.system_instructions = Empty,
            gen_ai.input.messages = Empty,
            gen_ai.output.messages = Empty,
            gen_ai.tool.definitions = Empty,
            server.address = address,
            server.port = port,
            error.type = Empty,
        );
        if self.content {
            let (instructions, messages) = content::of_request(request);
            span.record("gen_ai.system_instructions", instructions);
            span.record("gen_ai.input.messages", messages);
            span.record("gen_ai.tool.definitions", content::of_tools(request));
        }
        span
    }
}

/// The names that the conventions have for providers; others keep their own.
fn provider_name(name: &str) -> &str {
    match name {
        "gemini" => "gcp.gemini",
        "mistral" => "mistral_ai",
        "xai" => "x_ai",
        "openai-chat" => "openai",
        "azure" => "azure.ai.openai",
        other => other,
    }
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn record_usage(span: &Span, usage: Usage) {
    span.record("gen_ai.usage.input_tokens", signed(usage.input));
    span.record("gen_ai.usage.output_tokens", signed(usage.output));
    span.record("gen_ai.usage.cache_read.input_tokens", signed(usage.cache_read));
    span.record("gen_ai.usage.cache_creation.input_tokens", signed(usage.cache_write));
    span.record("gen_ai.usage.reasoning.output_tokens", signed(usage.reasoning));
}

fn record(span: &Span, end: Result<&ChatResponse, &ModelError>, content: bool) {
    match end {
        Ok(response) => {
            if content {
                span.record("gen_ai.output.messages", content::of_response(response));
            }
            span.record("gen_ai.response.id", response.request_id.as_deref());
            span.record("gen_ai.response.model", response.model.as_str());
            span.record("gen_ai.response.finish_reasons", json(&[&response.finish]));
            record_usage(span, response.usage);
        }
        Err(error) => record_error(span, error),
    }
}

fn record_error(span: &Span, error: &ModelError) {
    span.record("otel.status_code", "ERROR");
    let kind = serde_json::to_value(error).ok().and_then(|value| value.get("error")?.as_str().map(str::to_owned));
    span.record("error.type", kind.as_deref().unwrap_or("_OTHER"));
}

#[async_trait]
impl ChatModel for Traced {
    fn id(&self) -> &ModelId {
        self.inner.id()
    }

    fn capabilities(&self) -> &Capabilities {
        self.inner.capabilities()
    }

    async fn chat(&self, request: ChatRequest) -> Result<ChatResponse, ModelError> {
        let span = self.span(&request, false);
        let result = self.inner.chat(request).instrument(span.clone()).await;
        record(&span, result.as_ref(), self.content);
        result
    }

    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        let span = self.span(&request, true);
        let begun = Instant::now();
        let stream = self.inner.stream(request).instrument(span.clone()).await;
        match stream {
            Ok(stream) => {
                let (content, mut begun) = (self.content, Some(begun));
                Ok(stream
                    .inspect(move |event| {
                        if let Some(begun) = begun.take() {
                            span.record("gen_ai.response.time_to_first_chunk", begun.elapsed().as_secs_f64());
                        }
                        match event {
                            Ok(ChatEvent::Done(response)) => record(&span, Ok(response), content),
                            Err(error) => record_error(&span, error),
                            Ok(_) => {}
                        }
                    })
                    .boxed())
            }
            Err(error) => {
                record_error(&span, &error);
                Err(error)
            }
        }
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        let span = self.span(&request, false);
        let result = self.inner.choose(request, options).instrument(span.clone()).await;
        match &result {
            Ok(choice) => record_usage(&span, choice.usage),
            Err(error) => record_error(&span, error),
        }
        result
    }
}

impl fmt::Debug for Traced {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Traced").field("model", self.inner.id()).finish()
    }
}
