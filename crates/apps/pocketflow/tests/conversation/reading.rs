//! Replies that are more than an approval: shown back, confirmed, and only then counted. The model is a scripted one.

use graphloom_pocketflow::session::Waiting;

use super::scripted::{Answer, ScriptedConversation};

async fn reviewing() -> ScriptedConversation {
    let talk = ScriptedConversation::new(&[Answer::Records]);
    talk.say("tides").await;
    talk
}

#[tokio::test]
async fn an_edit_inside_a_sentence_is_confirmed_and_the_rest_needs_an_approval_of_its_own() {
    let talk = reviewing().await;
    let asked = talk.say("ok, drop the second one").await;
    assert!(asked.contains("I take this as: take out number 2. Is that right?"), "{asked}");
    assert_eq!(asked.lines().count(), 1, "{asked}");
    assert_eq!((talk.rule().await.as_str(), talk.session().await.waiting_for), ("review-candidate", Waiting::Queries));
    let shown = talk.say("yes").await;
    assert!(shown.contains("1. first query 1") && !shown.contains("second query"), "{shown}");
    let session = talk.session().await;
    assert_eq!((session.waiting_for, session.approvals.queries, session.asked), (Waiting::Queries, None, None));
    talk.say("yes").await;
    let records = talk.session().await.artifacts.review.expect("part of the test").value.records;
    let titles: Vec<&str> = records.iter().map(|record| record.title.as_str()).collect();
    assert_eq!(titles, ["On first query 1"], "nothing else was searched");
}

#[tokio::test]
async fn a_candidate_that_is_declined_or_passed_over_changes_nothing() {
    let talk = reviewing().await;
    talk.say("ok, drop the second one").await;
    assert!(talk.say("no").await.contains("Then nothing changes."));
    let session = talk.session().await;
    assert_eq!((session.asked, session.cycles.queries), (None, 0), "`no` is not a rejection of the queries");
    talk.say("ok, drop the second one").await;
    assert!(talk.say("why these?").await.contains("Because of the tides."));
    let report = talk.say("yes").await;
    assert!(report.contains("scripted gave 2 records for 2 of 2 queries."), "the candidate was passed over: {report}");
}

#[tokio::test]
async fn what_is_only_nearly_an_approval_is_asked_back() {
    for nearly in ["no objections", "I think so", "is that ok?", "没什么问题"] {
        let talk = reviewing().await;
        let asked = talk.say(nearly).await;
        assert!(asked.contains("I take this as: go on with it as it is."), "{nearly}: {asked}");
        assert!(talk.session().await.approvals.queries.is_none(), "{nearly}");
        talk.say("I think so").await;
        assert_eq!(talk.session().await.waiting_for, Waiting::Queries, "a weak yes leaves it open");
        talk.say("yes").await;
        assert_eq!(talk.session().await.waiting_for, Waiting::Report, "{nearly}");
    }
}

#[tokio::test]
async fn an_approval_by_a_scripted_model_is_asked_back_and_must_quote_the_reply() {
    let talk = reviewing().await;
    let invented = talk.say("my hands are full").await;
    assert!(invented.contains("I am not sure what that means"), "{invented}");
    let asked = talk.say("my thumbs are up for this").await;
    assert!(asked.contains("I take this as: go on with it as it is."), "{asked}");
    assert!(talk.seen.lock().expect("part of the test").iter().any(|prompt| prompt.contains("2. second query 1")));
    assert_eq!(talk.session().await.waiting_for, Waiting::Queries);
    talk.say("yes").await;
    assert_eq!(talk.session().await.waiting_for, Waiting::Report);
}

#[tokio::test]
async fn a_part_of_a_proposal_is_written_again_when_its_change_is_confirmed() {
    let talk = reviewing().await;
    talk.say("yes").await;
    let asked = talk.say("looks good, but make the method shorter").await;
    assert!(asked.contains("make number 2 again as you say:"), "{asked}");
    talk.say("yes").await;
    let session = talk.session().await;
    assert_eq!((session.waiting_for, session.approvals.proposal), (Waiting::Report, None), "it is shown again");
    assert_eq!(session.feedback.len(), 1, "{:?}", session.feedback);
    assert!(session.feedback[0].starts_with("change only `Method`:"), "{:?}", session.feedback);
    assert_eq!(talk.rules().await.iter().filter(|rule| *rule == "report-revised").count(), 1);
}

#[tokio::test]
async fn queries_that_a_model_has_to_change_are_made_again_with_those_that_stay() {
    let talk = reviewing().await;
    let asked = talk.say("good start, but make them all a bit narrower").await;
    assert!(asked.contains("make it again as you say:"), "{asked}");
    talk.say("yes").await;
    assert!(talk.rules().await.contains(&"queries-revised".to_owned()));
    let seen = talk.seen.lock().expect("part of the test").last().cloned().expect("part of the test");
    assert!(seen.contains("a bit narrower") && seen.contains("first query 1; second query 1"), "{seen}");
    assert!(!seen.contains("must not come again"), "{seen}");
}

#[tokio::test]
async fn a_rejection_without_a_reason_gives_the_model_none() {
    let talk = reviewing().await;
    talk.say("no").await;
    let seen = talk.seen.lock().expect("part of the test").last().cloned().expect("part of the test");
    assert!(seen.contains("- first query 1") && !seen.contains("for this reason"), "{seen}");
}

#[tokio::test]
async fn an_older_session_without_a_candidate_still_loads() {
    let talk = reviewing().await;
    let stored = serde_json::to_value(talk.session().await).expect("part of the test");
    assert!(stored.get("asked").is_none(), "what older programs wrote: {stored}");
    talk.say("ok, drop the second one").await;
    let stored = serde_json::to_value(talk.session().await).expect("part of the test");
    assert_eq!(stored["asked"], serde_json::json!({ "edit": [{ "remove": 2 }] }));
}
