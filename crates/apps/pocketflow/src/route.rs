//! From a decision to the action that runs: what the session notes, which parameters are given, what is asked. Pure.

use serde_json::{Map, Value, json};

use crate::actions::{Action, Call, FollowUp, Need};
use crate::decide::{Decision, Facts, Input, Next, Question, ReplyKind, decide};
use crate::edit;
use crate::prepare::{Missing, prepare};
use crate::research::source_lines;
use crate::session::{Artifact, JourneyStep, Question as Asked, SearchQuery, Session, Status, Waiting};
use crate::state::Turn;
use crate::understand::Understood;

/// Decides what follows and notes it in the session. `None` ends the journey.
pub(crate) fn route(
    session: &mut Session,
    turn: &Turn,
    understood: Option<Understood>,
    query_cycles: u32,
    now: u64,
) -> Option<Call> {
    let understood = understood.unwrap_or_default();
    let input = match turn.finish {
        Some(finish) => Input::Finished(finish),
        None => Input::Reply(understood.kind.unwrap_or(ReplyKind::Unclear)),
    };
    let facts = Facts {
        last: session.last_action,
        waiting: session.waiting_kind(),
        input,
        damaged: turn.damaged,
        tries_left: session.cycles.queries < query_cycles,
    };
    let mut decision = Decision { evidence: understood.evidence.clone(), ..decide(&facts) };
    if turn.finish.is_none() && decision.next != Next::Ask(Question::MovedOn) {
        // An offer stands for one message that was said to it, and so does the question what a reply meant.
        session.offered_topic = None;
        session.asked = understood.candidate.clone();
    }
    let about = turn.about.as_ref().filter(|_| turn.finish.is_none());
    let prepared = match decision.next {
        Next::Stop => {
            note(session, decision, None, about, now);
            session.status = Status::Cancelled;
            session.waiting_for = Waiting::None;
            return None;
        }
        Next::Ask(question) => Ok(ask(session, turn, question, &understood)),
        Next::Run(action) => {
            let given = run(session, &decision, &understood, action, now);
            prepare(action, session, &given)
        }
        Next::Retry => retry(session, &understood),
        Next::ReviewAgain => review_again(session, &understood, now),
    };
    let call = match prepared {
        Ok(call) => call,
        Err(missing) => {
            decision.missing = Some(missing.to_string());
            lacking(session, &missing)
        }
    };
    note(session, decision, Some(&call), about, now);
    Some(call)
}

fn note(session: &mut Session, decision: Decision, call: Option<&Call>, about: Option<&Asked>, now: u64) {
    let action = call.map(Call::action);
    session.journey.push(JourneyStep {
        action,
        rule: decision.rule.clone(),
        at: now,
        about: about.map(|about| about.id.clone()),
        evidence: decision.evidence.clone(),
    });
    session.decision = Some(decision);
    session.last_action = action;
    // The call is written as (action, parameters); the record keeps parameters by action.
    let parameters = call.and_then(|call| serde_json::to_value(call).ok()?.get("parameters").cloned());
    if let (Some(action), Some(parameters)) = (action, parameters) {
        session.params.insert(action, parameters);
    }
}

/// What a chosen action changes in the session, and the parameters that the message gives it.
fn run(
    session: &mut Session,
    decision: &Decision,
    understood: &Understood,
    action: Action,
    now: u64,
) -> Map<String, Value> {
    let mut given = Map::new();
    match (action, decision.rule.as_str()) {
        (Action::GenerateQueries, "topic-named" | "new-topic" | "delivered-topic-confirmed") => {
            name_topic(session, &understood.text);
            given.insert("topic".to_owned(), json!(understood.text));
        }
        (Action::GenerateQueries, rule) => {
            session.cycles.queries += 1;
            session.approvals = Default::default();
            given.extend(rejection(understood));
            if rule == "queries-revised" || understood.kind == Some(ReplyKind::Revise) {
                // What is kept comes again.
                given.insert("existing".to_owned(), json!([]));
            }
        }
        (Action::ReviewQueries, "slot-queries") => {
            let version = session.artifacts.queries.as_ref().map_or(1, |queries| queries.version + 1);
            let queries = understood.queries.iter().map(SearchQuery::new).collect();
            session.artifacts.queries = Some(Artifact::new(version, Action::FollowUp, now, queries));
            session.approvals.queries = None;
        }
        (Action::LiteratureReview, _) => {
            session.approvals.queries = session.artifacts.queries.as_ref().map(|queries| queries.version);
        }
        (Action::WriteProposal, "report-rejected" | "report-revised") => {
            if decision.rule == "report-revised" {
                // What fits was tried when it was read.
                edit::apply(session, &understood.edits, 0).ok();
            }
            session.cycles.report += 1;
            session.approvals.proposal = None;
            let reason = reason(understood);
            given.insert("unexplained".to_owned(), json!(reason.is_none()));
            session.feedback.extend(reason);
        }
        (Action::WriteProposal, _) => {
            given.insert("unexplained".to_owned(), json!(false));
        }
        (Action::ResultNotification, _) => {
            session.approvals.proposal = session.artifacts.proposal.as_ref().map(|proposal| proposal.version);
        }
        _ => {}
    }
    session.waiting_for = Waiting::None;
    given
}

