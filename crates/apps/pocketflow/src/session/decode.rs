//! From a stored value to a session: schema, defaults, integrity, migrations. Pure.

use serde_json::{Map, Value, json};

use super::record::{SCHEMA, Session, Waiting};
use crate::actions::{Action, Need};

/// What was noticed while a session was read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadNote {
    /// There was none.
    New,
    /// It had an older schema.
    Migrated {
        /// The schema it had.
        from: u64,
    },
    /// The action before is unknown; the conversation asks what to do.
    UnknownAction {
        /// Its name.
        name: String,
    },
    /// It could not be read; a copy is kept and a fresh one takes its place.
    Quarantined {
        /// Why.
        reason: String,
    },
    /// Something did not fit together and was set right.
    Repaired {
        /// What.
        what: String,
    },
}

impl LoadNote {
    /// Whether a copy of the record goes into quarantine.
    pub fn is_damage(&self) -> bool {
        matches!(self, Self::UnknownAction { .. } | Self::Quarantined { .. })
    }
}

/// A session as it was read.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Decoded {
    /// The session.
    pub session: Session,
    /// What was noticed.
    pub notes: Vec<LoadNote>,
}

/// Reads a stored value. It never fails for a value of this or an older schema: what cannot be read gives a fresh
/// session and a note.
///
/// # Errors
/// The schema, when it is newer than this program's.
pub fn decode(id: &str, value: &Value) -> Result<Decoded, u64> {
    let damaged = |reason: String| {
        let session = Session::new(id);
        Ok(Decoded { session, notes: vec![LoadNote::Quarantined { reason }] })
    };
    let Value::Object(fields) = value else { return damaged("it is not an object".to_owned()) };
    let schema = match fields.get("schema") {
        None => 1,
        Some(schema) => match schema.as_u64() {
            Some(schema) if schema > u64::from(SCHEMA) => return Err(schema),
            Some(schema) if schema > 0 => schema,
            _ => return damaged(format!("its schema is `{schema}`")),
        },
    };
    let mut notes = Vec::new();
    let mut fields = fields.clone();
    if let Some(name) = unknown_action(&fields) {
        notes.push(LoadNote::UnknownAction { name });
        fields.insert("last_action".to_owned(), Value::Null);
        fields.remove("waiting_for");
        fields.remove("waiting_for_feedback");
    }
    if schema < u64::from(SCHEMA) {
        notes.push(LoadNote::Migrated { from: schema });
    }
    if schema == 1 {
        fields = from_schema_1(fields);
    }
    // What schema 2 wrote inside artifacts is read where they are.
    fields.insert("schema".to_owned(), json!(SCHEMA));
    fields.entry("conversation_id").or_insert_with(|| json!(id));
    match serde_json::from_value::<Session>(Value::Object(fields)) {
        Ok(session) if session.conversation_id != id => {
            damaged(format!("it is the session of `{}`", session.conversation_id))
        }
        Ok(mut session) => {
            session.schema = SCHEMA;
            mend(&mut session, &mut notes);
            Ok(Decoded { session, notes })
        }
        Err(error) => damaged(error.to_string()),
    }
}

fn unknown_action(fields: &Map<String, Value>) -> Option<String> {
    let name = fields.get("last_action")?.as_str()?;
    Action::of_name(name).is_none().then(|| name.to_owned())
}

/// Sets right what does not fit together.
fn mend(session: &mut Session, notes: &mut Vec<LoadNote>) {
    let mut repaired = |what: &str| notes.push(LoadNote::Repaired { what: what.to_owned() });
    if session.approvals.queries.is_some() && !session.has(Need::ApprovedQueries) {
        session.approvals.queries = None;
        repaired("an approval of queries that are not there");
    }
    if session.approvals.proposal.is_some() && !session.has(Need::ApprovedProposal) {
        session.approvals.proposal = None;
        repaired("an approval of a proposal that is not there");
    }
    if session.waiting_for == Waiting::Report && !session.has(Need::Proposal) {
        session.waiting_for = Waiting::Slot { action: Action::GenerateQueries, missing: vec!["topic".to_owned()] };
        repaired("a review of a proposal that is not there");
    }
    if session.waiting_for == Waiting::Queries && !session.has(Need::Queries) {
        let missing = if session.topic.is_some() { Vec::new() } else { vec!["topic".to_owned()] };
        session.waiting_for = Waiting::Slot { action: Action::GenerateQueries, missing };
        repaired("a review of queries that are not there");
    }
}

