//! How an agent asks, reads, asks again and gives up.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use futures::executor::block_on;
use graphloom_agents::{Agent, AgentError, AgentSpec, Ask, Models, Parsed, Profile, Prompts};
use graphloom_llm::{
    Capabilities, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, FinishReason, Message, ModelError, ModelId,
    Role, Scripted, StructuredSupport, Usage,
};
use serde_json::json;

/// Answers with fixed texts in order and keeps the requests.
struct Lines {
    id: ModelId,
    capabilities: Capabilities,
    replies: Mutex<Vec<(&'static str, FinishReason)>>,
    requests: Mutex<Vec<ChatRequest>>,
}

impl Lines {
    fn new(replies: &[(&'static str, FinishReason)]) -> Arc<Self> {
        Arc::new(Self {
            id: ModelId::new("scripted", "lines"),
            capabilities: Capabilities {
                structured: StructuredSupport::Prompted,
                tools: false,
                images: false,
                sampling: true,
                context: None,
                local: true,
                documents: false,
            },
            replies: Mutex::new(replies.iter().rev().cloned().collect()),
            requests: Mutex::default(),
        })
    }
}

#[async_trait]
impl ChatModel for Lines {
    fn id(&self) -> &ModelId {
        &self.id
    }

    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    async fn chat(&self, request: ChatRequest) -> Result<ChatResponse, ModelError> {
        self.requests.lock().unwrap().push(request);
        let (text, finish) = self
            .replies
            .lock()
            .unwrap()
            .pop()
            .ok_or_else(|| ModelError::Setup { message: "no reply is left".into() })?;
        let usage = Usage { input: 10, output: 2, ..Usage::default() };
        Ok(ChatResponse {
            model: "lines".into(),
            message: Message::text(Role::Assistant, text),
            finish,
            usage,
            request_id: None,
        })
    }

    async fn stream(&self, _: ChatRequest) -> Result<ChatStream, ModelError> {
        Err(ModelError::Unsupported { model: self.id.to_string(), what: "stream".into() })
    }

    async fn choose(&self, _: ChatRequest, _: &[String]) -> Result<Choice, ModelError> {
        Err(ModelError::Unsupported { model: self.id.to_string(), what: "choose".into() })
    }
}

fn ask(model: &Arc<Lines>, ask: Ask) -> Result<graphloom_agents::Answer<i64>, AgentError> {
    let prompts = Prompts::new(&[("count", "{# system #}\nCount.\n{# user #}\nHow many {{ what }}?")]).unwrap();
    let profile: Profile =
        Profile::parse("name = \"p\"\n[agents.execute.think]\ntemplate = \"count\"\ntries = 3\ntemperature = 0.5\n")
            .unwrap();
    let spec: &AgentSpec = profile.agent("execute", "think").unwrap();
    let models = Models::new(Arc::clone(model) as Arc<dyn ChatModel>);
    let agent = Agent::new("execute/think", spec, &prompts, &models);
    block_on(agent.ask(&json!({ "what": "tides" }), ask, |reply| match reply.text.trim().parse::<i64>() {
        Ok(number) => Ok(Parsed::new(number)),
        Err(_) if reply.last && reply.text == "two" => Ok(Parsed::with_notes(2, vec!["read a word".into()])),
        Err(e) => Err(format!("`{}` is not a number: {e}", reply.text)),
    }))
}

#[test]
fn a_refused_reply_is_shown_to_the_model_with_the_reason() {
    let model = Lines::new(&[("many", FinishReason::Stop), ("2", FinishReason::Stop)]);
    let answer = ask(&model, Ask::default()).unwrap();
    assert_eq!(answer.value, 2);
    let requests = model.requests.lock().unwrap();
    let roles: Vec<Role> = requests[1].messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::System, Role::User, Role::Assistant, Role::User]);
    assert!(requests[1].messages[3].joined_text().contains("`many` is not a number"));
    assert_eq!(requests[0].params.temperature, Some(0.5));
    let exchange = &answer.exchange;
    assert_eq!((exchange.calls(), exchange.usage().total()), (2, 24));
    assert!(exchange.attempts[0].problem.is_some() && exchange.attempts[1].problem.is_none());
    assert_eq!(exchange.messages[1].joined_text(), "How many tides?");
    assert_eq!(exchange.args, json!({ "what": "tides" }));
    let stored: graphloom_agents::Exchange = serde_json::from_value(serde_json::to_value(exchange).unwrap()).unwrap();
    assert_eq!(&stored, exchange);
}

#[test]
fn the_last_try_may_be_read_leniently() {
    let model = Lines::new(&[("two", FinishReason::Stop), ("two", FinishReason::Stop), ("two", FinishReason::Stop)]);
    let answer = ask(&model, Ask::default()).unwrap();
    assert_eq!((answer.value, answer.exchange.calls()), (2, 3));
    assert_eq!(answer.exchange.attempts[2].notes, ["read a word"]);
}

#[test]
fn giving_up_keeps_every_reply() {
    let model = Lines::new(&[("a", FinishReason::Stop), ("b", FinishReason::Stop), ("c", FinishReason::Stop)]);
    let error = ask(&model, Ask::default()).unwrap_err();
    assert!(error.to_string().contains("none of 3 replies of `scripted:lines`"), "{error}");
    let replies: Vec<&str> = error.exchange().unwrap().attempts.iter().map(|a| a.reply.as_str()).collect();
    assert_eq!(replies, ["a", "b", "c"]);
    assert!(!error.is_retryable());
}

#[test]
fn a_cut_reply_is_never_asked_for_again() {
    let model = Lines::new(&[("12", FinishReason::Length), ("3", FinishReason::Stop)]);
    let error = ask(&model, Ask::default()).unwrap_err();
    assert!(error.to_string().contains("raise `max_tokens`"), "{error}");
    assert_eq!(model.requests.lock().unwrap().len(), 1);

    let mut lenient = Ask::default();
    lenient.accept_incomplete = true;
    let model = Lines::new(&[("12", FinishReason::Length)]);
    let answer = ask(&model, lenient).unwrap();
    assert_eq!(answer.value, 12);
    assert_eq!(answer.exchange.attempts[0].notes, ["the reply ended at the limit of tokens"]);
}

#[test]
fn a_reply_that_the_provider_broke_off_is_told_with_its_word() {
    for (finish, told) in [
        (FinishReason::ContentFilter, "the reply was broken off by the provider, which withholds the rest"),
        (FinishReason::Other("pause_turn".into()), "the reply was broken off by the provider (`pause_turn`)"),
    ] {
        let model = Lines::new(&[("12", finish.clone()), ("3", FinishReason::Stop)]);
        let error = ask(&model, Ask::default()).unwrap_err();
        assert!(error.to_string().contains(told), "{error}");
        let mut lenient = Ask::default();
        lenient.accept_incomplete = true;
        let answer = ask(&Lines::new(&[("12", finish)]), lenient).unwrap();
        assert_eq!((answer.value, answer.exchange.attempts[0].notes.as_slice()), (12, &[told.to_owned()][..]));
    }
}

#[test]
fn a_failing_model_hands_over_what_happened_before() {
    let model = Lines::new(&[("a", FinishReason::Stop)]);
    let error = ask(&model, Ask::default()).unwrap_err();
    assert!(matches!(&error, AgentError::Model { .. }), "{error}");
    assert_eq!(error.exchange().unwrap().calls(), 1);
}

#[test]
fn thoughts_alone_are_asked_again_three_times_at_most() {
    let prompts = Prompts::new(&[("count", "{# user #}\nHow many {{ what }}?")]).unwrap();
    let text = "name = \"p\"\n[agents.execute.think]\ntemplate = \"count\"\ntries = 5\n";
    let profile: Profile = Profile::parse(text).unwrap();
    let spec: &AgentSpec = profile.agent("execute", "think").unwrap();
    let scripted = Arc::new(Scripted::from_fn(|_| Ok("<think>Maybe <result>9</result>, or")));
    let models = Models::new(Arc::clone(&scripted) as Arc<dyn ChatModel>);
    let agent = Agent::new("execute/think", spec, &prompts, &models);
    let args = json!({ "what": "tides" });
    let asked = agent.ask(&args, Ask::default(), |reply| Ok(Parsed::new(reply.text.to_owned())));
    let error = block_on(asked).unwrap_err();
    let AgentError::Unusable { tries, problem, exchange, .. } = &error else { panic!("{error}") };
    assert_eq!((*tries, problem.as_str()), (3, "it held thoughts only, and no answer after them"));
    assert_eq!(exchange.attempts[0].thoughts, "Maybe <result>9</result>, or");
    let requests = scripted.calls();
    assert_eq!(requests.len(), 3);
    let said = serde_json::to_string(&requests).unwrap();
    assert!(!said.contains("Maybe") && said.contains("(no text)"), "thoughts do not go back: {said}");
}
