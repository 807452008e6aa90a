//! From a decision to an action with its parameters, or to what is missing.

use std::fmt;

use serde_json::{Map, Value, json};

use crate::actions::{
    Action, Call, FollowUp, GenerateQueries, LiteratureReview, Need, Parameters, ResultNotification, ReviewQueries,
    ReviewReport, SynthesizeGap, WriteProposal,
};
use crate::session::Session;

/// What an action lacks.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Missing {
    /// The action.
    pub action: Action,
    /// Required parameters that nobody gave, or that do not fit their type.
    pub parameters: Vec<String>,
    /// What the session does not hold.
    pub needs: Vec<Need>,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let needs = self.needs.iter().map(|need| match need {
            Need::Queries => "search queries",
            Need::ApprovedQueries => "your approval of the queries",
            Need::Review => "a literature review",
            Need::Gap => "a research gap",
            Need::Proposal => "a proposal",
            Need::ApprovedProposal => "your approval of the proposal",
        });
        let named: Vec<&str> = self.parameters.iter().map(String::as_str).chain(needs).collect();
        write!(f, "{} for {}", named.join(", "), self.action.label())
    }
}

/// Puts the parameters of an action together: those `given` win over what the session's artifacts say, and those win
/// over what the action was last called with.
///
/// # Errors
/// [`Missing`]: what must be asked for before the action can run.
pub fn prepare(action: Action, session: &Session, given: &Map<String, Value>) -> Result<Call, Missing> {
    match action {
        Action::GenerateQueries => fill::<GenerateQueries>(session, given),
        Action::LiteratureReview => fill::<LiteratureReview>(session, given),
        Action::SynthesizeGap => fill::<SynthesizeGap>(session, given),
        Action::WriteProposal => fill::<WriteProposal>(session, given),
        Action::FollowUp => fill::<FollowUp>(session, given),
        Action::ResultNotification => fill::<ResultNotification>(session, given),
        Action::ReviewQueries => fill::<ReviewQueries>(session, given),
        Action::ReviewReport => fill::<ReviewReport>(session, given),
    }
}

fn fill<P: Parameters>(session: &Session, given: &Map<String, Value>) -> Result<Call, Missing> {
    let declaration = P::ACTION.declaration();
    let mut filled = session.params.get(&P::ACTION).and_then(Value::as_object).cloned().unwrap_or_default();
    filled.extend(from_artifacts(P::ACTION, session));
    filled.extend(given.clone());
    let absent = |name: &String| match filled.get(name) {
        None | Some(Value::Null) => true,
        Some(Value::String(text)) => text.trim().is_empty(),
        Some(Value::Array(items)) => items.is_empty(),
        Some(_) => false,
    };
    let parameters: Vec<String> = declaration.required.iter().filter(|name| absent(name)).cloned().collect();
    let needs: Vec<Need> = P::NEEDS.iter().copied().filter(|need| !session.has(*need)).collect();
    if !parameters.is_empty() || !needs.is_empty() {
        return Err(Missing { action: P::ACTION, parameters, needs });
    }
    match read(filled) {
        Ok(parameters) => Ok(P::into(parameters)),
        Err(parameter) => Err(Missing { action: P::ACTION, parameters: vec![parameter], needs }),
    }
}

/// Reads parameters; the error names the one that does not fit.
fn read<P: Parameters>(filled: Map<String, Value>) -> Result<P, String> {
    serde_path_to_error::deserialize(Value::Object(filled)).map_err(|error| error.path().to_string())
}

/// What the session's artifacts say about an action's parameters: a total function, so that only what people say can be
/// missing.
fn from_artifacts(action: Action, session: &Session) -> Map<String, Value> {
    let artifacts = &session.artifacts;
    let known = match action {
        Action::GenerateQueries => json!({
            "topic": session.topic,
            "existing": artifacts.queries.iter().flat_map(|queries| &queries.value).map(|query| &query.text)
                .collect::<Vec<_>>(),
            "feedback": null,
        }),
        Action::LiteratureReview => json!({
            "queries": artifacts.queries.as_ref().map(|queries| {
                queries.value.iter().map(|query| &query.text).collect::<Vec<_>>()
            }),
        }),
        Action::SynthesizeGap => json!({ "review": artifacts.review.as_ref().map(|review| review.version) }),
        Action::WriteProposal => json!({
            "gap": artifacts.gap.as_ref().map(|gap| gap.version),
            "feedback": session.feedback,
        }),
        Action::FollowUp => json!({}),
        Action::ReviewQueries => json!({ "queries": artifacts.queries.as_ref().map(|queries| queries.version) }),
        Action::ReviewReport | Action::ResultNotification => {
            json!({ "proposal": artifacts.proposal.as_ref().map(|proposal| proposal.version) })
        }
    };
    match known {
        Value::Object(known) => known.into_iter().filter(|(_, value)| !value.is_null()).collect(),
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session::{Artifact, SearchQuery};

    fn with_queries() -> Session {
        let mut session = Session::new("c1");
        session.topic = Some("tides".to_owned());
        session.artifacts.queries =
            Some(Artifact::new(3, Action::GenerateQueries, 0, vec![SearchQuery::new("spring tides")]));
        session
    }

    #[test]
    fn what_nobody_said_is_missing() {
        let missing = prepare(Action::GenerateQueries, &Session::new("c1"), &Map::new()).unwrap_err();
        assert_eq!((missing.parameters, missing.needs), (vec!["topic".to_owned()], vec![]));
        let blank = json!({ "topic": "  " });
        assert!(prepare(Action::GenerateQueries, &Session::new("c1"), blank.as_object().unwrap()).is_err());
        let missing = prepare(Action::FollowUp, &Session::new("c1"), &Map::new()).unwrap_err();
        assert_eq!(missing.parameters, ["question"]);
    }

    #[test]
    fn artifacts_fill_what_they_know_and_what_is_given_wins() {
        let call = prepare(Action::GenerateQueries, &with_queries(), &Map::new()).unwrap();
        let Call::GenerateQueries(parameters) = call else { panic!("another action") };
        assert_eq!((parameters.topic.as_str(), parameters.existing), ("tides", vec!["spring tides".to_owned()]));
        let given = json!({ "topic": "currents", "feedback": "narrower" });
        let call = prepare(Action::GenerateQueries, &with_queries(), given.as_object().unwrap()).unwrap();
        let Call::GenerateQueries(parameters) = call else { panic!("another action") };
        assert_eq!((parameters.topic.as_str(), parameters.feedback.as_deref()), ("currents", Some("narrower")));
    }

    #[test]
    fn the_literature_is_not_searched_before_the_queries_are_approved() {
        let mut session = with_queries();
        let missing = prepare(Action::LiteratureReview, &session, &Map::new()).unwrap_err();
        assert_eq!(missing.needs, [Need::ApprovedQueries]);
        session.approvals.queries = Some(2);
        assert!(prepare(Action::LiteratureReview, &session, &Map::new()).is_err(), "another version was approved");
        session.approvals.queries = Some(3);
        assert!(prepare(Action::LiteratureReview, &session, &Map::new()).is_ok());
    }

    #[test]
    fn a_parameter_of_the_wrong_type_is_named() {
        let given = json!({ "topic": ["not", "text"] });
        let missing = prepare(Action::GenerateQueries, &Session::new("c1"), given.as_object().unwrap()).unwrap_err();
        assert_eq!(missing.parameters, ["topic"]);
        assert_eq!(missing.to_string(), "topic for the search queries");
    }
}
