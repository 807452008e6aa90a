//! A scripted model: it knows from the prompt which node asks, and answers by default as a diligent model would.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use graphloom_llm::scripted::{Reply, rendered};
use graphloom_llm::{ChatRequest, ModelError, Role, Scripted, ToolCall, fence};
use serde_json::{Value, json};

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum PromptKind {
    Plan,
    Queries,
    Collect,
    Score,
    Supervise,
    Sum,
    Classify,
    Outline,
    Write,
    Summarise,
    ChartPlaces,
    ChartData,
    Recognise,
}

impl PromptKind {
    pub(crate) const ALL: [(Self, &'static str); 10] = [
        (Self::Plan, "You plan what has to be found out"),
        (Self::Queries, "You make search queries"),
        (Self::Collect, "You search for documents"),
        (Self::Score, "You judge documents by"),
        (Self::Supervise, "You judge whether enough"),
        (Self::Sum, "You sum up what was found"),
        (Self::Classify, "You choose the documents"),
        (Self::Outline, "You make the outline of one section"),
        (Self::Write, "You write one section"),
        (Self::Summarise, "You sum up one section"),
    ];

    /// Those who ask only where charts or traces are on.
    const MORE: [(Self, &'static str); 3] = [
        (Self::ChartPlaces, "decide where charts help"),
        (Self::ChartData, "collect the data for one chart"),
        (Self::Recognise, "You find the sentences of a text"),
    ];

    fn of(prompt: &str) -> Self {
        let found = Self::ALL.iter().chain(&Self::MORE).find(|(_, words)| prompt.contains(words));
        found.unwrap_or_else(|| panic!("nobody asks like this: {prompt}")).0
    }
}

/// One request: who asks, which of its requests it is, from 0, and the prompt.
pub(crate) struct Request<'a> {
    pub(crate) prompt: &'a str,
    pub(crate) number: usize,
    pub(crate) raw: &'a ChatRequest,
}

impl Request<'_> {
    /// The word or title between two texts of the prompt, from its end.
    pub(crate) fn between(&self, before: &str, after: &str) -> String {
        let start = self.prompt.rfind(before).map(|at| at + before.len());
        let rest = &self.prompt[start.unwrap_or_else(|| panic!("no `{before}` in {}", self.prompt))..];
        rest[..rest.find(after).unwrap_or(rest.len())].to_owned()
    }

    /// The text that is fenced with an origin.
    pub(crate) fn from(&self, origin: &str) -> &str {
        fence::text_from(self.prompt, origin).unwrap_or_else(|| panic!("nothing from `{origin}` in {}", self.prompt))
    }

    /// The number of the section and of the plan of a request for a plan.
    pub(crate) fn plan(&self) -> (String, u32) {
        let plan = self.between("Make plan ", " for section ");
        (self.between(" for section ", ","), plan.parse().expect("a number"))
    }

    /// The question that the collector's nodes ask about: the step's title.
    pub(crate) fn step(&self) -> String {
        let question = self.from("the question");
        question.lines().next().unwrap_or_default().trim_end_matches('.').to_owned()
    }
}

