//! Tavily, `POST /search`.

use async_trait::async_trait;
use serde_json::{Value, json};

use super::{gateway, paid};
use crate::RetrievalError;
use crate::literature::json::text_at;
use crate::literature::text::{plain, shortened};
use crate::literature::{ApiKey, Fault, Gateway, Reply, Request, Url, without_key};
use crate::web::bounds::MOST_RESULTS;
use crate::web::shape::{lines_at, list, object, question};
use crate::web::{Engine, EngineAnswer, EngineName, WebOptions, WebResult};

/// The longest question that Tavily takes, in characters.
const LONGEST_QUESTION: usize = 400;

/// Tavily: excerpts of pages, chosen for the question, and the text of the page where it has it.
#[derive(Clone, Debug)]
pub struct Tavily {
    gateway: Gateway,
    url: Url,
    key: Option<ApiKey>,
    whole_pages: bool,
}

impl Tavily {
    /// The host that Tavily serves.
    pub const ADDRESS: &'static str = "https://api.tavily.com";

    /// Tavily with the key and the address of `options`.
    ///
    /// # Errors
    /// [`RetrievalError::NoKey`] without a key at the usual address; [`RetrievalError::SourceAddress`];
    /// [`RetrievalError::NoClient`].
    pub fn open(options: &WebOptions) -> Result<Self, RetrievalError> {
        let setup = options.setup(EngineName::Tavily, Some(Self::ADDRESS), "/search")?;
        let gateway = gateway(&setup, options, paid())?;
        Ok(Self { gateway, url: setup.url, key: setup.key, whole_pages: false })
    }

    /// Asks for the text of the pages too, not only for excerpts.
    #[must_use]
    pub fn whole_pages(mut self) -> Self {
        self.whole_pages = true;
        self
    }
}

#[async_trait]
impl Engine for Tavily {
    fn name(&self) -> &str {
        EngineName::Tavily.as_str()
    }

    async fn search(&self, query: &str, limit: usize) -> Result<EngineAnswer, Fault> {
        let question = question(query)?;
        let limit = limit.clamp(1, MOST_RESULTS);
        let mut notes = Vec::new();
        if question.chars().count() > LONGEST_QUESTION {
            notes.push(format!("only the first {LONGEST_QUESTION} characters of the question were asked"));
        }
        let body = json!({
            "query": shortened(&question, LONGEST_QUESTION),
            "max_results": limit,
            "search_depth": "advanced",
            "include_answer": false,
            "include_raw_content": self.whole_pages,
            "include_images": false,
        });
        let mut request = Request::post(self.url.clone(), body);
        if let Some(key) = &self.key {
            request = request.secret("authorization", &format!("Bearer {}", key.reveal()));
        }
        let asked = self.gateway.send(&request, |reply| read(reply, limit)).await;
        let mut asked = asked.map_err(|fault| without_key(fault, self.key.as_ref()))?;
        notes.append(&mut asked.notes);
        Ok(asked.value.after(notes))
    }
}

fn read(reply: &Reply, limit: usize) -> Result<EngineAnswer, Fault> {
    if matches!(reply.status, 432 | 433) {
        // Tavily's own statuses for the end of what an account may ask.
        return Err(Fault::BudgetSpent { until: None });
    }
    let body = object(reply)?;
    let result = |(item, rank): (&Value, u32)| {
        let text = Some(lines_at(item, "/raw_content")).filter(|text| !text.trim().is_empty());
        let text = text.unwrap_or_else(|| lines_at(item, "/content"));
        let result = WebResult::new("tavily", rank, lines_at(item, "/url"), &plain(lines_at(item, "/title")), text)?;
        Some(result.published(text_at(item, "/published_date")))
    };
    Ok(EngineAnswer::of(list(&body, "/results")?.iter().zip(1..).map(result), limit))
}
