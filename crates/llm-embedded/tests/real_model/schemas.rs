//! Answers in a schema: every one parses and fits.

use graphloom_llm::{ChatModel, ChatRequest, FinishReason, Message, ModelError, Params, ResponseFormat};
use serde_json::{Value, json};

use crate::{ask, model, short};

/// Asks in a schema and returns the answer as JSON that fits it.
async fn answer(schema: Value, params: Params) -> Value {
    let request = ChatRequest {
        messages: vec![
            Message::system("You answer in JSON."),
            Message::user("Plan an article about the history of lighthouses."),
        ],
        format: ResponseFormat::JsonSchema { name: "plan".to_owned(), schema: schema.clone() },
        params,
        ..ChatRequest::default()
    };
    let answer = model().chat(request).await.unwrap();
    assert_eq!(answer.finish, FinishReason::Stop, "{}", answer.text());
    let value = serde_json::from_str(&answer.text()).unwrap_or_else(|error| panic!("{error}: {}", answer.text()));
    jsonschema::validate(&schema, &value).unwrap_or_else(|error| panic!("{error}: {value}"));
    value
}

/// A plan whose ids and dependencies are free.
fn static_plan() -> Value {
    json!({
        "$defs": {"task": {
            "type": "object",
            "properties": {
                "id": {"type": "string", "pattern": "^[1-9]$"},
                "goal": {"type": "string", "minLength": 8, "maxLength": 40},
                "task_type": {"type": "string", "enum": ["search", "think", "write"]},
                "dependency": {"type": "array", "items": {"type": "string", "pattern": "^[1-9]$"}, "maxItems": 2},
                "atom": {"type": "boolean"}
            },
            "required": ["id", "goal", "task_type", "dependency", "atom"],
            "additionalProperties": false
        }},
        "type": "object",
        "properties": {"tasks": {"type": "array", "items": {"$ref": "#/$defs/task"}, "minItems": 1, "maxItems": 2}},
        "required": ["tasks"],
        "additionalProperties": false
    })
}

/// A plan of `count` tasks, each of which can only depend on earlier ones.
fn dynamic_plan(count: usize) -> Value {
    let tasks: Vec<Value> = (1..=count)
        .map(|id| {
            let mut dependencies = vec![json!([])];
            dependencies.extend((1..id).map(|earlier| json!([earlier.to_string()])));
            dependencies.push(json!((1..id).map(|earlier| earlier.to_string()).collect::<Vec<_>>()));
            dependencies.dedup();
            let kinds = if id == count { json!(["write"]) } else { json!(["search", "think"]) };
            json!({
                "type": "object",
                "properties": {
                    "id": {"const": id.to_string()},
                    "goal": {"type": "string", "minLength": 8, "maxLength": 40},
                    "task_type": {"enum": kinds},
                    "dependency": {"enum": dependencies},
                    "atom": {"const": true}
                },
                "required": ["id", "goal", "task_type", "dependency", "atom"],
                "additionalProperties": false
            })
        })
        .collect();
    json!({
        "type": "object",
        "properties": {
            "tasks": {"type": "array", "prefixItems": tasks, "minItems": count, "maxItems": count, "items": false}
        },
        "required": ["tasks"],
        "additionalProperties": false
    })
}

#[tokio::test]
async fn a_static_plan_fits_for_every_seed() {
    for seed in 0..3 {
        answer(static_plan(), Params { seed: Some(seed), ..Params::default() }).await;
    }
}

#[tokio::test]
async fn a_dynamic_plan_is_a_graph_without_cycles() {
    for seed in 0..3 {
        let plan = answer(dynamic_plan(3), Params { seed: Some(seed), ..Params::default() }).await;
        let tasks = plan["tasks"].as_array().unwrap();
        assert_eq!(tasks.len(), 3);
        assert_eq!(tasks[2]["task_type"], "write");
        for task in tasks {
            let id = task["id"].as_str().unwrap();
            assert!(task["dependency"].as_array().unwrap().iter().all(|earlier| earlier.as_str().unwrap() < id));
        }
    }
}

#[tokio::test]
async fn the_same_request_gets_the_same_value() {
    let params = || Params { seed: Some(9), ..Params::default() };
    assert_eq!(answer(dynamic_plan(2), params()).await, answer(dynamic_plan(2), params()).await);
}

#[tokio::test]
async fn a_string_without_a_limit_ends() {
    let schema = json!({"type": "object", "properties": {"note": {"type": "string"}}, "required": ["note"],
        "additionalProperties": false});
    let value = answer(schema, Params { temperature: Some(1.5), ..Params::default() }).await;
    assert!(value["note"].as_str().unwrap().chars().count() <= 400);
}

#[tokio::test]
async fn scalars_and_enums_at_the_top() {
    for schema in [json!({"enum": ["yes", "no"]}), json!({"type": "boolean"}), json!({"const": {"a": [1, null]}})] {
        answer(schema, Params::default()).await;
    }
}

#[tokio::test]
async fn a_whole_number_without_limits_ends_and_an_object_gets_no_other_members() {
    for seed in 1..=3 {
        let count = json!({"type": "object", "properties": {"count": {"type": ["integer", "null"]}}});
        let found = answer(count, Params { seed: Some(seed), ..Params::default() }).await;
        let members = found.as_object().unwrap();
        assert!(members.iter().all(|(name, value)| name == "count" && (value.is_i64() || value.is_null())), "{found}");
        let number = answer(json!({"type": "integer"}), Params { seed: Some(seed), ..Params::default() }).await;
        assert!(number.as_i64().is_some_and(|number| number.abs() < 1 << 53), "{number}");
    }
}

#[tokio::test]
async fn a_cut_answer_says_so() {
    let format = ResponseFormat::JsonSchema { name: "plan".to_owned(), schema: dynamic_plan(3) };
    let answer = model().chat(ChatRequest { format, ..ask("Plan a garden.", short(12)) }).await.unwrap();
    assert_eq!((&answer.finish, answer.usage.output), (&FinishReason::Length, 12));
    assert!(serde_json::from_str::<Value>(&answer.text()).is_err());
}

#[tokio::test]
async fn a_schema_without_a_grammar_is_refused_with_the_reason() {
    let nasty = "ü".repeat(80);
    for (schema, reason) in [
        (json!({"type": "array", "uniqueItems": true}), "uniqueItems"),
        (json!({"type": "string", "minLength": 5, "maxLength": 2}), ""),
        (json!({"$ref": "#/$defs/nowhere"}), ""),
        (json!({"type": nasty, "enum": nasty}), ""),
        (json!([1]), "object"),
    ] {
        let format = ResponseFormat::JsonSchema { name: "strange".to_owned(), schema };
        let error = model().chat(ChatRequest { format, ..ask("Hello.", short(8)) }).await.unwrap_err();
        let ModelError::Invalid { message, .. } = &error else { panic!("{error:?}") };
        assert!(message.contains("`strange`") && message.contains(reason), "{message}");
    }
}
