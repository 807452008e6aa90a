//! Answers to the questions of a waiting run, from the command line or from stdin.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Read};

use clap::Args;
use graphloom_core_graph::{Answers, Questions, RunError};
use serde_json::Value;

use crate::{CliError, ConsentArgs, Failure, Progress};

/// The option that answers the questions of a run without a terminal.
#[derive(Args, Clone, Debug, Default)]
#[non_exhaustive]
pub struct AnswerArgs {
    /// Answer a question of the run; may be given several times. `-` reads a JSON object of keys and answers from
    /// stdin, which is also read without this option when questions wait and stdin is no terminal
    #[arg(long = "answer", value_name = "KEY=JSON")]
    pub answers: Vec<String>,
}

/// Answers that were checked against the open questions of a run.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct CheckedAnswers {
    /// The answers by key or id of their question.
    pub values: BTreeMap<String, Value>,
    /// The answers in the form in which the run is resumed.
    pub answers: Answers,
}

impl AnswerArgs {
    /// The answers to the open questions of a run, checked against their declared types; `None` without any answer. Some
    /// questions may stay open.
    ///
    /// Stdin is read without `--answer -` only where questions wait and neither a terminal, nor `--yes`, nor
    /// `--no-input` answers them.
    ///
    /// # Errors
    /// [`CliError::Usage`]: no `=`, no JSON, a key twice, a key that no open question has, an answer of another type.
    pub async fn read(
        &self,
        questions: &Questions,
        args: &ConsentArgs,
        progress: &Progress,
    ) -> Result<Option<CheckedAnswers>, Failure> {
        check_answers(self.values(!questions.is_empty(), args, progress).await?, questions)
    }

    /// The answers by key, unchecked, for a caller that does not know the questions yet. Stdin is read as by
    /// [`AnswerArgs::read`], where `waits` says whether questions wait.
    ///
    /// # Errors
    /// [`CliError::Usage`]: no `=`, no JSON, a key twice.
    pub async fn values(
        &self,
        waits: bool,
        args: &ConsentArgs,
        progress: &Progress,
    ) -> Result<BTreeMap<String, Value>, Failure> {
        let mut values = BTreeMap::new();
        let mut from_stdin = false;
        for text in &self.answers {
            if text.trim() == "-" {
                from_stdin = true;
            } else {
                let (key, value) = parse_pair(text)?;
                insert_once(&mut values, key, value)?;
            }
        }
        let asked = from_stdin;
        let silent = args.yes || args.no_input || std::io::stdin().is_terminal();
        if asked || (values.is_empty() && waits && !silent) {
            if !asked {
                progress.note("reading answers from stdin, as a JSON object of keys and answers");
            }
            for (key, value) in parse_object(&read_stdin().await?)? {
                insert_once(&mut values, key, value)?;
            }
        }
        Ok(values)
    }
}

/// Reads stdin to its end.
async fn read_stdin() -> Result<String, Failure> {
    let read = tokio::task::spawn_blocking(|| {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map(|_| bytes)
    });
    let bytes = read.await?.map_err(CliError::io("read answers from", "stdin"))?;
    String::from_utf8(bytes).map_err(|_| Failure::usage("what came on stdin is not UTF-8 text"))
}

/// Parses `KEY=JSON`.
fn parse_pair(text: &str) -> Result<(String, Value), CliError> {
    let Some((key, value)) = text.split_once('=') else {
        return Err(CliError::usage(format!("`--answer {text}` has no `=`; write `--answer KEY=JSON`")));
    };
    let (key, value) = (key.trim(), value.trim());
    let value = serde_json::from_str(value).map_err(|error| {
        CliError::usage(format!(
            "the answer `{value}` to `{key}` is not JSON ({error}); a text stands in quotation marks: `--answer \
             '{key}=\"…\"'`"
        ))
    })?;
    Ok((key.to_owned(), value))
}

/// Parses a JSON object of keys and answers. A blank text is an empty object.
fn parse_object(text: &str) -> Result<BTreeMap<String, Value>, CliError> {
    if text.trim().is_empty() {
        return Ok(BTreeMap::new());
    }
    match serde_json::from_str(text) {
        Ok(Value::Object(fields)) => Ok(fields.into_iter().collect()),
        Ok(_) => Err(CliError::usage("stdin holds no JSON object; write `{\"KEY\": ANSWER}`")),
        Err(error) => {
            Err(CliError::usage(format!("what came on stdin is not JSON ({error}); write `{{\"KEY\": ANSWER}}`")))
        }
    }
}

fn insert_once(values: &mut BTreeMap<String, Value>, key: String, value: Value) -> Result<(), CliError> {
    if values.contains_key(&key) {
        return Err(CliError::usage(format!("`{key}` is answered twice; give one answer")));
    }
    values.insert(key, value);
    Ok(())
}

/// Checks answers against the questions; `None` without any answer.
fn check_answers(values: BTreeMap<String, Value>, questions: &Questions) -> Result<Option<CheckedAnswers>, Failure> {
    if values.is_empty() {
        return Ok(None);
    }
    if questions.is_empty() {
        return Err(Failure::usage("the run waits for no answer; leave `--answer` out"));
    }
    let mut answers = Answers::new();
    for (key, value) in &values {
        questions.answer(key, value).map_err(|error| match error {
            RunError::BadAnswer { .. } | RunError::UnknownQuestion { .. } => Failure::usage(error.to_string()),
            other => other.into(),
        })?;
        answers = answers.and(key, value)?;
    }
    Ok(Some(CheckedAnswers { values, answers }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_json() {
        for (text, expected) in [
            (r#"review="approve""#, Ok(("review", serde_json::json!("approve")))),
            (r#" review = {"some": {"ids": ["a=b"]}} "#, Ok(("review", serde_json::json!({"some": {"ids": ["a=b"]}})))),
            ("n=3", Ok(("n", serde_json::json!(3)))),
            ("review", Err("has no `=`")),
            ("review=approve", Err("the answer `approve` to `review` is not JSON")),
            ("review=", Err("is not JSON")),
        ] {
            match (parse_pair(text), expected) {
                (Ok((key, value)), Ok((name, wanted))) => assert_eq!((key.as_str(), value), (name, wanted)),
                (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
                (got, wanted) => panic!("{text}: {got:?} instead of {wanted:?}"),
            }
        }
    }

    #[test]
    fn stdin_holds_an_object_or_nothing() {
        assert_eq!(parse_object(" \n").unwrap(), BTreeMap::new());
        assert_eq!(parse_object(r#"{"a": 1}"#).unwrap(), BTreeMap::from([("a".to_owned(), Value::from(1))]));
        assert!(parse_object("[1]").unwrap_err().to_string().contains("no JSON object"));
        assert!(parse_object("approve").unwrap_err().to_string().contains("not JSON"));
    }

    #[test]
    fn an_answer_needs_a_question() {
        assert_eq!(check_answers(BTreeMap::new(), &Questions::default()).unwrap(), None);
        let some = BTreeMap::from([("review".to_owned(), Value::from("approve"))]);
        let error = check_answers(some, &Questions::default()).unwrap_err();
        assert_eq!(
            (error.status(), error.to_string().contains("waits for no answer")),
            (crate::ExitStatus::Usage, true)
        );
        let mut values = BTreeMap::new();
        insert_once(&mut values, "a".to_owned(), Value::Null).unwrap();
        assert!(insert_once(&mut values, "a".to_owned(), Value::Null).is_err());
    }
}