/// Reads schema 1: a last action, one result as text, parameters by action, a name of what is waited for.
fn from_schema_1(mut fields: Map<String, Value>) -> Map<String, Value> {
    let mut params = Map::new();
    if let Some(Value::Object(old)) = fields.remove("params") {
        for (name, value) in old {
            if let Some(action) = Action::of_name(&name) {
                params.insert(action.name().to_owned(), value);
            }
        }
    }
    let topic = params.get(Action::GenerateQueries.name()).and_then(|params| params.get("topic")).cloned();
    if let Some(topic) = topic.filter(Value::is_string) {
        fields.insert("original_query".to_owned(), topic.clone());
        fields.insert("topic".to_owned(), topic);
    }
    let result = fields.get("action_result").cloned().unwrap_or_default();
    if !result.is_string() {
        fields.remove("action_result");
    }
    let waiting = fields.remove("waiting_for_feedback");
    if waiting.as_ref().and_then(Value::as_str) == Some("queries") {
        let queries = listed(&result);
        if !queries.is_empty() {
            let value: Vec<Value> = queries.into_iter().map(|text| json!({ "text": text })).collect();
            let produced_by = Action::GenerateQueries.name();
            let artifact = json!({ "version": 1, "produced_by": produced_by, "at": 0, "value": value });
            fields.insert("artifacts".to_owned(), json!({ "queries": artifact }));
        }
        fields.insert("waiting_for".to_owned(), json!({ "for": "queries" }));
    } else if waiting.as_ref().and_then(Value::as_str) == Some("report") {
        if let Some(text) = result.as_str().filter(|text| !text.trim().is_empty()) {
            let sections = json!([{ "heading": "Proposal", "text": text }]);
            let value = json!({ "title": fields.get("topic"), "sections": sections });
            let produced_by = Action::WriteProposal.name();
            if value["title"].is_string() {
                let artifact = json!({ "version": 1, "produced_by": produced_by, "at": 0, "value": value });
                fields.insert("artifacts".to_owned(), json!({ "proposal": artifact }));
            }
        }
        fields.insert("waiting_for".to_owned(), json!({ "for": "report" }));
    }
    // In schema 1 the parameters of later actions are texts; since then they are versions of artifacts.
    params.retain(|name, _| name == Action::GenerateQueries.name());
    fields.insert("params".to_owned(), Value::Object(params));
    fields
}

