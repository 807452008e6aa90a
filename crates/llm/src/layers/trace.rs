//! A span for each call, with the attribute names of the `GenAI` conventions of OpenTelemetry.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use futures::StreamExt;
use tracing::field::Empty;
use tracing::{Instrument, Span, info_span};

use crate::{
    Capabilities, ChatEvent, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId,
    ResponseFormat, Usage,
};

/// Opens a `tracing` span for each call. Prompts and answers are not written into it.
pub struct Traced {
    inner: Arc<dyn ChatModel>,
}

impl Traced {
    /// Traces calls of `inner`.
    pub fn new(inner: Arc<dyn ChatModel>) -> Self {
        Self { inner }
    }

    fn span(&self, request: &ChatRequest, stream: bool) -> Span {
        let id = self.inner.id();
        let output = if request.format == ResponseFormat::Text { "text" } else { "json" };
        let params = &request.params;
        info_span!(
            "chat",
            otel.name = %format_args!("chat {}", id.name),
            otel.kind = "client",
            otel.status_code = Empty,
            gen_ai.operation.name = "chat",
            gen_ai.provider.name = %id.provider,
            gen_ai.request.model = %id.name,
            gen_ai.request.max_tokens = params.max_tokens,
            gen_ai.request.temperature = params.temperature,
            gen_ai.request.top_p = params.top_p,
            gen_ai.request.seed = params.seed,
            gen_ai.request.stream = stream,
            gen_ai.output.type = output,
            gen_ai.response.model = Empty,
            gen_ai.response.finish_reasons = Empty,
            gen_ai.usage.input_tokens = Empty,
            gen_ai.usage.output_tokens = Empty,
            gen_ai.usage.cache_read.input_tokens = Empty,
            gen_ai.usage.cache_creation.input_tokens = Empty,
            gen_ai.usage.reasoning.output_tokens = Empty,
            error.type = Empty,
        )
    }
}

fn record_usage(span: &Span, usage: Usage) {
    span.record("gen_ai.usage.input_tokens", usage.input);
    span.record("gen_ai.usage.output_tokens", usage.output);
    span.record("gen_ai.usage.cache_read.input_tokens", usage.cache_read);
    span.record("gen_ai.usage.cache_creation.input_tokens", usage.cache_write);
    span.record("gen_ai.usage.reasoning.output_tokens", usage.reasoning);
}

fn record(span: &Span, end: Result<&ChatResponse, &ModelError>) {
    match end {
        Ok(response) => {
            span.record("gen_ai.response.model", response.model.as_str());
            let finish = serde_json::to_string(&[response.finish]).unwrap_or_default();
            span.record("gen_ai.response.finish_reasons", finish.as_str());
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
        record(&span, result.as_ref());
        result
    }

    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        let span = self.span(&request, true);
        let stream = self.inner.stream(request).instrument(span.clone()).await;
        match stream {
            Ok(stream) => Ok(stream
                .inspect(move |event| match event {
                    Ok(ChatEvent::Done(response)) => record(&span, Ok(response)),
                    Err(error) => record(&span, Err(error)),
                    Ok(_) => {}
                })
                .boxed()),
            Err(error) => {
                record(&span, Err(&error));
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
