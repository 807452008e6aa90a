//! Wikipedia, `GET /w/api.php?action=query&generator=search`.

use std::time::Duration;

use async_trait::async_trait;
use serde_json::Value;

use super::gateway;
use crate::RetrievalError;
use crate::literature::json::{list_at, number_at};
use crate::literature::{Fault, Gateway, Politeness, Reply, Url};
use crate::web::bounds::MOST_RESULTS;
use crate::web::shape::{lines_at, object, question};
use crate::web::{Engine, EngineAnswer, EngineName, WebOptions, WebResult};

/// The longest question that the interface takes, in characters.
const LONGEST_QUESTION: usize = 300;

/// Wikipedia in one language: the beginnings of the articles that fit.
#[derive(Clone, Debug)]
pub struct Wikipedia {
    gateway: Gateway,
    url: Url,
}

impl Wikipedia {
    /// Wikipedia in the language of `options`, or the wiki at the address of `options`.
    ///
    /// # Errors
    /// [`RetrievalError::SourceAddress`]; [`RetrievalError::NoClient`].
    pub fn open(options: &WebOptions) -> Result<Self, RetrievalError> {
        let code: String = options.language.chars().take_while(char::is_ascii_alphabetic).take(3).collect();
        let code = if code.is_empty() { "en".to_owned() } else { code.to_ascii_lowercase() };
        let usual = format!("https://{code}.wikipedia.org");
        let setup = options.setup(EngineName::Wikipedia, Some(&usual), "/w/api.php")?;
        // The rules of the interface ask for one request after the other.
        let politeness = Politeness::paced(Duration::from_millis(200), 1);
        Ok(Self { gateway: gateway(&setup, options, politeness)?, url: setup.url })
    }
}

#[async_trait]
impl Engine for Wikipedia {
    fn name(&self) -> &str {
        EngineName::Wikipedia.as_str()
    }

    async fn search(&self, query: &str, limit: usize) -> Result<EngineAnswer, Fault> {
        let question: String = question(query)?.chars().take(LONGEST_QUESTION).collect();
        let limit = limit.clamp(1, MOST_RESULTS);
        let mut url = self.url.clone();
        url.query_pairs_mut().extend_pairs([
            ("action", "query"),
            ("format", "json"),
            ("formatversion", "2"),
            ("generator", "search"),
            ("gsrsearch", question.as_str()),
            ("gsrlimit", limit.to_string().as_str()),
            ("gsrnamespace", "0"),
            ("prop", "extracts|info"),
            ("exintro", "1"),
            ("explaintext", "1"),
            ("exlimit", "max"),
            ("inprop", "url"),
        ]);
        let asked = self.gateway.ask(&url, |reply| read(reply, limit)).await?;
        Ok(asked.value.after(asked.notes))
    }
}

fn read(reply: &Reply, limit: usize) -> Result<EngineAnswer, Fault> {
    let body = object(reply).map_err(|fault| match fault {
        // Errors come with the status 200.
        Fault::Lied { reason, .. } if reason.contains("rate limit") || reason.contains("too many requests") => {
            Fault::RateLimited { until: None }
        }
        Fault::Lied { reason, .. } if reason.contains("lagged") => Fault::Down { reason },
        other => other,
    })?;
    let Some(query) = body.get("query") else {
        // Without a fitting article the answer has no part `query`.
        return match body.get("batchcomplete") {
            Some(_) => Ok(EngineAnswer::default()),
            None => Err(Fault::Malformed { reason: "there is neither `query` nor `batchcomplete`".to_owned() }),
        };
    };
    let mut pages: Vec<&Value> = list_at(query, "/pages").iter().collect();
    if pages.is_empty() {
        return Err(Fault::Malformed { reason: "there is no list `pages`".to_owned() });
    }
    pages.sort_by_key(|page| number_at(page, "/index").unwrap_or(u64::MAX));
    let result = |(page, rank): (&Value, u32)| {
        let (title, text) = (lines_at(page, "/title"), lines_at(page, "/extract"));
        WebResult::new("wikipedia", rank, lines_at(page, "/fullurl"), title, text)
    };
    Ok(EngineAnswer::of(pages.into_iter().zip(1..).map(result), limit))
}
