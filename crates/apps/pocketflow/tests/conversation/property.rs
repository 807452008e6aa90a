//! Any sequence of messages ends every turn and delivers nothing that was not approved.

use std::time::Duration;

use graphloom_pocketflow::actions::{Action, Need};
use graphloom_pocketflow::session::Status;
use proptest::prelude::*;
use proptest::sample::select;

use super::scripted::{Answer, ID, ScriptedConversation};

const PHRASES: &[&str] = &[
    "tides",
    "approve",
    "yes",
    "no",
    "reject: too broad",
    "not good, redo",
    "not bad",
    "banana",
    "",
    "hello",
    "ok",
    "why?",
    "new queries",
    "edit 1: waves",
    "remove 2",
    "remove 9",
    "add: salt",
    "new topic: salt",
    "/new",
    "cancel",
    "retry",
    "go on without records",
    "承認",
    "却下",
    "да, хорошо",
    "ok, drop the second one",
    "no objections",
    "make the method shorter",
    "my thumbs are up",
    "/approve",
    "/fly",
    "yes and no",
    "looks good",
];

fn message() -> impl Strategy<Value = String> {
    prop_oneof![
        // Often enough to reach the end of the table.
        3 => select(vec!["approve", "yes", "tides"]).prop_map(str::to_owned),
        6 => select(PHRASES.to_vec()).prop_map(str::to_owned),
        1 => any::<String>(),
    ]
}

fn answers() -> impl Strategy<Value = Vec<Answer>> {
    let answer = select(vec![Answer::Records, Answer::Records, Answer::Nothing, Answer::Fails, Answer::Panics]);
    proptest::collection::vec(answer, 1..6)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_turn_ends_and_nothing_is_delivered_without_both_approvals(
        messages in proptest::collection::vec(message(), 1..20),
        answers in answers(),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().expect("part of the test");
        runtime.block_on(async {
            let talk = ScriptedConversation::new(&answers);
            // What the person said in this journey, as the table read it.
            for message in &messages {
                let before = talk.session().await;
                let turn = talk.shown(talk.conversations.say(ID, message));
                let ended = tokio::time::timeout(Duration::from_secs(3_600), turn).await;
                let (_, chat) = ended.expect("both streams end");
                prop_assert!(!chat.is_empty(), "a lost turn: {message:?}");
                let session = talk.session().await;
                prop_assert_eq!(session.revision, before.revision + 1);
                let delivered = chat.iter().any(|message| message.text().contains("The proposal is done"));
                prop_assert_eq!(delivered, session.journey.last().is_some_and(|step| {
                    step.action == Some(Action::ResultNotification)
                }));
                if delivered {
                    let rules: Vec<&str> = session.journey.iter().map(|step| step.rule.as_str()).collect();
                    prop_assert!(rules.contains(&"queries-approved") && rules.contains(&"report-approved"), "{rules:?}");
                    let about = session.journey.last().and_then(|step| step.about.clone());
                    prop_assert!(about.is_some_and(|about| about.starts_with("proposal-") || about.starts_with("confirm-proposal-")));
                    prop_assert!(session.has(Need::ApprovedQueries) && session.has(Need::ApprovedProposal));
                    prop_assert_eq!(session.status, Status::Complete);
                }
            }
            Ok(())
        })?;
    }
}
