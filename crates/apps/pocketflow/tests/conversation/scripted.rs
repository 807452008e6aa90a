//! A scripted model, scripted sources, and a conversation on them.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use graphloom_agents::Models;
use graphloom_core_graph::Compiled;
use graphloom_core_graph::checkpoint::{Checkpointer, MemoryCheckpointer};
use graphloom_core_graph::store::{MemoryStore, Store};
use graphloom_llm::scripted::rendered;
use graphloom_llm::{ChatRequest, ModelError, Scripted};
use graphloom_pocketflow::research::{Fault, Record};
use graphloom_pocketflow::session::Session;
use graphloom_pocketflow::{ChatMessage, Conversation, Conversations, Resources, TurnEvent, TurnStreams, graph};
use graphloom_retrieval::{Hit, Search, SearchAnswer};
use serde_json::json;

/// How the scripted source answers, call by call; the last answer repeats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Answer {
    Records,
    Nothing,
    Fails,
    Panics,
    Hangs,
}

pub(crate) struct ScriptedSource {
    answers: Vec<Answer>,
    asked: AtomicUsize,
    /// A permit for each search, also for those that nobody waited for when they began.
    pub(crate) reached: tokio::sync::Semaphore,
}

impl ScriptedSource {
    pub(crate) fn new(answers: &[Answer]) -> Arc<Self> {
        Arc::new(Self {
            answers: answers.to_vec(),
            asked: AtomicUsize::new(0),
            reached: tokio::sync::Semaphore::new(0),
        })
    }

