//! A scripted model for the main nodes; sections are answered by the script of their tests.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::{Outcome, RunError, Threads};
use graphloom_deepsearch::graph::graph;
use graphloom_deepsearch::state::Request;
use graphloom_deepsearch::stream::{StreamMessage, Transcript};
use graphloom_deepsearch::{Config, Resources, SearchContext};
use graphloom_llm::scripted::{Reply, rendered};
use graphloom_llm::{
    Capabilities, ChatModel, ChatRequest, ChatResponse, ChatStream, Choice, ModelError, ModelId, Scripted, fence,
};
use serde_json::{Value, json};

use super::script::{PromptKind, Script, call, outage};
use super::world::{Library, resources_of, web};

/// The prompts of the main nodes, by words of theirs.
pub(crate) const PROMPTS: [(&str, &str); 24] = [
    ("entry", "hand each one to a planner"),
    ("questions", "you may ask them exactly three questions"),
    ("revised", "has rewritten its outline"),
    ("changed", "You change the outline"),
    ("outline", "You make outlines of research reports"),
    ("transition", "lead from one chapter"),
    ("abstract", "You write the abstract"),
    ("conclusion", "You write the conclusion"),
    ("recognise", "You find the sentences of a text"),
    ("match", "For each numbered sentence you name the sources"),
    ("verify", "whether a passage supports"),
    ("correct", "A statement of a report is not what its source says"),
    ("concludes", "You find the one sentence of a section"),
    ("inference", "You lay open how a conclusion follows"),
    ("supplement", "A graph of reasons falls into parts"),
    ("places", "decide where charts help"),
    ("data", "collect the data for one chart"),
    ("critic", "look at a chart and judge it"),
    ("expand", "You expand a passage"),
    ("shorten", "You shorten a passage"),
    ("polish", "You polish a passage"),
    ("task", "Name the one question to look for"),
    ("assess", "A reader has a new task"),
    ("compose", "You write a passage of a report"),
];

/// The sentence that has no citation.
const UNCITED: &str = "Nobody counts them by night.";

type Answer = dyn Fn(usize, &str) -> Result<Reply, ModelError> + Send + Sync;

/// A model that answers the main nodes; by default as a diligent model would.
#[derive(Clone, Default)]
pub(crate) struct Main {
    answers: BTreeMap<&'static str, Arc<Answer>>,
    asked: Arc<Mutex<Vec<(&'static str, String)>>>,
    pub(crate) sections: Script,
}

impl Main {
    /// A model whose sections say what their documents say: two sentences of theirs, and one of its own.
    pub(crate) fn quoting() -> Self {
        Self::quoting_and(UNCITED)
    }

    /// The same with other words of its own.
    pub(crate) fn quoting_and(own: &str) -> Self {
        let own = own.to_owned();
        let sections = Script::default().on(PromptKind::Write, move |request| {
            let behind = request.prompt.split("The north report says that ").nth(1).unwrap();
            let subject = behind.split(" was counted").next().unwrap();
            Ok(format!(
                "## 1.1 One part\n\nThe north report says that {subject} was counted in every one of the twelve \
                 places[citation:1]. Nobody had expected that {subject} would be so common near the south \
                 river[citation:2]. So {subject} was common wherever it was counted[citation:1]. {own}"
            ))
        });
        Self { sections, ..Self::default() }
    }

    /// A model whose sections are answered by this script.
    pub(crate) fn of_sections(sections: Script) -> Self {
        Self { sections, ..Self::default() }
    }

    /// Answers the prompt `name`; the function is given how often it was asked before.
    pub(crate) fn on<R: Into<Reply>>(
        mut self,
        name: &'static str,
        answer: impl Fn(usize) -> Result<R, ModelError> + Send + Sync + 'static,
    ) -> Self {
        assert!(PROMPTS.iter().any(|(known, _)| *known == name), "{name}");
        self.answers.insert(name, Arc::new(move |number, _| answer(number).map(Into::into)));
        self
    }

