//! Images in messages: what is sent, and that a recording keeps them.

use std::sync::Arc;

use graphloom_llm::cassette::{Recorder, Replay, SecretGuard};
use graphloom_llm::{
    Cassette, ChatModel, ChatRequest, ImageSource, Message, Part, Remote, RemoteConfig, Role, Scripted,
};
use serde_json::{Value, json};
use wiremock::matchers::{method, path};
use wiremock::{Mock, MockServer, ResponseTemplate};

/// The first bytes of a picture, in base64.
const PICTURE: &str = "iVBORw0KGgo=";

fn asked(data: &str) -> ChatRequest {
    let source = ImageSource::Base64 { media_type: "image/png".into(), data: data.into() };
    let parts = vec![Part::Text { text: "What is it?".into() }, Part::Image { source }];
    ChatRequest {
        messages: vec![Message::system("Look."), Message { role: Role::User, parts }],
        ..ChatRequest::default()
    }
}

#[tokio::test]
async fn a_picture_is_sent_as_a_data_address() {
    let server = MockServer::start().await;
    let answer = json!({
        "model": "eyes-1",
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "a chart"}}],
    });
    Mock::given(method("POST"))
        .and(path("/v1/chat/completions"))
        .respond_with(ResponseTemplate::new(200).set_body_json(answer))
        .mount(&server)
        .await;
    let mut config = RemoteConfig::compatible("eyes", format!("{}/v1", server.uri()));
    assert!(!Remote::new(config.clone()).unwrap().capabilities().images, "a server does not say that it sees");
    config.images = true;
    let model = Remote::new(config).unwrap();
    assert!(model.capabilities().images);
    assert_eq!(model.chat(asked(PICTURE)).await.unwrap().text(), "a chart");
    let sent: Value = server.received_requests().await.unwrap()[0].body_json().unwrap();
    assert_eq!(
        sent["messages"],
        json!([
            {"role": "system", "content": "Look."},
            {"role": "user", "content": [
                {"type": "text", "text": "What is it?"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}},
            ]},
        ])
    );
}

#[tokio::test]
async fn a_recording_tells_pictures_apart() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("eyes.jsonl");
    let model = Scripted::from_fn(|request: &ChatRequest| {
        let data = request.messages[1].parts.iter().find_map(|part| match part {
            Part::Image { source: ImageSource::Base64 { data, .. } } => Some(data.clone()),
            _ => None,
        });
        Ok(format!("{} characters", data.unwrap_or_default().len()))
    });
    let cassette = Arc::new(Cassette::record_guarded(&file, SecretGuard::default()).unwrap());
    let recorder = Recorder::new(Arc::new(model), cassette, "default").unwrap();
    for data in [PICTURE, "AA=="] {
        recorder.chat(asked(data)).await.unwrap();
    }
    drop(recorder);
    let replay = Replay::new(Arc::new(Cassette::replay(&file).unwrap()), "default").unwrap();
    assert_eq!(replay.chat(asked("AA==")).await.unwrap().text(), "4 characters");
    assert_eq!(replay.chat(asked(PICTURE)).await.unwrap().text(), "12 characters");
    assert!(replay.chat(asked("BB==")).await.is_err());
}
