//! Open questions and their answers.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::depth::{MOST_LEVELS, is_nested_within, too_deep};
use crate::error::RunError;
use crate::tasks::Question;

/// The open questions of a thread.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Questions(Vec<Question>);

/// Answers by key or id.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Answers(pub(crate) BTreeMap<String, Value>);

/// What [`Context::ask`](crate::Context::ask) reads an answer as: any type that is `Deserialize` and owns its data.
#[diagnostic::on_unimplemented(
    message = "an answer cannot be read as `{Self}`",
    label = "write what type the answer has",
    note = "as in `let verdict: Verdict = context.ask(…).await?`, or `context.ask::<Verdict>(…)`; the type has `#[derive(Deserialize)]` and owns its data"
)]
pub trait Answer: DeserializeOwned {}

#[diagnostic::do_not_recommend]
impl<A: DeserializeOwned> Answer for A {}

impl Questions {
    pub(crate) fn new(questions: Vec<Question>) -> Self {
        Self(questions)
    }

    /// The questions, in task order.
    pub fn iter(&self) -> impl Iterator<Item = &Question> {
        self.0.iter()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// An answer to the question of this key or id, checked against its declared type.
    ///
    /// # Errors
    /// No such question, several of this key, or an answer that does not fit.
    pub fn answer(&self, key: &str, answer: impl Serialize) -> Result<Answers, RunError> {
        let answers = Answers::new().and(key, answer)?;
        self.resolve(&answers)?;
        Ok(answers)
    }

    /// The keys, for people.
    pub(crate) fn keys(&self) -> String {
        let keys: Vec<_> = self.0.iter().map(|question| format!("`{}`", question.key)).collect();
        keys.join(", ")
    }

    /// The question that each answer belongs to. Everything is checked before anything is returned.
    pub(crate) fn resolve<'a>(&'a self, answers: &'a Answers) -> Result<Vec<(&'a Question, &'a Value)>, RunError> {
        let mut resolved = Vec::new();
        for (key, answer) in &answers.0 {
            let unknown = |open: String| RunError::UnknownQuestion { key: key.clone(), open };
            let named: Vec<_> = self.0.iter().filter(|question| question.id == *key || question.key == *key).collect();
            let question = match named.as_slice() {
                [] => return Err(unknown(self.keys())),
                [only] => *only,
                several => {
                    let ids: Vec<_> = several.iter().map(|question| format!("`{}`", question.id)).collect();
                    return Err(unknown(format!("several of that key, answer by id: {}", ids.join(", "))));
                }
            };
            if let Some(check) = &question.check.0 {
                check(answer).map_err(|message| RunError::BadAnswer { key: key.clone(), message })?;
            }
            resolved.push((question, answer));
        }
        Ok(resolved)
    }
}

impl Answers {
    /// No answers.
    pub fn new() -> Self {
        Self::default()
    }

    /// These answers and one more, to the question of this key or id.
    ///
    /// # Errors
    /// An answer that cannot be represented as JSON, or is nested too deeply.
    pub fn and(mut self, key: &str, answer: impl Serialize) -> Result<Self, RunError> {
        let bad = |message: String| RunError::BadAnswer { key: key.to_owned(), message };
        let answer = serde_json::to_value(answer).map_err(|error| bad(error.to_string()))?;
        if !is_nested_within(&answer, MOST_LEVELS) {
            return Err(bad(too_deep()));
        }
        self.0.insert(key.to_owned(), answer);
        Ok(self)
    }
}
