//! Search queries, one for each aspect.

use graphloom_core_graph::{Context, NodeError};
use graphloom_retrieval::answer::Request;
use graphloom_retrieval::extract::query_terms;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::actions::GenerateQueries;
use crate::resources::Resources;
use crate::session::SearchQuery;
use crate::small::{SmallQuestions, clip};

/// The aspects that are asked for.
const ASPECTS: [&str; 3] = ["recent work", "methods", "limitations"];
/// So many parts of a topic are searched in its own words.
const PARTS: usize = 3;
/// A query of fewer or more words is none.
const WORDS: std::ops::RangeInclusive<usize> = 2..=10;

#[derive(Serialize, Deserialize)]
struct GeneratedQuery {
    query: String,
}

/// Makes one query for each aspect, and one of each part of the topic. An aspect without a usable query is left out; without
/// any, the person's own words are searched, unless they were searched before.
pub(super) async fn make(
    cx: &Context<Resources>,
    parameters: &GenerateQueries,
    round: usize,
    notes: &mut Vec<String>,
) -> Result<Vec<SearchQuery>, NodeError> {
    let small = SmallQuestions::new(cx, "queries", round);
    let topic = clip(&parameters.topic);
    let feedback = parameters.feedback.as_deref().map(clip);
    let about = format!("{topic} {}", feedback.as_deref().unwrap_or_default());
    let mut queries: Vec<SearchQuery> = Vec::new();
    for (at, aspect) in ASPECTS.into_iter().enumerate() {
        let known: Vec<&str> =
            parameters.existing.iter().map(String::as_str).chain(queries.iter().map(|query| &*query.text)).collect();
        let args = json!({ "topic": topic, "aspect": aspect, "feedback": feedback });
        let properties = json!({ "query": { "type": "string", "minLength": 6, "maxLength": 70 } });
        let check = |made: &GeneratedQuery| usable(&made.query, &about, &known);
        match small.value("query", &format!("query/{at}"), &args, &properties, check).await? {
            Ok(made) => {
                let text = on_one_line(&made.query);
                queries.push(SearchQuery { aspect: aspect.to_owned(), ..SearchQuery::new(text) });
            }
            Err(problem) => notes.push(format!("there is no query on {aspect}: {problem}")),
        }
    }
    if !queries.is_empty() {
        // A small model's queries wander; each part of the topic is searched in the person's own words, too.
        for part in Request::of(&topic).parts().iter().take(PARTS) {
            let known = queries.iter().map(|query| &query.text).chain(&parameters.existing);
            if !known.clone().any(|known| known.eq_ignore_ascii_case(&part.text)) {
                queries.push(SearchQuery::new(on_one_line(&part.text)));
            }
        }
    } else {
        let candidates = [Some(topic.clone()), feedback.map(|feedback| format!("{topic} {feedback}"))];
        let is_new = |query: &String| !parameters.existing.iter().any(|other| other.eq_ignore_ascii_case(query));
        let own = candidates.into_iter().flatten().map(|query| on_one_line(&query)).find(is_new);
        queries.extend(own.map(SearchQuery::new));
        if !queries.is_empty() {
            notes.push("no query of the model could be used; your own words are searched".to_owned());
        }
    }
    Ok(queries)
}

/// Whether a query can be searched: plain words, on the topic, and new.
fn usable(query: &str, topic: &str, known: &[&str]) -> Result<(), String> {
    let query = on_one_line(query);
    if !WORDS.contains(&query.split(' ').count()) {
        return Err("a query is three to six words".to_owned());
    }
    if query.contains(['"', ':', '[', ']', '{', '}', '|', '\\']) {
        return Err("a query is plain words".to_owned());
    }
    if known.iter().any(|known| known.eq_ignore_ascii_case(&query)) {
        return Err(format!("`{query}` was there before"));
    }
    let wanted = query_terms(topic);
    match query_terms(&query).iter().any(|term| wanted.contains(term)) {
        true => Ok(()),
        false => Err(format!("`{query}` has no word of the topic")),
    }
}

fn on_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_is_on_the_topic_plain_and_new() {
        for (query, fits) in [
            ("compressing an inverted index", true),
            ("searching  indexes", true),
            ("index", false),
            ("sleep and memory", false),
            ("title: index search", false),
            ("Old index search", false),
            ("an index of one two three four five six seven eight", false),
        ] {
            let read = usable(query, "an inverted index", &["old index search"]);
            assert_eq!(read.is_ok(), fits, "{query}: {read:?}");
        }
    }
}