    /// How many searches it was asked for.
    pub(crate) fn searched(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Search for ScriptedSource {
    fn engines(&self) -> Vec<String> {
        vec!["scripted".to_owned()]
    }

    async fn search(&self, query: &str, _: usize) -> SearchAnswer {
        let at = self.asked.fetch_add(1, Ordering::SeqCst).min(self.answers.len() - 1);
        self.reached.add_permits(1);
        let hits = match self.answers[at] {
            Answer::Records => {
                let text = format!("Words on {query} were measured at the coast for many years.");
                let mut record = Record::new(format!("On {query}"));
                record.id = format!("r-{query}");
                record.abstract_text = Some(text);
                vec![Hit::new(record.evidence(), 1.0, "").by("scripted").of_work(record)]
            }
            Answer::Nothing => Vec::new(),
            Answer::Fails => {
                return SearchAnswer::failed("scripted", query, Fault::Html { title: "Maintenance".to_owned() });
            }
            Answer::Panics => panic!("the scripted source panics"),
            Answer::Hangs => std::future::pending().await,
        };
        SearchAnswer::of("scripted", query, hits)
    }
}

/// The titles of what a session has found.
pub(crate) fn found_titles(session: &Session) -> Vec<&str> {
    let review = session.artifacts.review.as_ref().expect("part of the test");
    review.value.records.iter().map(|record| record.title.as_str()).collect()
}

/// A model that answers every prompt of the conversation by the fields that its schema asks for.
pub(crate) fn scripted_model(seen: Arc<Mutex<Vec<String>>>) -> Scripted {
    Scripted::from_fn(move |request: &ChatRequest| {
        let prompt = rendered(request);
        seen.lock().expect("part of the test").push(prompt.clone());
        scripted_reply(&prompt)
    })
}

/// The answer of that model to a prompt.
pub(crate) fn scripted_reply(prompt: &str) -> Result<String, ModelError> {
    let answer = if prompt.contains("You plan literature searches") {
        // One more than the newest that came before, also after a restart.
        let before = prompt.lines().filter_map(|line| line.strip_prefix("- first query ")?.parse::<u32>().ok());
        let round = before.max().unwrap_or(0) + 1;
        json!({ "queries": [
                { "text": format!("first query {round}"), "rationale": "recent", "aspect": "recent" },
                { "text": format!("second query {round}"), "rationale": "limits", "aspect": "limits" },
            ] })
    } else if prompt.contains("You read scientific material") {
        json!({ "claim": "Something was measured.", "limits": "Once only." })
    } else if prompt.contains("You summarise what several records say") {
        json!({ "themes": [{ "name": "Measuring", "summary": "It is measured.", "records": [1, 99] }] })
    } else if prompt.contains("You find what research leaves open") {
        json!({ "summary": "Little.", "gap": "The long run.", "why": "It matters.", "evidence": [1] })
    } else if prompt.contains("You write research proposals") {
        json!({ "title": "A proposal", "sections": [
                { "heading": "Background", "text": "It was measured [1]. It was guessed [42]." },
                { "heading": "Method", "text": "Measure longer." },
            ] })
    } else if prompt.contains("You read what a person says") {
        // It is sure of two replies, of one by words that it made up.
        let sure = prompt.contains("thumbs are up") || prompt.contains("hands are full");
        let confidence = if sure { 0.95 } else { 0.4 };
        json!({ "intent": "approve", "detail": "", "words": "thumbs are up", "confidence": confidence })
    } else if prompt.contains("You answer a question") {
        json!({ "answer": "Because of the tides." })
    } else {
        return Err(ModelError::Setup { message: "no answer is scripted for this prompt".to_owned() });
    };
    Ok(answer.to_string())
}

/// A conversation on scripted parts.
pub(crate) struct ScriptedConversation {
    pub(crate) conversations: Conversations,
    pub(crate) store: Arc<dyn Store>,
    /// What the model was asked.
    pub(crate) seen: Arc<Mutex<Vec<String>>>,
}

pub(crate) const ID: &str = "c1";

impl ScriptedConversation {
    pub(crate) fn new(answers: &[Answer]) -> Self {
        let store = Arc::new(MemoryStore::new());
        Self::on(ScriptedSource::new(answers), store, Arc::new(MemoryCheckpointer::new()))
    }

    pub(crate) fn on(source: Arc<dyn Search>, store: Arc<dyn Store>, checkpointer: Arc<dyn Checkpointer>) -> Self {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let talk = Self::with(scripted_model(Arc::clone(&seen)), source, store, checkpointer);
        Self { seen, ..talk }
    }

    /// A conversation on another scripted model, which keeps what it saw to itself.
    pub(crate) fn with(
        model: Scripted,
        source: Arc<dyn Search>,
        store: Arc<dyn Store>,
        checkpointer: Arc<dyn Checkpointer>,
    ) -> Self {
        Self::over(graph(), model, source, store, checkpointer)
    }

    /// A conversation over a graph with options.
    pub(crate) fn over(
        graph: Compiled<Conversation, Resources>,
        model: Scripted,
        source: Arc<dyn Search>,
        store: Arc<dyn Store>,
        checkpointer: Arc<dyn Checkpointer>,
    ) -> Self {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let models = Models::new(Arc::new(model));
        let resources = Resources::new(models, source, Arc::clone(&store)).expect("part of the test");
        Self { conversations: Conversations::of(graph, resources, checkpointer), store, seen }
    }

    /// Says something and returns what is said back, which is shown to the person.
    pub(crate) async fn say(&self, message: &str) -> String {
        let (_, chat) = self.shown(self.conversations.say(ID, message)).await;
        assert!(!chat.is_empty(), "no answer to {message:?}");
        chat.iter().map(|message| message.text().to_owned()).collect::<Vec<_>>().join("\n")
    }

    /// Takes a turn to its end and shows the person its messages.
    pub(crate) async fn shown(&self, mut streams: TurnStreams) -> (Vec<String>, Vec<ChatMessage>) {
        let (mut thoughts, mut chat) = (Vec::new(), Vec::new());
        while let Some(event) = streams.next().await {
            match event {
                TurnEvent::Thought(thought) => thoughts.push(thought),
                TurnEvent::Chat(message) => chat.push(message),
            }
        }
        if let Some(question) = streams.question() {
            self.conversations.record_delivery(ID, question).await.expect("part of the test");
        }
        (thoughts, chat)
    }

    /// Makes an older checkpoint the head, and shows what is asked there.
    pub(crate) async fn fork(&self, at: u64) {
        self.conversations.fork(ID, at).await.expect("part of the test");
        let (question, _) = self.conversations.open_question(ID).await.expect("part of the test");
        self.conversations.record_delivery(ID, &question).await.expect("part of the test");
    }

    pub(crate) async fn session(&self) -> Session {
        self.conversations.session(ID).await.expect("part of the test")
    }

    /// The rule that the last message met.
    pub(crate) async fn rule(&self) -> String {
        self.session().await.decision.expect("part of the test").rule
    }

    /// The rules of the journey.
    pub(crate) async fn rules(&self) -> Vec<String> {
        self.session().await.journey.into_iter().map(|step| step.rule).collect()
    }
}
