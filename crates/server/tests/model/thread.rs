//! The model of a thread.

use serde_json::{Map, Value, json};

/// The graph of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Pipeline,
    Approval,
    Ticker,
}

/// A state in the history of a thread: its values, and the node that is next.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Snapshot {
    pub(super) values: Map<String, Value>,
    pub(super) next: Vec<&'static str>,
}

/// What is expected of a thread.
#[derive(Clone, Debug)]
pub(super) struct Thread {
    pub(super) kind: Kind,
    pub(super) id: String,
    /// From the oldest on.
    pub(super) states: Vec<Snapshot>,
    /// The state at the head: not the newest after a branch.
    pub(super) status: &'static str,
    pub(super) patched: Value,
    /// Ids and statuses, from the oldest on.
    pub(super) runs: Vec<(String, &'static str)>,
    /// Whether it is a copy of a thread that had runs: it has their graph.
    pub(super) is_copy_of_runs: bool,
}

impl Snapshot {
    /// Whether it would take long to go on from here: it is of a run that was to be stopped.
    pub(super) fn is_long(&self) -> bool {
        !self.next.is_empty() && self.values.get("n").and_then(Value::as_u64).is_some_and(|n| n > 1_000)
    }
}

impl Kind {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Pipeline => "pipeline",
            Self::Approval => "approval",
            Self::Ticker => "ticker",
        }
    }

    fn first(self) -> &'static str {
        match self {
            Self::Pipeline => "plan",
            Self::Approval => "draft",
            Self::Ticker => "tick",
        }
    }

    /// The list that nodes append to.
    pub(super) fn list(self) -> &'static str {
        match self {
            Self::Pipeline => "items",
            Self::Approval => "log",
            Self::Ticker => "ticks",
        }
    }

    /// What a node makes of the values, and what is next; a question that has no answer stops.
    fn step(self, node: &str, values: &mut Map<String, Value>, answer: Option<&str>) -> Vec<&'static str> {
        let text = |values: &Map<String, Value>, key: &str| values[key].as_str().unwrap().to_owned();
        let count = values[self.list()].as_array().unwrap().len();
        let mut append = |entry: Value| values[self.list()].as_array_mut().unwrap().push(entry);
        match node {
            "plan" | "work" | "finish" => {
                let topic = text(values, "topic");
                values["items"].as_array_mut().unwrap().push(json!(format!("{node}:{topic}")));
                match node {
                    "plan" => vec!["work"],
                    "work" => vec!["finish"],
                    _ => {
                        values.insert("count".to_owned(), json!(count + 1));
                        vec![]
                    }
                }
            }
            "draft" => {
                append(json!("draft"));
                let request = text(values, "request");
                values.insert("draft".to_owned(), json!(format!("Draft for {request}")));
                vec!["review"]
            }
            "review" => {
                let answer = answer.unwrap();
                append(json!(format!("review:{answer}")));
                values.insert("decision".to_owned(), json!(answer));
                vec![if answer == "approve" { "publish" } else { "discard" }]
            }
            "publish" | "discard" => {
                append(json!(node));
                vec![]
            }
            "tick" => {
                append(json!(count + 1));
                if (count as u64) + 1 < values["n"].as_u64().unwrap() { vec!["tick"] } else { vec![] }
            }
            other => panic!("{other}"),
        }
    }
}

impl Thread {
    pub(super) fn head(&self) -> Option<&Snapshot> {
        self.states.last()
    }

    /// The values that a run begins on that has an input.
    pub(super) fn values(&self) -> Map<String, Value> {
        let fresh = || json!({self.kind.list(): []}).as_object().unwrap().clone();
        self.head().map_or_else(fresh, |state| state.values.clone())
    }

    pub(super) fn is_open(&self) -> bool {
        self.head().is_some_and(|state| state.next == ["review"])
    }

    /// Commits a state.
    pub(super) fn commit(&mut self, values: Map<String, Value>, next: Vec<&'static str>) {
        self.states.push(Snapshot { values, next });
    }

    /// A run with an input on the values of a state.
    pub(super) fn input(&mut self, base: Map<String, Value>, input: &Value) {
        self.commit(base.clone(), vec!["__start__"]);
        let mut values = base;
        values.extend(input.as_object().unwrap().clone());
        self.commit(values, vec![self.kind.first()]);
        self.go_on(None);
    }

    /// Runs what is next, to the end or a question.
    pub(super) fn go_on(&mut self, mut answer: Option<&str>) {
        while let Some(Snapshot { mut values, next }) = self.head().cloned() {
            let Some(node) = next.first().filter(|node| **node != "review" || answer.is_some()) else { break };
            let next = self.kind.step(node, &mut values, answer.take());
            self.commit(values, next);
        }
        self.settle();
    }

    /// The status after a run that did not fail.
    pub(super) fn settle(&mut self) {
        self.status = if self.head().is_none_or(|state| state.next.is_empty()) { "idle" } else { "interrupted" };
    }
}
