//! Makes three questions about the request. In: query, language, messages. Out: questions, streamed.
//! Failure: 211700 ends the run. Source: openJiuwen DeepSearch, `GenerateQuestionsNode`.

use graphloom_core_graph::{Context, NodeError, Snapshot, Step};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::fail;
use crate::ask::{self, Ask, AskFailure};
use crate::names::FEEDBACK_HANDLER;
use crate::resources::{Resources, Slot};
use crate::state::{ChatTurn, SearchContext};
use crate::status::{Notice, StatusCode};
use crate::stream::{self, Place};

/// How many questions are asked.
const QUESTIONS: usize = 3;
const AGENT: &str = "generate_questions";

/// Three questions about a request.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Questions {
    #[schemars(length(min = 3, max = 3))]
    questions: Vec<Question>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Question {
    #[schemars(length(min = 8, max = 160))]
    text: String,
}

pub(crate) async fn generate_questions(
    state: Snapshot<SearchContext>,
    cx: Context<Resources>,
) -> Result<Step<SearchContext>, NodeError> {
    let args = json!({
        "query": state.query, "language": state.language.as_str(), "today": state.request.today,
        "found": state.entry_search_results.iter().take(3).map(|found| &found.title).collect::<Vec<_>>(),
    });
    let ask = Ask::new(AGENT, AGENT).tries(state.config.workflow_max_gen_question_retry_num);
    let made = if ask::is_constrained(cx.resources(), Slot::General) {
        let made = ask::value(&cx, &ask, &args, |answer: Questions| {
            let lines: Vec<String> = (1..)
                .zip(&answer.questions)
                .map(|(number, question)| format!("{number}. {}", question.text.trim()))
                .collect();
            Ok(lines.join("\n"))
        });
        let made = made.await?;
        if let Ok(questions) = &made {
            stream::say(&cx, AGENT, Place::default(), questions).await;
        }
        made
    } else {
        let ask = ask.stream(AGENT, Place::default());
        ask::text(&cx, &ask, &args, |text| match numbered(text) {
            QUESTIONS => Ok(text.to_owned()),
            found => Err(format!("there are {found} numbered questions; {QUESTIONS} are wanted")),
        })
        .await?
    };
    match made {
        Ok(questions) => {
            let update =
                SearchContext::update().messages([ChatTurn::assistant(AGENT, &questions)]).questions(questions);
            Ok(Step::goto(FEEDBACK_HANDLER).with(update.spent(cx.resources().ledger.spent())))
        }
        Err(AskFailure::Empty { .. }) => {
            Ok(fail(Notice::fatal(StatusCode::Questions, "Query Interpreter result is empty.")))
        }
        Err(failure) => Ok(fail(Notice::fatal(StatusCode::Questions, failure.to_string()))),
    }
}

/// How many lines begin with a number.
fn numbered(text: &str) -> usize {
    let begins = |line: &&str| {
        let line = line.trim_start_matches([' ', '*', '#', '-']);
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        rest.len() < line.len() && rest.starts_with(['.', ')', '、', ':', '．'])
    };
    text.lines().filter(begins).count()
}

#[cfg(test)]
mod tests {
    #[test]
    fn numbered_lines_are_counted() {
        assert_eq!(super::numbered("1. a\n2) b\n**3.** c\nfour\n2024 was"), 3);
        assert_eq!(super::numbered("1、甲\n2、乙"), 2);
    }
}
