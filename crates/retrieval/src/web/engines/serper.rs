//! Google's pages through Serper, `POST /search`.

use async_trait::async_trait;
use serde_json::{Value, json};

use super::{gateway, paid};
use crate::RetrievalError;
use crate::literature::json::{list_at, text_at};
use crate::literature::text::plain;
use crate::literature::{ApiKey, Fault, Gateway, Reply, Request, Url, without_key};
use crate::web::bounds::MOST_RESULTS;
use crate::web::shape::{lines_at, object, question};
use crate::web::{Engine, EngineAnswer, EngineName, WebOptions, WebResult};

/// Serper: what Google's first page lists, with its excerpts.
#[derive(Clone, Debug)]
pub struct Serper {
    gateway: Gateway,
    url: Url,
    key: Option<ApiKey>,
    language: String,
}

impl Serper {
    /// The host that Serper serves.
    pub const ADDRESS: &'static str = "https://google.serper.dev";

    /// Serper with the key and the address of `options`.
    ///
    /// # Errors
    /// [`RetrievalError::NoKey`] without a key at the usual address; [`RetrievalError::SourceAddress`];
    /// [`RetrievalError::NoClient`].
    pub fn open(options: &WebOptions) -> Result<Self, RetrievalError> {
        let setup = options.setup(EngineName::Google, Some(Self::ADDRESS), "/search")?;
        let gateway = gateway(&setup, options, paid())?;
        Ok(Self { gateway, url: setup.url, key: setup.key, language: options.language.clone() })
    }
}

#[async_trait]
impl Engine for Serper {
    fn name(&self) -> &str {
        EngineName::Google.as_str()
    }

    async fn search(&self, query: &str, limit: usize) -> Result<EngineAnswer, Fault> {
        let limit = limit.clamp(1, MOST_RESULTS);
        let (country, language) = if self.language.starts_with("zh") { ("cn", "zh-cn") } else { ("us", "en") };
        let body = json!({ "q": question(query)?, "gl": country, "hl": language, "num": limit });
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
    let body = match object(reply) {
        // An account without credits is refused like a malformed question.
        Err(Fault::Refused { reason, .. }) if reason.to_ascii_lowercase().contains("credits") => {
            return Err(Fault::BudgetSpent { until: None });
        }
        other => other?,
    };
    let is_answer = body.get("organic").is_some_and(Value::is_array);
    if !is_answer && !body.get("searchParameters").is_some_and(Value::is_object) {
        return Err(Fault::Malformed { reason: "there is no list `organic`".to_owned() });
    }
    let result = |(item, rank): (&Value, u32)| {
        let (title, text) = (plain(lines_at(item, "/title")), plain(lines_at(item, "/snippet")));
        Some(WebResult::new("google", rank, lines_at(item, "/link"), &title, &text)?.published(text_at(item, "/date")))
    };
    Ok(EngineAnswer::of(list_at(&body, "/organic").iter().zip(1..).map(result), limit))
}
