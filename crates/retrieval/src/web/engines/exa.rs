//! Exa, `POST /search`.

use async_trait::async_trait;
use serde_json::{Value, json};

use super::{gateway, paid};
use crate::RetrievalError;
use crate::literature::json::text_at;
use crate::literature::text::plain;
use crate::literature::{ApiKey, Fault, Gateway, Reply, Request, Url, without_key};
use crate::web::bounds::MOST_RESULTS;
use crate::web::shape::{lines_at, list, object, question};
use crate::web::{Engine, EngineAnswer, EngineName, WebOptions, WebResult};

/// As much of the text of a page is asked for, in characters.
const MOST_TEXT: usize = 12_000;

/// Exa: pages by what they mean, with their text.
#[derive(Clone, Debug)]
pub struct Exa {
    gateway: Gateway,
    url: Url,
    key: Option<ApiKey>,
}

impl Exa {
    /// The host that Exa serves.
    pub const ADDRESS: &'static str = "https://api.exa.ai";

    /// Exa with the key and the address of `options`.
    ///
    /// # Errors
    /// [`RetrievalError::NoKey`] without a key at the usual address; [`RetrievalError::SourceAddress`];
    /// [`RetrievalError::NoClient`].
    pub fn open(options: &WebOptions) -> Result<Self, RetrievalError> {
        let setup = options.setup(EngineName::Exa, Some(Self::ADDRESS), "/search")?;
        let gateway = gateway(&setup, options, paid())?;
        Ok(Self { gateway, url: setup.url, key: setup.key })
    }
}

#[async_trait]
impl Engine for Exa {
    fn name(&self) -> &str {
        EngineName::Exa.as_str()
    }

    async fn search(&self, query: &str, limit: usize) -> Result<EngineAnswer, Fault> {
        let limit = limit.clamp(1, MOST_RESULTS);
        let body = json!({
            "query": question(query)?, "numResults": limit, "contents": { "text": { "maxCharacters": MOST_TEXT } },
        });
        let mut request = Request::post(self.url.clone(), body);
        if let Some(key) = &self.key {
            request = request.secret("x-api-key", key.reveal());
        }
        let asked = self.gateway.send(&request, |reply| read(reply, limit)).await;
        let asked = asked.map_err(|fault| without_key(fault, self.key.as_ref()))?;
        Ok(asked.value.after(asked.notes))
    }
}

fn read(reply: &Reply, limit: usize) -> Result<EngineAnswer, Fault> {
    if reply.status == 402 {
        // An account without credits.
        return Err(Fault::BudgetSpent { until: None });
    }
    let body = object(reply)?;
    let result = |(item, rank): (&Value, u32)| {
        let title = plain(lines_at(item, "/title"));
        let (url, text) = (lines_at(item, "/url"), lines_at(item, "/text"));
        let result = WebResult::new(EngineName::Exa.as_str(), rank, url, &title, text)?;
        Some(result.published(text_at(item, "/publishedDate")))
    };
    Ok(EngineAnswer::of(list(&body, "/results")?.iter().zip(1..).map(result), limit))
}
