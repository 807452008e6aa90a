//! A conversation with a run: it asks, a test answers.

use graphloom_core_graph::{Answers, Outcome};
use graphloom_deepsearch::state::Request;
use graphloom_deepsearch::{Config, SearchContext};
use serde_json::Value;

use super::model::{Main, RunResult, Runs, follow, runs};

/// A run that asks.
pub(crate) struct AskingRun {
    runs: Runs,
    pub(crate) ended: RunResult,
}

impl AskingRun {
    /// Begins a run and follows it to its first question or its end.
    pub(crate) async fn begin(main: &Main, config: Config) -> Self {
        let runs = runs(main, &config);
        let request = Request::new("How common are storks?", config);
        let ended = follow(runs.thread("test").run(SearchContext::update().request(request))).await;
        Self { runs, ended }
    }

    /// The question that waits: its key, and what it shows.
    pub(crate) fn question(&self) -> (String, Value) {
        let Ok(Outcome::Waiting(questions)) = &self.ended.outcome else { panic!("{:?}", self.ended.outcome) };
        let question = questions.iter().next().unwrap();
        (question.key.clone(), question.payload.clone())
    }

    /// Answers the one question that waits.
    pub(crate) async fn answer(&mut self, key: &str, answer: Value) {
        let Ok(Outcome::Waiting(questions)) = &self.ended.outcome else { panic!("{:?}", self.ended.outcome) };
        let keys: Vec<&str> = questions.iter().map(|question| question.key.as_str()).collect();
        assert_eq!(keys, [key]);
        let answers = Answers::new().and(key, answer).unwrap();
        self.ended = follow(self.runs.thread("test").resume(answers)).await;
    }

    /// Whether the run waits for an answer.
    pub(crate) fn waits(&self) -> bool {
        matches!(self.ended.outcome, Ok(Outcome::Waiting(_)))
    }
}
