//! What a run searches as a tool that its model calls.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::sync::Arc;

use graphloom_agents::{Risk, Tool, ToolError, ToolOutput, ToolSource, TypedTool, typed};
use graphloom_retrieval::{Hit, Search};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

/// Results of each engine for one call.
const MOST_RESULTS: usize = 5;
/// Of each result, so many characters are given.
const MOST_TEXT: usize = 2_000;

/// A [source](ToolSource) of one tool, `search_sources`, with which a model searches. It only reads; what it finds is data,
/// fenced with the names of its engines.
pub fn search_tool(search: Arc<dyn Search>) -> Arc<dyn ToolSource> {
    Arc::new(SearchSource(typed(SearchSources { search })))
}

struct SearchSource(Arc<dyn Tool>);

impl ToolSource for SearchSource {
    fn tools(&self, taken: &BTreeSet<String>) -> Vec<Arc<dyn Tool>> {
        if taken.contains(&self.0.spec().name) { Vec::new() } else { vec![Arc::clone(&self.0)] }
    }
}

struct SearchSources {
    search: Arc<dyn Search>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Question {
    /// What is looked for, in plain words.
    query: String,
}

impl TypedTool for SearchSources {
    type Arguments = Question;
    const NAME: &'static str = "search_sources";
    const DESCRIPTION: &'static str = include_str!("../descriptions/search_sources.txt");
    const RISK: Risk = Risk::Read;
    const ALIASES: &'static [(&'static str, &'static str)] = &[("question", "query"), ("q", "query")];

    async fn run(&self, Question { query }: Question) -> Result<ToolOutput, ToolError> {
        let engines = self.search.engines().join(", ");
        let answer = self.search.search(&query, MOST_RESULTS).await.or_error();
        let answer = answer.map_err(|error| ToolError::failed(error.to_string()))?;
        let remarks: Vec<String> = answer.remarks().collect();
        let mut text = String::new();
        for hit in &answer.hits {
            let _ = writeln!(text, "{}\n", shown(hit));
        }
        if answer.hits.is_empty() {
            text.push_str("nothing was found\n");
        }
        for remark in &remarks {
            let _ = writeln!(text, "({remark})");
        }
        let found: Vec<_> = answer.hits.iter().map(|hit| &hit.evidence).collect();
        let data = json!({ "found": found, "remarks": remarks });
        Ok(ToolOutput::new(text.trim_end()).with_data(data).with_origin(format!("search in {engines}")))
    }
}

fn shown(hit: &Hit) -> String {
    let evidence = &hit.evidence;
    let text: String = evidence.text.chars().take(MOST_TEXT).collect();
    let cut = if text.len() < evidence.text.len() { " […]" } else { "" };
    format!("{} ({}):\n{text}{cut}", evidence.title, evidence.place())
}

#[cfg(test)]
mod tests {
    use graphloom_retrieval::{Evidence, Fault, SearchAnswer, Source};

    use super::*;

    struct Shelf(Option<&'static str>);

    #[async_trait::async_trait]
    impl Search for Shelf {
        fn engines(&self) -> Vec<String> {
            vec!["shelf".to_owned()]
        }

        async fn search(&self, query: &str, _: usize) -> SearchAnswer {
            let Some(text) = self.0 else {
                return SearchAnswer::failed("shelf", query, Fault::TimedOut { seconds: 3 });
            };
            let source = Source::Web { url: "https://a.example/tides".to_owned() };
            SearchAnswer::of("shelf", query, vec![Hit::new(Evidence::new("a#1", source, "Tides", text), 1.0, "")])
        }
    }

    #[tokio::test]
    async fn a_model_reads_what_was_found_and_why_nothing_was() {
        let tool = |shelf| search_tool(Arc::new(Shelf(shelf))).tools(&BTreeSet::new()).remove(0);
        let found = tool(Some("The moon does it.")).call(json!({ "query": "tides" })).await.unwrap();
        assert_eq!(found.content, "Tides (https://a.example/tides):\nThe moon does it.");
        assert_eq!(found.origin.as_deref(), Some("search in shelf"));
        let failed = tool(None).call(json!({ "query": "tides" })).await.unwrap_err();
        assert!(failed.to_string().contains("did not answer within 3 s"), "{failed}");
        let taken = BTreeSet::from(["search_sources".to_owned()]);
        assert!(search_tool(Arc::new(Shelf(None))).tools(&taken).is_empty());
    }
}
