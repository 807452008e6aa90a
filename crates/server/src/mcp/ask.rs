//! The form of a question is sent as the client's generation has it, or the question is told as a text.
//!
//! | client | question | answer |
//! | --- | --- | --- |
//! | 2026-07-28 with forms | an `InputRequiredResult`: a form for each question, and what waits, sealed | the call again, with both |
//! | older, with forms | one `elicitation/create` after the other, while the call is open | their results |
//! | without forms | a text that says what to do | a call of the tool `answer` |

use rmcp::RoleServer;
use rmcp::model::{
    CallToolResponse, ElicitRequest, ElicitResult, InputRequest, InputRequests, InputRequiredResult, InputResponses,
};
use rmcp::service::RequestContext;

use crate::graph::Fields;
use crate::log::Interrupt;
use crate::mcp::call::Call;
use crate::mcp::cancelling::is_modern;
use crate::mcp::outcome;
use crate::mcp::question::{Form, Reply};
use crate::mcp::seal::Waiting;
use crate::refusal::Refusal;
use crate::runs::Ending;

/// What came of a question.
pub(super) enum Asked {
    /// Answers by the ids of questions.
    Answers(Fields),
    /// What the client is told in the place of a result.
    Response(CallToolResponse),
}

/// What people did with forms.
#[derive(Debug, PartialEq)]
pub(super) enum Replies {
    /// Answers by the ids of questions; at least one.
    Answers(Fields),
    /// Somebody would not answer: what they did.
    Unanswered(&'static str),
    /// There is no answer yet.
    None,
}

/// Whether a client shows forms.
pub(super) fn shows_forms(context: &RequestContext<RoleServer>) -> bool {
    let elicitation = context.client_capabilities().and_then(|capabilities| capabilities.elicitation);
    // A client that names no kind of elicitation has forms: there were no others once.
    elicitation.is_some_and(|kinds| kinds.form.is_some() || kinds.url.is_none())
}

/// A request for each question, by its id.
pub(super) fn requests(interrupts: &[Interrupt]) -> InputRequests {
    let request = |one: &Interrupt| InputRequest::Elicitation(ElicitRequest::new(Form::of(one).request()));
    interrupts.iter().map(|one| (one.id.clone(), request(one))).collect()
}

/// Reads what people did with the forms of questions. What answers no question of these is left out.
pub(super) fn replies(interrupts: &[Interrupt], responses: &InputResponses) -> Replies {
    let replies = interrupts.iter().filter_map(|one| {
        let result: ElicitResult = serde_json::from_value(responses.get(&one.id)?.clone()).ok()?;
        Some((one.id.clone(), Form::of(one).read(result)))
    });
    sort_out(replies)
}

fn sort_out(replies: impl Iterator<Item = (String, Reply)>) -> Replies {
    let mut answers = Fields::new();
    for (id, reply) in replies {
        match reply {
            Reply::Answered(answer) => drop(answers.insert(id, answer)),
            Reply::Declined => return Replies::Unanswered("declined to answer"),
            Reply::Dismissed => return Replies::Unanswered("put the question away"),
            Reply::Empty => {}
        }
    }
    if answers.is_empty() { Replies::None } else { Replies::Answers(answers) }
}

impl Call<'_> {
    /// Asks what a run waits for.
    ///
    /// # Errors
    /// The store's.
    pub(super) async fn ask(&self, ending: &Ending) -> Result<Asked, Refusal> {
        let (interrupts, values) = (ending.interrupts.as_slice(), ending.values.as_ref());
        let as_text = || Asked::Response(outcome::asked(self.thread, interrupts, values).into());
        if !shows_forms(self.context) {
            return Ok(as_text());
        }
        if is_modern(self.context) {
            let waiting =
                Waiting { thread: self.thread, interrupts: interrupts.iter().map(|one| one.id.clone()).collect() };
            let state = self.seal.close(self.assistant.assistant_id, &waiting)?;
            let required = InputRequiredResult::new(Some(requests(interrupts)), Some(state));
            return Ok(Asked::Response(required.into()));
        }
        let mut replies = Vec::new();
        for one in interrupts {
            let form = Form::of(one);
            match self.context.peer.create_elicitation(form.request()).await {
                Ok(result) => replies.push((one.id.clone(), form.read(result))),
                Err(error) => {
                    // The client cannot, in spite of what it said, or is gone.
                    tracing::debug!(%error, thread = %self.thread, "a question is asked as a text");
                    return Ok(as_text());
                }
            }
            if let Some((_, Reply::Declined | Reply::Dismissed)) = replies.last() {
                break;
            }
        }
        match sort_out(replies.into_iter()) {
            Replies::Answers(answers) => Ok(Asked::Answers(answers)),
            Replies::Unanswered(did) => Ok(Asked::Response(self.unanswered(did, ending).await?)),
            Replies::None => Ok(as_text()),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn replies_are_sorted_out_by_their_questions() {
        let asked = |id: &str| Interrupt {
            id: id.to_owned(),
            value: json!("?"),
            key: String::new(),
            task: String::new(),
            ns: String::new(),
            response_schema: None,
        };
        let interrupts = [asked("a"), asked("b")];
        let yes = json!({"action": "accept", "content": {"answer": "yes"}});
        let answers = |value: Value| Replies::Answers(value.as_object().cloned().unwrap());
        let cases = [
            (json!({"a": yes, "b": yes}), answers(json!({"a": "yes", "b": "yes"}))),
            (json!({"b": yes, "c": yes}), answers(json!({"b": "yes"}))),
            (json!({"a": yes, "b": {"action": "decline"}}), Replies::Unanswered("declined to answer")),
            (json!({"a": {"action": "cancel"}}), Replies::Unanswered("put the question away")),
            (json!({"a": {"action": "accept"}, "b": "yes"}), Replies::None),
            (json!({}), Replies::None),
        ];
        for (responses, expected) in cases {
            let responses: InputResponses = serde_json::from_value(responses).unwrap();
            assert_eq!(replies(&interrupts, &responses), expected);
        }
    }
}