    /// Answers the prompt `name` by what it says.
    pub(crate) fn reading<R: Into<Reply>>(
        mut self,
        name: &'static str,
        answer: impl Fn(&str) -> R + Send + Sync + 'static,
    ) -> Self {
        self.answers.insert(name, Arc::new(move |_, prompt| Ok(answer(prompt).into())));
        self
    }

    /// A model that is down for one prompt.
    pub(crate) fn down(self, name: &'static str) -> Self {
        self.on(name, |_| Err::<Reply, _>(outage()))
    }

    /// The prompts of one kind that were asked.
    pub(crate) fn prompts(&self, name: &str) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        asked.iter().filter(|(known, _)| *known == name).map(|(_, prompt)| prompt.clone()).collect()
    }

    pub(crate) fn model(&self) -> impl ChatModel + use<> {
        let this = self.clone();
        let main = Scripted::from_fn(move |request: &ChatRequest| {
            let prompt = rendered(request);
            let name = name_of(&prompt).expect("only known prompts come here");
            let number = {
                let mut asked = this.asked.lock().unwrap();
                asked.push((name, prompt.clone()));
                asked.iter().filter(|(known, _)| *known == name).count() - 1
            };
            match this.answers.get(name) {
                Some(answer) => answer(number, &prompt),
                None => Ok(usual(name, &prompt, request)),
            }
        });
        MainAndSections { main, sections: self.sections.model() }
    }
}

fn name_of(prompt: &str) -> Option<&'static str> {
    PROMPTS.iter().find(|(_, words)| prompt.contains(words)).map(|(name, _)| *name)
}

/// An outline of two sections, the second of which builds on the first.
pub(crate) fn outline(title: &str) -> Value {
    json!({
        "language": "en", "thought": "so", "title": title,
        "sections": [
            { "id": "a", "title": "Alpha", "description": "first", "is_core_section": true, "parent_ids": [], "relationships": [] },
            { "id": "b", "title": "Beta", "description": "second", "is_core_section": false, "parent_ids": ["a"], "relationships": ["Basic Dependence"] },
        ],
    })
}

fn usual(name: &str, prompt: &str, request: &ChatRequest) -> Reply {
    let tool = request.tools.first().map(|tool| tool.name.clone()).unwrap_or_default();
    match name {
        "entry" => Reply::tools([call(&tool, json!({ "query_title": "Storks", "language": "en" }))]),
        "questions" => Reply::text("1. Which storks?\n2. Which years?\n3. For whom?"),
        "outline" | "changed" | "revised" => Reply::tools([call(&tool, outline("All about storks"))]),
        "transition" => Reply::text("After the first comes the second."),
        "abstract" => Reply::text("In short."),
        "conclusion" => Reply::text("So it is."),
        "recognise" => json!({ "sentences": [UNCITED] }).into(),
        "match" => json!({ "results": [] }).into(),
        "verify" => json!({ "judgements": ["entails"] }).into(),
        "correct" => Reply::text("NONE"),
        "concludes" => json!({ "sentence": 1 }).into(),
        "inference" => {
            let numbers =
                prompt.split("record ").skip(1).filter_map(|rest| rest.split(':').next()?.parse::<u32>().ok());
            let records: std::collections::BTreeSet<u32> = numbers.collect();
            let heads: Vec<String> = records.iter().map(|number| format!("《{number}》")).collect();
            let conclusion = fence::text_from(prompt, "conclusion").unwrap();
            let step = json!({ "heads": heads, "relation": "infer", "tail": conclusion });
            json!({ "relevant": records, "inference": heads.join(" and "), "steps": [step] }).into()
        }
        "supplement" => json!({ "edges": [] }).into(),
        "places" => {
            let wish = json!({ "anchor": 1, "kind": "bar", "title": "Storks by place", "shows": "how many storks" });
            json!({ "charts": [wish] }).into()
        }
        "data" => json!({ "has_data": false }).into(),
        "critic" => json!({ "score": 90 }).into(),
        "expand" | "shorten" | "polish" => Reply::text("Written anew."),
        "task" => json!({ "title": "nests of storks", "description": "where they build" }).into(),
        "assess" => json!({
            "relevant": [1], "is_sufficient": false, "missing_aspects": ["nests"],
            "edit_strategy": "append_new_subsection", "title": "Nests",
        })
        .into(),
        "compose" => Reply::text("Storks build nests. [citation:1]"),
        other => panic!("{other}"),
    }
}

