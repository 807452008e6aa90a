//! Answers in the forms of Tavily and Serper.

use std::sync::Arc;

use serde_json::{Value, json};
use wiremock::{Request, Respond, ResponseTemplate};

use crate::KEY;
use crate::documents::Documents;

pub(crate) struct AnswerAsTavily(pub(crate) Arc<Documents>);

impl Respond for AnswerAsTavily {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let asked = body(request);
        if header(request, "authorization") != Some(&format!("Bearer {KEY}")) {
            let refusal = json!({"detail": {"error": "Unauthorized: missing or invalid API key."}});
            return ResponseTemplate::new(401).set_body_json(refusal);
        }
        let Some(query) = asked["query"].as_str().filter(|query| !query.is_empty()) else {
            return ResponseTemplate::new(400).set_body_json(json!({"detail": {"error": "Query is missing."}}));
        };
        let limit = asked["max_results"].as_u64().unwrap_or(5).min(20) as usize;
        let found = match self.0.search(query, limit) {
            Ok(found) => found,
            Err(reason) => return ResponseTemplate::new(500).set_body_json(json!({"detail": {"error": reason}})),
        };
        let results: Vec<Value> = found
            .iter()
            .map(|page| json!({"url": page.url, "title": page.title, "content": page.text, "score": page.score, "raw_content": null}))
            .collect();
        ResponseTemplate::new(200).set_body_json(json!({
            "query": query, "follow_up_questions": null, "answer": null, "images": [], "results": results,
            "response_time": 0.1, "request_id": "frozen",
        }))
    }
}

pub(crate) struct AnswerAsSerper(pub(crate) Arc<Documents>);

impl Respond for AnswerAsSerper {
    fn respond(&self, request: &Request) -> ResponseTemplate {
        let asked = body(request);
        if header(request, "x-api-key") != Some(KEY) {
            let refusal = json!({"message": "Unauthorized.", "statusCode": 403});
            return ResponseTemplate::new(403).set_body_json(refusal);
        }
        let Some(query) = asked["q"].as_str().filter(|query| !query.is_empty()) else {
            let refusal = json!({"message": "Missing query parameter", "statusCode": 400});
            return ResponseTemplate::new(400).set_body_json(refusal);
        };
        let limit = asked["num"].as_u64().unwrap_or(10).min(100) as usize;
        let found = match self.0.search(query, limit) {
            Ok(found) => found,
            Err(reason) => return ResponseTemplate::new(500).set_body_json(json!({"message": reason})),
        };
        let organic: Vec<Value> = found
            .iter()
            .zip(1..)
            .map(|(page, position)| {
                let snippet: String = page.text.chars().take(160).collect();
                json!({"title": page.title, "link": page.url, "snippet": snippet, "position": position})
            })
            .collect();
        ResponseTemplate::new(200).set_body_json(json!({
            "searchParameters": {"q": query, "gl": asked["gl"], "hl": asked["hl"], "num": limit, "type": "search", "engine": "google"},
            "organic": organic, "credits": 1,
        }))
    }
}

/// The question of a request to an engine.
pub(crate) fn question(request: &Request) -> Option<String> {
    let asked = body(request);
    match request.url.path() {
        "/tavily/search" => Some(format!("tavily: {}", asked["query"].as_str()?)),
        "/google/search" => Some(format!("google: {}", asked["q"].as_str()?)),
        _ => None,
    }
}

fn body(request: &Request) -> Value {
    serde_json::from_slice(&request.body).unwrap_or_default()
}

fn header<'a>(request: &'a Request, name: &str) -> Option<&'a str> {
    request.headers.get(name)?.to_str().ok()
}
