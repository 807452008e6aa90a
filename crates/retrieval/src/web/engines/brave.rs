//! Brave Search, `GET /res/v1/web/search`.

use async_trait::async_trait;
use serde_json::Value;

use super::{gateway, paid};
use crate::RetrievalError;
use crate::literature::json::{list_at, text_at};
use crate::literature::text::plain;
use crate::literature::{ApiKey, Fault, Gateway, Reply, Request, Url, without_key};
use crate::web::bounds::MOST_RESULTS;
use crate::web::shape::{lines_at, object, question};
use crate::web::{Engine, EngineAnswer, EngineName, WebOptions, WebResult};

/// The longest question that Brave takes, in characters.
const LONGEST_QUESTION: usize = 400;
/// The most words of a question that Brave takes.
const MOST_WORDS: usize = 50;

/// Brave Search: pages of an index of its own, with their descriptions and, where the plan has them, more excerpts.
#[derive(Clone, Debug)]
pub struct Brave {
    gateway: Gateway,
    url: Url,
    key: Option<ApiKey>,
    language: String,
}

impl Brave {
    /// The host that Brave serves.
    pub const ADDRESS: &'static str = "https://api.search.brave.com";

    /// Brave with the key and the address of `options`.
    ///
    /// # Errors
    /// [`RetrievalError::NoKey`] without a key at the usual address; [`RetrievalError::SourceAddress`];
    /// [`RetrievalError::NoClient`].
    pub fn open(options: &WebOptions) -> Result<Self, RetrievalError> {
        let setup = options.setup(EngineName::Brave, Some(Self::ADDRESS), "/res/v1/web/search")?;
        let gateway = gateway(&setup, options, paid())?;
        Ok(Self { gateway, url: setup.url, key: setup.key, language: options.language.clone() })
    }
}

#[async_trait]
impl Engine for Brave {
    fn name(&self) -> &str {
        EngineName::Brave.as_str()
    }

    async fn search(&self, query: &str, limit: usize) -> Result<EngineAnswer, Fault> {
        let question = question(query)?;
        let words: Vec<&str> = question.split(' ').take(MOST_WORDS).collect();
        let asked: String = words.join(" ").chars().take(LONGEST_QUESTION).collect();
        let mut notes = Vec::new();
        if asked.len() < question.len() {
            notes.push(format!(
                "only the first {MOST_WORDS} words and {LONGEST_QUESTION} characters of the question were asked"
            ));
        }
        let limit = limit.clamp(1, MOST_RESULTS);
        let mut url = self.url.clone();
        url.query_pairs_mut()
            .append_pair("q", asked.trim())
            .append_pair("count", &limit.to_string())
            .append_pair("search_lang", own_code(&self.language))
            .append_pair("text_decorations", "false")
            .append_pair("result_filter", "web")
            .append_pair("extra_snippets", "true");
        let mut request = Request::get(url).header(reqwest::header::ACCEPT, "application/json");
        if let Some(key) = &self.key {
            request = request.secret("x-subscription-token", key.reveal());
        }
        let asked = self.gateway.send(&request, |reply| read(reply, limit)).await;
        let mut asked = asked.map_err(|fault| without_key(fault, self.key.as_ref()))?;
        notes.append(&mut asked.notes);
        Ok(asked.value.after(notes))
    }
}

/// Brave's code of a language, which is not always the usual one; it refuses questions in others.
fn own_code(language: &str) -> &str {
    match language {
        "ja" => "jp",
        "no" => "nb",
        "pt" => "pt-pt",
        "zh" => "zh-hans",
        other => other,
    }
}

fn read(reply: &Reply, limit: usize) -> Result<EngineAnswer, Fault> {
    let body = object(reply)?;
    let results = match body.get("web") {
        Some(web) => match web.get("results").and_then(Value::as_array) {
            Some(results) => results.as_slice(),
            None => return Err(Fault::Malformed { reason: "there is no list `web.results`".to_owned() }),
        },
        // Without a page the answer has no part `web`.
        None if text_at(&body, "/type").as_deref() == Some("search") => &[],
        None => return Err(Fault::Malformed { reason: "there is no part `web`".to_owned() }),
    };
    let result = |(item, rank): (&Value, u32)| {
        let mut text = plain(lines_at(item, "/description"));
        for more in list_at(item, "/extra_snippets").iter().filter_map(Value::as_str) {
            text.push('\n');
            text.push_str(&plain(more));
        }
        let title = plain(lines_at(item, "/title"));
        let result = WebResult::new(EngineName::Brave.as_str(), rank, lines_at(item, "/url"), &title, &text)?;
        Some(result.published(["/page_age", "/age"].iter().find_map(|at| text_at(item, at))))
    };
    Ok(EngineAnswer::of(results.iter().zip(1..).map(result), limit))
}
