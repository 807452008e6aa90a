//! How fast a model reads and writes on this machine, measured once and kept beside its weights.

use std::fmt;
use std::path::PathBuf;
use std::time::Instant;

use futures::StreamExt;
use graphloom_cli::{DataDir, Failure, Progress, installed_weights};
use graphloom_llm::{ChatEvent, ChatModel, ChatRequest, ModelError, Params};
use graphloom_llm_embedded::weights::{self, KnownModel};
use graphloom_llm_embedded::{Embedded, LoadOptions};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What a model is asked: something that every model has words for, after a text of the length of an excerpt.
const REQUEST: &str =
    "Tell in a few paragraphs how tides come about, and what they mean for harbours and for people on a coast.";

/// The tokens that are generated at most.
const TOKENS: u32 = 200;

/// How fast a model is on a machine.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(super) struct Speed {
    /// Words it writes in a minute.
    words_per_minute: f64,
    /// Tokens of a request that it reads in a second.
    tokens_read_per_second: f64,
}

impl Speed {
    /// The speed that was measured with these weights.
    pub(super) fn of(model: &KnownModel, dirs: &DataDir) -> Option<Self> {
        serde_json::from_slice(&std::fs::read(place(model, dirs)).ok()?).ok()
    }
}

impl fmt::Display for Speed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "writes {:.0} words a minute and reads {:.0} tokens a second",
            self.words_per_minute, self.tokens_read_per_second
        )
    }
}

fn place(model: &KnownModel, dirs: &DataDir) -> PathBuf {
    weights::path(model, &dirs.models()).with_file_name("speed.json")
}

/// Has a model that was fetched read and write, and keeps how fast it was.
pub(super) async fn measure(
    model: &KnownModel,
    dirs: &DataDir,
    progress: &Progress,
) -> Result<(String, Value), Failure> {
    let Some(path) = installed_weights(model, dirs)? else { return Err(super::missing(model, dirs)) };
    progress.phase("loading the model");
    let loaded = Embedded::load(&path, &LoadOptions::default())?;
    progress.phase(format!("`{}` reads and writes", model.name));
    // The first call takes the weights from the disk.
    timed(&loaded, "Hello.".to_owned(), 1).await?;
    let numbers: Vec<String> = (1..=150).map(|number| number.to_string()).collect();
    let speed =
        timed(&loaded, format!("{REQUEST} Do not mention these numbers: {}.", numbers.join(", ")), TOKENS).await?;
    let place = place(model, dirs);
    if let Some(dir) = place.parent() {
        std::fs::create_dir_all(dir)?;
    }
    std::fs::write(&place, serde_json::to_vec(&speed)?)?;
    Ok((format!("`{}` {speed} on this machine", model.name), json!({"model": model.name, "speed": speed})))
}

async fn timed(model: &Embedded, text: String, max_tokens: u32) -> Result<Speed, ModelError> {
    let params = Params { max_tokens: Some(max_tokens), temperature: Some(0.7), ..Params::default() };
    let start = Instant::now();
    let mut stream = model.stream(ChatRequest { params, ..ChatRequest::user(text) }).await?;
    let mut first = None;
    while let Some(event) = stream.next().await {
        let now = start.elapsed().as_secs_f64();
        match event? {
            ChatEvent::Done(response) => {
                let first: f64 = first.unwrap_or(now);
                let read = response.usage.input.saturating_sub(response.usage.cache_read);
                return Ok(Speed {
                    words_per_minute: response.text().split_whitespace().count() as f64
                        / (now - first).max(f64::EPSILON)
                        * 60.0,
                    tokens_read_per_second: read as f64 / first.max(f64::EPSILON),
                });
            }
            _ => first = first.or(Some(now)),
        }
    }
    Err(ModelError::Internal { model: model.id().to_string(), message: "the stream has no end".to_owned() })
}