/// The main script for its prompts, the script of sections for all others.
struct MainAndSections {
    main: Scripted,
    sections: Scripted,
}

impl MainAndSections {
    fn of(&self, request: &ChatRequest) -> &Scripted {
        if name_of(&rendered(request)).is_some() { &self.main } else { &self.sections }
    }
}

#[async_trait]
impl ChatModel for MainAndSections {
    fn id(&self) -> &ModelId {
        self.main.id()
    }

    fn capabilities(&self) -> &Capabilities {
        self.main.capabilities()
    }

    async fn chat(&self, request: ChatRequest) -> Result<ChatResponse, ModelError> {
        self.of(&request).chat(request.clone()).await
    }

    async fn stream(&self, request: ChatRequest) -> Result<ChatStream, ModelError> {
        self.of(&request).stream(request.clone()).await
    }

    async fn choose(&self, request: ChatRequest, options: &[String]) -> Result<Choice, ModelError> {
        self.of(&request).choose(request.clone(), options).await
    }
}

/// A configuration without questions, traces and charts.
pub(crate) fn quiet() -> Config {
    let mut config = super::world::config();
    config.workflow_human_in_the_loop = false;
    config.outline_interaction_enabled = false;
    config.source_tracer_research_trace_source_switch = false;
    config.source_tracer_infer_switch = false;
    config.visualization_enable = false;
    config
}

/// A configuration with everything on that a run without people does, but the charts of the whole report.
pub(crate) fn loud() -> Config {
    let mut config = quiet();
    config.source_tracer_research_trace_source_switch = true;
    config.source_tracer_infer_switch = true;
    config.visualization_enable = true;
    config
}

pub(crate) fn resources(main: &Main) -> Resources {
    resources_of(Arc::new(main.model()), web(&Library::named("tavily")))
}

pub(crate) type Runs = Threads<SearchContext, Resources>;

pub(crate) fn runs(main: &Main, config: &Config) -> Runs {
    let graph = graph(config.execution_method.into());
    graph.with_context(resources(main)).with_checkpointer(MemoryCheckpointer::new())
}

/// The outcome of a run, and its messages to the end.
pub(crate) struct RunResult {
    pub(crate) outcome: Result<Outcome<SearchContext>, RunError>,
    pub(crate) said: Vec<StreamMessage>,
}

impl RunResult {
    pub(crate) fn state(&self) -> &SearchContext {
        match &self.outcome {
            Ok(Outcome::Done(state)) => state,
            other => panic!("the run is not done: {other:?}"),
        }
    }

    /// The contents that an agent said.
    pub(crate) fn of(&self, agent: &str) -> Vec<&str> {
        let said = self.said.iter().filter(|message| message.agent == agent && !message.content.is_empty());
        said.map(|message| message.content.as_str()).collect()
    }
}

pub(crate) async fn follow(mut run: graphloom_core_graph::Run<SearchContext>) -> RunResult {
    let mut transcript = Transcript::new("test");
    let mut said = Vec::new();
    while let Some(event) = run.next().await {
        said.extend(transcript.observe(&event));
    }
    let outcome = run.await;
    said.extend(transcript.close(&outcome));
    RunResult { outcome, said }
}

pub(crate) async fn ask(main: &Main, query: &str, config: Config) -> RunResult {
    let runs = runs(main, &config);
    follow(runs.thread("test").run(SearchContext::update().request(Request::new(query, config)))).await
}