/// The items of a list, or of a numbered or bulleted text.
fn listed(result: &Value) -> Vec<String> {
    match result {
        Value::Array(items) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Value::String(text) => text
            .lines()
            .filter_map(|line| {
                let line = line.trim();
                let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
                let item = if rest.len() < line.len() {
                    rest.strip_prefix(['.', ')'])
                } else {
                    line.strip_prefix(['-', '*', '•'])
                };
                let item = item?.trim().trim_matches(['\'', '"']);
                (!item.is_empty()).then(|| item.to_owned())
            })
            .collect(),
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::Status;

    #[expect(clippy::needless_pass_by_value, reason = "cases are written as values")]
    fn read(value: Value) -> Decoded {
        decode("c1", &value).expect("no newer schema")
    }

    #[test]
    fn a_session_of_schema_1_loads() {
        let decoded = read(json!({
            "last_action": "review-queries",
            "action_result": "Please review:\n1. 'LLM tutors'\n2. LLM grading\n",
            "params": {
                "Action.do_generate_queries": { "topic": "LLMs in education" },
                "do-literature-review": { "search_query": "ML education" },
            },
            "waiting_for_feedback": "queries",
            "my_own": 7,
        }));
        let session = decoded.session;
        assert_eq!(decoded.notes, [LoadNote::Migrated { from: 1 }]);
        assert_eq!((session.schema, session.conversation_id.as_str()), (SCHEMA, "c1"));
        assert_eq!(session.topic.as_deref(), Some("LLMs in education"));
        assert_eq!(session.last_action, Some(Action::ReviewQueries));
        assert_eq!(session.waiting_for, Waiting::Queries);
        let queries: Vec<_> = session.artifacts.queries.unwrap().value.into_iter().map(|query| query.text).collect();
        assert_eq!(queries, ["LLM tutors", "LLM grading"]);
        assert_eq!(session.unknown["my_own"], 7, "unknown fields are kept");
    }

    #[test]
    fn a_review_without_its_object_asks_for_what_is_needed() {
        let waiting = |value| read(value).session.waiting_for;
        let slot = |missing: &[&str]| Waiting::Slot {
            action: Action::GenerateQueries,
            missing: missing.iter().map(|name| (*name).to_owned()).collect(),
        };
        assert_eq!(waiting(json!({ "waiting_for_feedback": "queries", "action_result": "lost" })), slot(&["topic"]));
        let params = json!({ "do-generate-queries": { "topic": "tides" } });
        assert_eq!(waiting(json!({ "waiting_for_feedback": "queries", "params": params })), slot(&[]));
        assert_eq!(waiting(json!({ "waiting_for_feedback": "report" })), slot(&["topic"]));
    }

    #[test]
    fn missing_fields_get_defaults() {
        let decoded = read(json!({ "schema": 3 }));
        assert_eq!(decoded.session, Session::new("c1"));
        assert!(decoded.notes.is_empty());
        assert_eq!(decoded.session.status, Status::Active);
    }

    #[test]
    fn what_cannot_be_read_is_quarantined_and_never_an_error() {
        for value in [
            json!(null),
            json!([1, 2]),
            json!({ "schema": "two" }),
            json!({ "schema": 3, "history": "none" }),
            json!({ "schema": 3, "conversation_id": "another" }),
            json!({ "schema": 0 }),
            json!({ "schema": 3, "waiting_for": { "for": "godot" } }),
        ] {
            let decoded = read(value.clone());
            assert!(matches!(&decoded.notes[..], [LoadNote::Quarantined { .. }]), "{value}");
            assert_eq!(decoded.session, Session::new("c1"), "{value}");
        }
    }

    #[test]
    fn an_unknown_action_keeps_the_rest() {
        let decoded = read(json!({ "schema": 3, "topic": "tides", "last_action": "do-magic",
            "waiting_for": { "for": "report" } }));
        assert_eq!(decoded.notes, [LoadNote::UnknownAction { name: "do-magic".to_owned() }]);
        assert_eq!(decoded.session.topic.as_deref(), Some("tides"));
        assert_eq!((decoded.session.last_action, decoded.session.waiting_for), (None, Waiting::None));
    }

    #[test]
    fn approvals_of_what_is_not_there_are_dropped() {
        let decoded = read(json!({ "schema": 3, "approvals": { "queries": 1, "proposal": 4 } }));
        assert_eq!(decoded.session.approvals, Default::default());
        assert_eq!(decoded.notes.len(), 2);
    }

    #[test]
    fn a_newer_schema_is_refused() {
        assert_eq!(decode("c1", &json!({ "schema": 4 })), Err(4));
    }

    #[test]
    fn records_and_reports_of_schema_2_are_read() {
        let record = json!({ "id": "r1", "title": "On tides", "authors": ["Ann Lee"], "year": 2020, "venue": null,
            "doi": "10.1000/A", "place": "papers/tides.md", "text": "It was measured.", "source": "local" });
        let review = json!({ "records": [record], "findings": [{ "record": "r1", "claim": "c" }], "themes": [],
            "sources": [
                { "source": "local", "answer": { "status": "found", "records": 1 } },
                { "source": "web", "answer": { "status": "failed", "reason": "an HTML page came back" } },
                { "source": "slow", "answer": { "status": "rate_limited", "wait": 7 } },
                { "source": "void", "answer": { "status": "empty" } },
            ] });
        let reference = json!({ "number": 1, "record": record });
        let proposal = json!({ "title": "T", "sections": [], "references": [reference], "notes": [] });
        let artifact = |value| json!({ "version": 1, "produced_by": "do-literature-review", "at": 0, "value": value });
        let decoded = read(json!({ "schema": 2, "topic": "tides",
            "artifacts": { "review": artifact(review), "proposal": artifact(proposal) } }));
        assert_eq!(decoded.notes, [LoadNote::Migrated { from: 2 }]);
        let review = decoded.session.artifacts.review.clone().unwrap().value;
        let record = &review.records[0];
        assert_eq!((record.id.as_str(), record.url.as_deref()), ("r1", Some("papers/tides.md")));
        assert_eq!(record.reference(), "Lee 2020: On tides. https://doi.org/10.1000/a");
        assert_eq!(record.abstract_text.as_deref(), Some("It was measured."));
        assert_eq!(
            crate::research::source_lines(&review.sources),
            [
                "local gave 1 record.",
                "web cannot be searched (an HTML page came back).",
                "slow asked for a pause; try again after it.",
                "void has no record for this question.",
            ]
        );
        assert_eq!(&decoded.session.artifacts.proposal.as_ref().unwrap().value.references[0].record, record);
        let again = read(serde_json::to_value(&decoded.session).unwrap());
        assert_eq!((again.session, again.notes.len()), (decoded.session, 0));
    }
}