/// The reason of a rejection, where the person gave one.
fn reason(understood: &Understood) -> Option<String> {
    Some(understood.text.trim()).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// What a rejection of queries gives: its reason, or that it has none, beside which older reasons stay.
fn rejection(understood: &Understood) -> Map<String, Value> {
    let reason = reason(understood);
    let mut given = Map::from_iter([("unexplained".to_owned(), json!(reason.is_none()))]);
    given.extend(reason.map(|reason| ("feedback".to_owned(), json!(reason))));
    given
}

/// A topic begins a journey; what was before is archived.
fn name_topic(session: &mut Session, topic: &str) {
    if session.topic.is_some() || session.status != Status::Active {
        session.restart();
    }
    session.topic = Some(topic.trim().to_owned());
    session.original_query = Some(topic.to_owned());
}

/// Tries the pending action again, with what the message gives.
fn retry(session: &mut Session, understood: &Understood) -> Result<Call, Missing> {
    let Waiting::Slot { action, missing } = session.waiting_for.clone() else {
        return prepare(Action::GenerateQueries, session, &Map::new());
    };
    let mut given = Map::new();
    let filled = missing.first().filter(|_| understood.kind == Some(ReplyKind::Text));
    match (action, filled.map(String::as_str)) {
        (Action::GenerateQueries, Some("topic")) => name_topic(session, &understood.text),
        (_, Some(name)) => {
            given.insert(name.to_owned(), json!(understood.text));
        }
        (Action::GenerateQueries, None) => {
            // What was approved is replaced.
            session.approvals = Default::default();
            // A retry repeats the reason that the failed attempt was given.
            let before = session.params.get(&action).and_then(|before| before.get("feedback")).cloned();
            given.extend(before.map(|feedback| ("feedback".to_owned(), feedback)));
        }
        (_, None) => {}
    }
    let call = prepare(action, session, &given)?;
    session.waiting_for = Waiting::None;
    Ok(call)
}

fn review_again(session: &mut Session, understood: &Understood, now: u64) -> Result<Call, Missing> {
    let review = match session.waiting_for {
        Waiting::Report => Action::ReviewReport,
        _ => Action::ReviewQueries,
    };
    if let Err(misfit) = edit::apply(session, &understood.edits, now) {
        return Ok(FollowUp { question: misfit_text(&misfit), pending: None }.into());
    }
    prepare(review, session, &Map::new())
}

/// The follow-up for something that an action lacks. The action is remembered and tried again with the answer.
fn lacking(session: &mut Session, missing: &Missing) -> Call {
    let topic = |session: &Session| match session.topic {
        Some(_) => Vec::new(),
        None => vec!["topic".to_owned()],
    };
    let slot = |action, missing| Waiting::Slot { action, missing };
    session.waiting_for = match missing.needs.first() {
        None => slot(missing.action, missing.parameters.clone()),
        Some(Need::ApprovedQueries) if session.has(Need::Queries) => Waiting::Queries,
        Some(Need::ApprovedProposal) if session.has(Need::Proposal) => Waiting::Report,
        Some(Need::Queries | Need::ApprovedQueries) => slot(Action::GenerateQueries, topic(session)),
        Some(Need::Review) => slot(Action::LiteratureReview, Vec::new()),
        Some(Need::Gap) => slot(Action::SynthesizeGap, Vec::new()),
        Some(Need::Proposal | Need::ApprovedProposal) => slot(Action::WriteProposal, Vec::new()),
    };
    let how = match &session.waiting_for {
        Waiting::Queries => "Approve the queries, or say what is wrong with them.",
        Waiting::Report => "Approve the proposal, or say what is wrong with it.",
        Waiting::Slot { missing, .. } if missing.is_empty() => "Say `retry` to make it.",
        _ => "Please give it.",
    };
    FollowUp { question: format!("I need {missing}. {how}"), pending: Some(missing.action) }.into()
}

/// The follow-up of a question, and what the conversation waits for then.
fn ask(session: &mut Session, turn: &Turn, question: Question, understood: &Understood) -> Call {
    let failed = session.last_action.unwrap_or(Action::GenerateQueries);
    match question {
        Question::Topic if session.waiting_for != Waiting::None => {
            session.waiting_for = Waiting::Slot { action: Action::GenerateQueries, missing: vec!["topic".to_owned()] };
        }
        Question::Damaged => {
            session.waiting_for = Waiting::Slot { action: Action::GenerateQueries, missing: vec!["topic".to_owned()] };
        }
        Question::Broaden | Question::Sources => {
            let missing = vec!["queries".to_owned()];
            session.waiting_for = Waiting::Slot { action: Action::LiteratureReview, missing };
        }
        Question::ConfirmTopic => session.offered_topic = Some(understood.text.trim().to_owned()),
        Question::Failed => session.waiting_for = Waiting::Slot { action: failed, missing: Vec::new() },
        _ => {}
    }
    let pending = match &session.waiting_for {
        Waiting::Slot { action, .. } => Some(*action),
        _ => None,
    };
    FollowUp { question: text(session, turn, question, understood), pending }.into()
}

const OTHER_QUERIES: &str = "Give other queries, one a line: they are shown to you, and nothing is sent before you approve them. Or say \
                             `retry` to search with the same ones, `go on without records`, `new topic: …`, or `cancel`.";

const VERDICT: &str = "Please say `approve`, `reject: why`, or edit by number (`edit 2: …`, `remove 2`, `add: …`).";

fn misfit_text(misfit: &str) -> String {
    format!("That edit does not fit: {misfit}. {VERDICT}")
}

fn text(session: &Session, turn: &Turn, question: Question, understood: &Understood) -> String {
    let sources = || {
        let review = session.artifacts.review.as_ref();
        let lines = review.map(|review| source_lines(&review.value.sources)).unwrap_or_default();
        lines.iter().map(|line| format!("- {line}\n")).collect::<String>()
    };
    match question {
        Question::Topic => "Which topic shall I look into?".to_owned(),
        Question::Damaged => "What I had kept of this conversation could not be read as it was. A copy is kept, and \
                              nothing that was said is lost to you. Which topic shall I look into?"
            .to_owned(),
        Question::TooLong => {
            format!(
                "That message is longer than {} bytes, so I have not read it. Please say it in fewer words.",
                crate::understand::MOST_BYTES
            )
        }
        Question::Confirm => confirm_text(session).unwrap_or_default(),
        Question::Declined => format!("Then nothing changes. {VERDICT}"),
        Question::Verdict => format!("I am not sure what that means for the review. {VERDICT}"),
        // What became of the message; the follow-up shows what is asked by now.
        Question::MovedOn => understood.text.clone(),
        Question::Delivered => {
            let id = &session.conversation_id;
            format!(
                "The proposal is delivered and stays as it is. You can ask about it, or export it with `pocketflow \
                 export {id}`; `new topic: …` begins another journey."
            )
        }
        Question::ConfirmTopic => format!(
            "The proposal is delivered and stays as it is. Shall a new journey begin with the topic `{}`? Say `yes`, or \
             `new topic: …` for another one; the proposal goes to the archive then.",
            understood.text.trim()
        ),
        // The question itself; the follow-up has a model answer it.
        Question::Answer => understood.text.clone(),
        Question::Misfit => misfit_text(&understood.text),
        Question::EditByHand => format!(
            "I have made the queries {} times over. You can edit them by hand: `edit 2: …`, `remove 2`, `add: …`. Or say \
             `approve`.",
            session.cycles.queries
        ),
        Question::Broaden => format!("No source had a record for these queries:\n{}{OTHER_QUERIES}", sources()),
        Question::Sources => format!("No source could be searched:\n{}{OTHER_QUERIES}", sources()),
        Question::Failed => format!(
            "I could not make {}: {}. Say `retry` to try again, `new topic: …`, or `cancel`.",
            session.last_action.unwrap_or(Action::GenerateQueries).label(),
            turn.failure.as_deref().unwrap_or("an unknown failure")
        ),
        Question::Slot => slot_text(session),
    }
}

/// Whether a reply was read rightly, where that is asked.
pub(crate) fn confirm_text(session: &Session) -> Option<String> {
    session.asked.as_ref().map(|asked| format!("I take this as: {asked}. Is that right? (`yes` or `no`)"))
}

/// What is asked for that an action lacks.
pub(crate) fn slot_text(session: &Session) -> String {
    match &session.waiting_for {
        Waiting::Slot { action, missing } if missing.is_empty() => {
            format!("Say `retry` to make {} again, `new topic: …`, or `cancel`.", action.label())
        }
        _ if session.wants_queries() => format!("Nothing is searched yet. {OTHER_QUERIES}"),
        Waiting::Slot { action, missing } => format!("I still need {} for {}.", missing.join(", "), action.label()),
        _ => "Which topic shall I look into?".to_owned(),
    }
}
