//! Requests that the model refuses before it begins.

use graphloom_llm::{
    ChatModel, ChatRequest, ImageSource, Message, ModelError, Params, Part, Role, ToolChoice, ToolSpec,
};

use crate::{ask, model, short};

#[tokio::test]
async fn a_conversation_that_is_too_long_is_refused_at_once() {
    let long = "lighthouse ".repeat(9000);
    for error in [
        model().chat(ChatRequest::user(long.clone())).await.unwrap_err(),
        model().choose(ChatRequest::user(long.clone()), &["yes".to_owned()]).await.unwrap_err(),
    ] {
        let ModelError::ContextLength { needed, limit, .. } = error else { panic!("{error:?}") };
        assert!(needed > 9000 && limit == 8192, "{needed} {limit}");
    }
    assert!(matches!(model().stream(ChatRequest::user(long)).await, Err(ModelError::ContextLength { .. })));
}

#[tokio::test]
async fn what_the_model_cannot_do_is_unsupported() {
    let tool = ToolSpec {
        name: "search".into(),
        description: "Searches.".into(),
        parameters: serde_json::json!({}),
        strict: false,
    };
    let with_tool = ChatRequest { tools: vec![tool], ..ask("Hello.", short(2)) };
    let error = model().chat(with_tool.clone()).await.unwrap_err();
    assert!(matches!(error, ModelError::Unsupported { .. }), "{error:?}");
    model().chat(ChatRequest { tool_choice: ToolChoice::None, ..with_tool }).await.unwrap();

    let image = Part::Image { source: ImageSource::Url { url: "https://example.org/a.png".into() } };
    let message = Message { role: Role::User, parts: vec![image] };
    let error = model().chat(ChatRequest { messages: vec![message], ..ChatRequest::default() }).await.unwrap_err();
    assert!(matches!(error, ModelError::Unsupported { .. }), "{error:?}");
}

#[tokio::test]
async fn wrong_requests_are_invalid() {
    let wrong = [
        ChatRequest::default(),
        ask("Hello.", short(0)),
        ask("Hello.", Params { temperature: Some(-1.0), ..Params::default() }),
        ask("Hello.", Params { temperature: Some(f32::NAN), ..Params::default() }),
        ask("Hello.", Params { top_p: Some(0.0), ..Params::default() }),
    ];
    for request in wrong {
        let error = model().chat(request).await.unwrap_err();
        assert!(matches!(error, ModelError::Invalid { .. }), "{error:?}");
    }
}
