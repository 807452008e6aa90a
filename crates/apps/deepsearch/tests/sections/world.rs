//! What the tests run in: a scripted engine, resources, runs.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use graphloom_agents::Models;
use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::{Clock, Compiled, Outcome, State};
use graphloom_deepsearch::config::{Config, SearchMethod};
use graphloom_deepsearch::search::Engines;
use graphloom_deepsearch::state::{Outline, Section};
use graphloom_deepsearch::status::Notice;
use graphloom_deepsearch::stream::{StreamMessage, message_of};
use graphloom_deepsearch::{Document, Resources};
use graphloom_llm::ChatModel;
use graphloom_retrieval::{Evidence, Fault, Hit, Search, SearchAnswer, Source};

use super::script::Script;

/// A scripted engine: two documents for each query, or what a test says.
#[derive(Clone, Default)]
pub(crate) struct Library {
    name: &'static str,
    /// What is answered instead, by query.
    pub(crate) answers: BTreeMap<String, Vec<Document>>,
    /// Every search fails like this.
    pub(crate) fault: Option<Fault>,
    /// How long a search takes.
    pub(crate) delay: Duration,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Library {
    pub(crate) fn named(name: &'static str) -> Self {
        Self { name, ..Self::default() }
    }

    /// The searches that were made.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().expect("nobody panicked").clone()
    }
}

/// A document about a subject.
pub(crate) fn document(subject: &str, part: &str) -> Document {
    let text = format!(
        "The {part} report says that {subject} was counted in every one of the twelve places. \
         Nobody had expected that {subject} would be so common near the {part} river."
    );
    Document::new(format!("https://{part}.example/{}", subject.replace(' ', "-")), format!("{subject}, {part}"), text)
}

#[async_trait]
impl Search for Library {
    fn engines(&self) -> Vec<String> {
        vec![self.name.to_owned()]
    }

    async fn search(&self, query: &str, limit: usize) -> SearchAnswer {
        tokio::time::sleep(self.delay).await;
        self.asked.lock().expect("nobody panicked").push(query.to_owned());
        if let Some(fault) = &self.fault {
            return SearchAnswer::failed(self.name, query, fault.clone());
        }
        let usual = || vec![document(query, "north"), document(query, "south")];
        let documents = self.answers.get(query).cloned().unwrap_or_else(usual);
        SearchAnswer::of(self.name, query, documents.iter().take(limit).map(|found| hit(found, self.name)).collect())
    }
}

/// A document as an engine gives it.
pub(crate) fn hit(document: &Document, engine: &str) -> Hit {
    let source = Source::Web { url: document.url.clone() };
    let evidence = Evidence::new(document.id.as_str(), source, document.title.as_str(), &*document.text);
    Hit::new(evidence, 1.0, "").by(engine)
}

/// The engine of the web, alone.
pub(crate) fn web(library: &Library) -> Engines {
    Engines::of(Arc::new(library.clone()))
}

pub(crate) fn resources(script: &Script, search: Engines) -> Resources {
    resources_of(Arc::new(script.model()), search)
}

pub(crate) fn resources_of(model: Arc<dyn ChatModel>, search: Engines) -> Resources {
    Resources::new(Models::new(model), search).expect("prompts are sound")
}

/// The usual configuration, without charts and traces.
pub(crate) fn config() -> Config {
    let mut config = Config::default();
    config.info_collector_search_method = SearchMethod::Web;
    config.source_tracer_research_trace_source_switch = false;
    config.visualization_enable = false;
    config
}

/// Sections with their parents.
pub(crate) fn outline(sections: &[(&str, &[&str])]) -> Outline {
    let mut outline = Outline::default();
    outline.id = "1".into();
    outline.title = "The report".into();
    outline.sections = sections.iter().map(|(id, parents)| section(id, parents)).collect();
    outline
}

pub(crate) fn section(id: &str, parents: &[&str]) -> Section {
    let mut section = Section::default();
    section.id = id.into();
    section.title = format!("Chapter {id}");
    section.description = format!("what chapter {id} is about");
    section.parent_ids = parents.iter().map(|parent| (*parent).to_owned()).collect();
    section.relationships = parents.iter().map(|_| "Basic Dependence".to_owned()).collect();
    section
}

/// The outcome of a run: its state and what was said on the way.
pub(crate) struct RunResult<S> {
    pub(crate) state: Arc<S>,
    pub(crate) said: Vec<StreamMessage>,
}

/// The time of the test, which stands still where it is paused.
struct TestTime(tokio::time::Instant);

impl Clock for TestTime {
    fn now(&self) -> u64 {
        1_700_000_000_000 + u64::try_from(self.0.elapsed().as_millis()).expect("a short test")
    }
}

/// Runs a graph to its end.
pub(crate) async fn run<S: State + std::fmt::Debug>(
    graph: Compiled<S, Resources>,
    resources: Resources,
    input: S::Update,
) -> RunResult<S> {
    let threads = graph.with_context(resources).with_checkpointer(MemoryCheckpointer::new());
    let threads = threads.with_clock(Arc::new(TestTime(tokio::time::Instant::now())));
    let mut run = threads.thread("test").run(input);
    let mut said = Vec::new();
    while let Some(event) = run.next().await {
        said.extend(message_of(&event));
    }
    match run.await.expect("the run goes on") {
        Outcome::Done(state) => RunResult { state, said },
        other => panic!("the run is not done: {other:?}"),
    }
}

/// The codes of notices with their severity: `211900w`.
pub(crate) fn codes<'n>(notices: impl IntoIterator<Item = &'n Notice>) -> Vec<String> {
    let short = |notice: &Notice| format!("{}{}", notice.code, &format!("{:?}", notice.severity)[..1].to_lowercase());
    notices.into_iter().map(short).collect()
}
