//! The model as applications see it.

use std::path::Path;

use async_trait::async_trait;
use futures::StreamExt;
use graphloom_llm::thoughts::apart_stream;
use graphloom_llm::{
    Capabilities, ChatEvent, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId,
    StructuredSupport, fence,
};
use tokio::sync::{mpsc, oneshot};

use crate::EmbeddedError;
use crate::engine::{Call, Engine};
use crate::model::{Gguf, Network};
use crate::prompt::Template;
use crate::tokenizer::Tokenizer;
use crate::weights::{self, KnownModel};

/// How a model is loaded.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LoadOptions {
    /// The most tokens of a conversation; what the model was made for where that is less. Every token of a conversation takes
    /// memory, 46 KB with the default model.
    pub context: u32,
    /// The most calls that wait; more wait outside, in their order.
    pub queue: usize,
}

impl Default for LoadOptions {
    fn default() -> Self {
        Self { context: 8192, queue: 64 }
    }
}

/// A model that runs inside this process, on a thread of its own.
///
/// A clone is another handle of the same model; the thread ends with the last one. Up to four calls are under way at
/// once, each with a token in turn. The same request, with the same seed or with none, gets the same answer.
#[derive(Clone, Debug)]
pub struct Embedded {
    id: ModelId,
    capabilities: Capabilities,
    calls: mpsc::Sender<Call>,
}

impl Embedded {
    /// Loads a GGUF file. This takes about a second for the default model and blocks: in async code
    /// run it on a blocking thread.
    ///
    /// The model's id is `embedded:` and the file's name in lower case, without its extension and with `-` between its parts.
    ///
    /// # Errors
    /// [`EmbeddedError::Io`] when the file cannot be read, [`EmbeddedError::Gguf`] when it is damaged,
    /// [`EmbeddedError::Unsupported`] when it is another kind of model.
    pub fn load(path: &Path, options: &LoadOptions) -> Result<Self, EmbeddedError> {
        let id = ModelId::new("embedded", name_of(path));
        let gguf = Gguf::open(path)?;
        let network = Network::load(&gguf, usize::try_from(options.context).unwrap_or(usize::MAX))?;
        let tokenizer = Tokenizer::load(&gguf)?;
        if tokenizer.len() > network.vocabulary() {
            let (tokens, rows) = (tokenizer.len(), network.vocabulary());
            return Err(gguf.fault(format!("its vocabulary has {tokens} tokens, its network {rows}")));
        }
        let template = Template::load(&gguf, &tokenizer)?;
        let capabilities = Capabilities {
            structured: StructuredSupport::Constrained,
            tools: false,
            images: false,
            sampling: true,
            context: u32::try_from(network.context()).ok(),
            local: true,
            documents: false,
        };
        let engine = Engine::new(id.name.clone(), id.to_string(), network, tokenizer, template);
        let (calls, receiver) = mpsc::channel(options.queue.max(1));
        std::thread::Builder::new()
            .name("graphloom-embedded".to_owned())
            .spawn(move || engine.run(receiver))
            .map_err(EmbeddedError::Thread)?;
        Ok(Self { id, capabilities, calls })
    }

    /// Loads a known model whose weights were fetched into `dir`.
    ///
    /// # Errors
    /// [`EmbeddedError::Missing`] when they were not, and the errors of [`weights::locate`] and [`Embedded::load`].
    pub fn open(model: &KnownModel, dir: &Path, options: &LoadOptions) -> Result<Self, EmbeddedError> {
        match weights::locate(model, dir)? {
            Some(path) => Self::load(&path, options),
            None => Err(EmbeddedError::Missing { model: model.name.to_owned(), path: weights::path(model, dir) }),
        }
    }

    async fn call(&self, call: Call) -> Result<(), ModelError> {
        self.calls.send(call).await.map_err(|_| self.gone())
    }

    fn gone(&self) -> ModelError {
        ModelError::Internal { model: self.id.to_string(), message: "its thread ended during the call".to_owned() }
    }
}

#[async_trait]
impl ChatModel for Embedded {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    async fn chat(&self, request: ChatRequest) -> Result<ChatResponse, ModelError> {
        let mut stream = self.stream(request).await?;
        while let Some(event) = stream.next().await {
            if let ChatEvent::Done(response) = event? {
                return Ok(response);
            }
        }
        Err(self.gone())
    }

    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        let (accepted, answer) = oneshot::channel();
        let (events, mut receiver) = mpsc::unbounded_channel();
        self.call(Call::Chat { request: sealed(request), accepted, events }).await?;
        answer.await.map_err(|_| self.gone())??;
        let model = self.clone();
        let mut ended = false;
        let events = futures::stream::poll_fn(move |context| {
            if ended {
                return std::task::Poll::Ready(None);
            }
            receiver.poll_recv(context).map(|event| {
                let event = event.unwrap_or_else(|| Err(model.gone()));
                ended = matches!(event, Ok(ChatEvent::Done(_)) | Err(_));
                Some(event)
            })
        });
        // Weights of other makers may think aloud, whatever they are told.
        Ok(apart_stream(events.boxed()))
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        let (reply, answer) = oneshot::channel();
        self.call(Call::Choose { request: sealed(request), options: options.to_vec(), reply }).await?;
        answer.await.map_err(|_| self.gone())?
    }
}

/// The request with a mark in its fences that is its own: equal requests get equal answers.
fn sealed(request: ChatRequest) -> ChatRequest {
    let mark = fence::mark_of(&request);
    fence::seal(request, &mark)
}

/// `SmolLM2-135M-Instruct.Q4_1.gguf` is `smollm2-135m-instruct-q4_1`.
pub(crate) fn name_of(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().to_lowercase();
    stem.chars().map(|char| if char.is_alphanumeric() || char == '_' { char } else { '-' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_model_has_its_known_name() {
        assert_eq!(name_of(Path::new("models").join(weights::SMOLLM2_135M.file).as_path()), weights::SMOLLM2_135M.name);
    }
}
