//! SearXNG, `GET /search?format=json`.

use async_trait::async_trait;
use serde_json::Value;

use super::gateway;
use crate::RetrievalError;
use crate::literature::json::{list_at, text_at};
use crate::literature::text::{plain, shortened};
use crate::literature::{Fault, Gateway, Politeness, Reply, Url};
use crate::web::bounds::MOST_RESULTS;
use crate::web::shape::{lines_at, list, object, question};
use crate::web::{Engine, EngineAnswer, EngineName, WebOptions, WebResult};

/// SearXNG: a search engine over others, run by oneself. Its settings must allow the format `json`.
#[derive(Clone, Debug)]
pub struct Searxng {
    gateway: Gateway,
    url: Url,
    language: String,
}

impl Searxng {
    /// The instance at the address of `options`; there is no usual one.
    ///
    /// # Errors
    /// [`RetrievalError::NoAddress`]; [`RetrievalError::SourceAddress`]; [`RetrievalError::NoClient`].
    pub fn open(options: &WebOptions) -> Result<Self, RetrievalError> {
        let setup = options.setup(EngineName::Searxng, None, "/search")?;
        let gateway = gateway(&setup, options, Politeness::default().trying(2))?;
        Ok(Self { gateway, url: setup.url, language: options.language.clone() })
    }
}

#[async_trait]
impl Engine for Searxng {
    fn name(&self) -> &str {
        EngineName::Searxng.as_str()
    }

    async fn search(&self, query: &str, limit: usize) -> Result<EngineAnswer, Fault> {
        let mut url = self.url.clone();
        url.query_pairs_mut()
            .append_pair("q", &question(query)?)
            .append_pair("format", "json")
            .append_pair("language", &self.language)
            .append_pair("pageno", "1");
        let limit = limit.clamp(1, MOST_RESULTS);
        let asked = self.gateway.ask(&url, |reply| read(reply, limit)).await?;
        Ok(asked.value.after(asked.notes))
    }
}

fn read(reply: &Reply, limit: usize) -> Result<EngineAnswer, Fault> {
    let body = object(reply)?;
    let items = list(&body, "/results")?;
    let silent = list_at(&body, "/unresponsive_engines");
    if items.is_empty() && !silent.is_empty() {
        // An instance whose engines are all dead reports success and no results.
        let reason = shortened(&format!("its engines gave no answer: {}", silent_engines(silent)), 200);
        return Err(Fault::Down { reason });
    }
    let result = |(item, rank): (&Value, u32)| {
        let (title, text) = (plain(lines_at(item, "/title")), plain(lines_at(item, "/content")));
        let result = WebResult::new("searxng", rank, lines_at(item, "/url"), &title, &text)?;
        Some(result.published(text_at(item, "/publishedDate")))
    };
    let mut answer = EngineAnswer::of(items.iter().zip(1..).map(result), limit);
    if !silent.is_empty() {
        answer.notes.push(shortened(&format!("some of its engines gave no answer: {}", silent_engines(silent)), 200));
    }
    Ok(answer)
}

/// Each engine comes as a pair of its name and what happened.
fn silent_engines(silent: &[Value]) -> String {
    let in_words = |pair: &Value| match (text_at(pair, "/0"), text_at(pair, "/1")) {
        (Some(name), Some(reason)) => format!("{name} ({reason})"),
        (Some(name), None) => name,
        _ => "one without a name".to_owned(),
    };
    silent.iter().map(in_words).collect::<Vec<_>>().join(", ")
}