type Answer = dyn Fn(&Request<'_>) -> Result<Reply, ModelError> + Send + Sync;

/// A script: answers for some who ask, defaults for the others.
#[derive(Clone, Default)]
pub(crate) struct Script {
    answers: BTreeMap<PromptKind, Arc<Answer>>,
    seen: Arc<Mutex<Vec<(PromptKind, String)>>>,
}

impl Script {
    /// Answers for one who asks.
    pub(crate) fn on<R: Into<Reply>>(
        mut self,
        asked: PromptKind,
        answer: impl Fn(&Request<'_>) -> Result<R, ModelError> + Send + Sync + 'static,
    ) -> Self {
        self.answers.insert(asked, Arc::new(move |request| answer(request).map(Into::into)));
        self
    }

    /// The same JSON for every request of one who asks.
    pub(crate) fn always(self, asked: PromptKind, answer: Value) -> Self {
        self.on(asked, move |_| Ok(answer.clone()))
    }

    /// A model that is down for one who asks.
    pub(crate) fn down(self, asked: PromptKind) -> Self {
        self.on(asked, |_| Err::<Reply, _>(outage()))
    }

    /// The prompts of one who asks, in order.
    pub(crate) fn prompts(&self, asked: PromptKind) -> Vec<String> {
        let seen = self.seen.lock().expect("nobody panicked");
        seen.iter().filter(|(who, _)| *who == asked).map(|(_, prompt)| prompt.clone()).collect()
    }

    /// How often somebody asked.
    pub(crate) fn count(&self, asked: PromptKind) -> usize {
        self.prompts(asked).len()
    }

    /// All that was asked.
    pub(crate) fn total(&self) -> usize {
        self.seen.lock().expect("nobody panicked").len()
    }

    /// The model.
    pub(crate) fn model(&self) -> Scripted {
        let script = self.clone();
        Scripted::from_fn(move |raw: &ChatRequest| {
            let prompt = rendered(raw);
            let asked = PromptKind::of(&prompt);
            let number = {
                let mut seen = script.seen.lock().expect("nobody panicked");
                seen.push((asked, prompt.clone()));
                seen.iter().filter(|(who, _)| *who == asked).count() - 1
            };
            let request = Request { prompt: &prompt, number, raw };
            match script.answers.get(&asked) {
                Some(answer) => answer(&request),
                None => Ok(usual(asked, &request)),
            }
        })
    }
}

/// The server's fault, not worth a retry.
pub(crate) fn outage() -> ModelError {
    ModelError::Quota { model: "scripted".into(), message: "nothing left".into(), request_id: None }
}

/// A call of a tool.
pub(crate) fn call(tool: &str, arguments: Value) -> ToolCall {
    ToolCall { id: format!("call-{tool}-{arguments}"), name: tool.into(), arguments }
}

/// A plan with these steps: title, parents.
pub(crate) fn plan(steps: &[(&str, &[&str])]) -> Value {
    let step = |(title, parents): &(&str, &[&str])| {
        let relationships = vec!["Basic Dependence"; parents.len()];
        json!({
            "type": "info_collecting", "title": title, "description": format!("all about {title}"),
            "parent_ids": parents, "relationships": relationships,
        })
    };
    json!({
        "language": "en-US", "title": "plan", "thought": "so",
        "is_research_completed": false, "steps": steps.iter().map(step).collect::<Vec<_>>(),
    })
}

/// What a diligent model answers.
fn usual(asked: PromptKind, request: &Request<'_>) -> Reply {
    match asked {
        PromptKind::Plan => {
            let (section, number) = request.plan();
            let arguments = if number == 1 {
                plan(&[(&format!("first of {section}"), &[]), (&format!("second of {section}"), &[])])
            } else {
                json!({ "is_research_completed": true, "steps": [] })
            };
            Reply::tools([call("generate_plan", arguments)])
        }
        PromptKind::Queries => json!({ "description": "facts", "queries": [request.step()] }).into(),
        PromptKind::Collect => {
            if request.raw.messages.iter().any(|message| message.role == Role::Tool) {
                return Reply::text("done");
            }
            let query = request.from("the query");
            Reply::tools([call("web_search_tool", json!({ "query": query }))])
        }
        PromptKind::Score => scores(request.prompt, |_| [7, 6, 5, 4]),
        PromptKind::Supervise => json!({ "is_sufficient": true, "knowledge_gap": "", "next_queries": [] }).into(),
        PromptKind::Sum => {
            json!({ "info_summary": format!("Summary of {}", request.step()), "evaluation": "good enough" }).into()
        }
        PromptKind::Classify => {
            let top: usize = request.between("at most ", " documents").parse().expect("a number");
            let shown = request.prompt.matches("from: document ").count();
            json!({ "chapter": "c", "documents": (1..=top.min(shown)).collect::<Vec<_>>() }).into()
        }
        PromptKind::Outline => {
            let section = request.between("The first line is `", " title`");
            Reply::text(format!("{section} Some title\n{section}.1 One part"))
        }
        PromptKind::Write => {
            let section = request.from("the title of the report");
            Reply::text(format!(
                "# {section}\n\n## 1.1 One part\n\nA fact of the documents [citation:1]. More [citation:2]."
            ))
        }
        PromptKind::ChartPlaces => json!({ "charts": [] }).into(),
        PromptKind::ChartData => json!({ "has_data": false }).into(),
        PromptKind::Recognise => json!({ "sentences": [] }).into(),
        PromptKind::Summarise => {
            let section = request.between("from: section ", ":");
            Reply::text(format!("What section {section} says."))
        }
    }
}

/// Scores for all documents that are shown.
pub(crate) fn scores(prompt: &str, of: impl Fn(usize) -> [i64; 4]) -> Reply {
    let shown = prompt.matches("from: document ").count();
    let one = |number: usize| {
        let [relevance, answerability, authority, data_density] = of(number);
        json!({
            "content": number, "doc_time": "2023",
            "scores": {
                "relevance": relevance, "answerability": answerability,
                "authority": authority, "data_density": data_density,
            },
        })
    };
    json!({ "documents": (1..=shown).map(one).collect::<Vec<_>>() }).into()
}
