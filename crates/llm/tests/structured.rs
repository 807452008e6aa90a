//! Asking for typed values: what is sent, what is read, and when the model is asked again.

use graphloom_llm::parse::ParseStep;
use graphloom_llm::scripted::Reply;
use graphloom_llm::{
    Capabilities, ChatModel, ChatRequest, FinishReason, ModelError, ResponseFormat, Role, Scripted, StructuredOptions,
    StructuredSupport, Usage, structured,
};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Plan {
    tasks: Vec<Task>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
struct Task {
    id: String,
    kind: Kind,
    #[serde(default)]
    dependency: Vec<String>,
}

#[derive(Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Search,
    Write,
}

fn supporting(model: Scripted, structured: StructuredSupport) -> Scripted {
    let capabilities = Capabilities { structured, ..model.capabilities().clone() };
    model.with_capabilities(capabilities)
}

#[tokio::test]
async fn a_broken_reply_is_repaired_without_asking_again() {
    let model = Scripted::from_fn(|_| {
        Ok("<think>hm</think>Here: ```json\n{tasks: [{'id': 1, kind: 'Write', dependency: null},]}\n```")
    });
    let plan = structured::<Plan>(&model, ChatRequest::user("plan"), &StructuredOptions::default()).await.unwrap();
    assert_eq!(plan.value.tasks, [Task { id: "1".into(), kind: Kind::Write, dependency: vec![] }]);
    assert_eq!(plan.attempts, 1);
    assert!(plan.trace.iter().any(|step| matches!(step, ParseStep::Repaired { .. })), "{:?}", plan.trace);
    assert!(plan.trace.iter().any(|step| matches!(step, ParseStep::Coerced { .. })), "{:?}", plan.trace);
}

#[tokio::test]
async fn a_reply_that_does_not_fit_is_sent_back_with_its_faults() {
    let model = Scripted::from_fn(|request| {
        let again = request.messages.len() > 1;
        let text = if again { r#"{"tasks":[]}"# } else { r#"{"tasks":[{"id":"1","kind":"dance"}]}"# };
        Ok(Reply { usage: Some(Usage { input: 10, output: 1, ..Usage::default() }), ..Reply::text(text) })
    });
    let plan = structured::<Plan>(&model, ChatRequest::user("plan"), &StructuredOptions::default()).await.unwrap();
    assert_eq!(plan.attempts, 2);
    assert_eq!(plan.usage.input, 20);
    let calls = model.calls();
    let roles: Vec<Role> = calls[1].messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::User]);
    assert_eq!(calls[1].messages[1].joined_text(), r#"{"tasks":[{"id":"1","kind":"dance"}]}"#);
    let said = calls[1].messages[2].joined_text();
    assert!(said.contains("at `/tasks/0/kind`: \"dance\""), "{said}");
    let [ParseStep::AskedAgain { errors }, ParseStep::Strict] = plan.trace.as_slice() else {
        panic!("{:?}", plan.trace)
    };
    assert_eq!(errors.len(), 1);
}

#[tokio::test]
async fn asking_again_is_bounded() {
    let model = Scripted::from_fn(|_| Ok("no"));
    let options = StructuredOptions { max_reasks: 1, ..StructuredOptions::default() };
    let error = structured::<Plan>(&model, ChatRequest::user("plan"), &options).await.unwrap_err();
    assert_eq!(model.calls().len(), 2);
    let ModelError::Parse { expected, message, raw, .. } = error else { panic!("{error}") };
    assert_eq!((expected.as_str(), message.as_str(), raw.as_str()), ("Plan", "the reply holds no JSON object", "no"));
}

#[tokio::test]
async fn a_cut_reply_is_never_asked_again() {
    let cases = [
        (FinishReason::Length, "incomplete"),
        (FinishReason::ContentFilter, "refused"),
        (FinishReason::Other("repetition_truncation".into()), "unreadable"),
    ];
    for (finish, expected) in cases {
        let model = Scripted::from_fn(move |_| Ok(Reply { finish: finish.clone(), ..Reply::text(r#"{"tasks":["#) }));
        let error =
            structured::<Plan>(&model, ChatRequest::user("plan"), &StructuredOptions::default()).await.unwrap_err();
        let kind = serde_json::to_value(&error).unwrap()["error"].clone();
        assert_eq!(kind, expected);
        assert_eq!(model.calls().len(), 1);
    }
}

#[tokio::test]
async fn the_schema_travels_as_the_model_takes_it() {
    for support in [
        StructuredSupport::Constrained,
        StructuredSupport::JsonSchema,
        StructuredSupport::JsonObject,
        StructuredSupport::Prompted,
    ] {
        let model = supporting(Scripted::from_fn(|_| Ok(r#"{"tasks":[]}"#)), support);
        structured::<Plan>(&model, ChatRequest::user("plan"), &StructuredOptions::default()).await.unwrap();
        let call = model.calls().remove(0);
        let in_prompt = call.messages[0].joined_text().contains("\"tasks\"");
        match support {
            StructuredSupport::Constrained | StructuredSupport::JsonSchema => {
                assert!(matches!(call.format, ResponseFormat::JsonSchema { ref name, .. } if name == "Plan"));
                assert!(!in_prompt);
            }
            StructuredSupport::JsonObject => {
                assert_eq!(call.format, ResponseFormat::JsonObject);
                assert!(in_prompt);
            }
            StructuredSupport::Prompted => {
                assert_eq!(call.format, ResponseFormat::Text);
                assert!(in_prompt);
            }
        }
    }
}

#[tokio::test]
async fn values_that_are_no_objects_are_wrapped_for_providers_that_take_objects_only() {
    let wrapped = supporting(Scripted::from_fn(|_| Ok(r#"{"value":["a"]}"#)), StructuredSupport::JsonSchema);
    let bare = supporting(Scripted::from_fn(|_| Ok(r#"["a"]"#)), StructuredSupport::Prompted);
    for model in [&wrapped, &bare] {
        let options = StructuredOptions::default();
        let list = structured::<Vec<String>>(model, ChatRequest::user("list"), &options).await.unwrap();
        assert_eq!(list.value, ["a"]);
    }
    let ResponseFormat::JsonSchema { schema, name } = wrapped.calls().remove(0).format else { panic!() };
    assert_eq!(schema["properties"]["value"]["type"], "array");
    assert_eq!(name, "Array_of_string");
}

#[tokio::test]
async fn a_schema_made_at_run_time_holds() {
    let schema = serde_json::json!({"type": "object", "properties": {"tasks": {"type": "array", "maxItems": 0}}});
    let options = StructuredOptions { schema: Some(schema), max_reasks: 0, ..StructuredOptions::default() };
    let full = Scripted::from_fn(|_| Ok(r#"{"tasks":[{"id":"1","kind":"write"}]}"#));
    let error = structured::<Plan>(&full, ChatRequest::user("plan"), &options).await.unwrap_err();
    assert!(error.to_string().contains("/tasks"), "{error}");
    let wrong = Scripted::from_fn(|_| Ok("{}"));
    let error = structured::<Plan>(&wrong, ChatRequest::user("plan"), &options).await.unwrap_err();
    assert!(error.to_string().contains("missing field `tasks`"), "{error}");
}
