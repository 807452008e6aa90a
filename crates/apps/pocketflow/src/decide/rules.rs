//! The rows of the table, first match first.

use super::facts::{Facts, Finish, Input, ReplyKind, WaitingKind};
use super::{Next, Question};
use crate::actions::Action;

/// A row of the table.
#[derive(Debug)]
#[non_exhaustive]
pub struct Rule {
    /// Its name.
    pub id: &'static str,
    /// Actions before it; any when empty.
    pub last: &'static [Action],
    /// What the conversation waits for; anything when empty.
    pub waiting: &'static [WaitingKind],
    /// What has just happened; anything when empty.
    pub input: &'static [Input],
    /// Whether the record is damaged; either when not set.
    pub damaged: Option<bool>,
    /// Whether the queries may be made again; either when not set.
    pub tries_left: Option<bool>,
    /// What follows.
    pub next: Next,
    /// Why.
    pub why: &'static str,
}

impl Rule {
    /// Whether the row is about these facts.
    pub fn matches(&self, facts: &Facts) -> bool {
        (self.last.is_empty() || facts.last.is_some_and(|last| self.last.contains(&last)))
            && (self.waiting.is_empty() || self.waiting.contains(&facts.waiting))
            && (self.input.is_empty() || self.input.contains(&facts.input))
            && self.damaged.is_none_or(|damaged| damaged == facts.damaged)
            && self.tries_left.is_none_or(|left| left == facts.tries_left)
    }
}

const fn reply(kind: ReplyKind) -> Input {
    Input::Reply(kind)
}

const DONE: &[Input] = &[Input::Finished(Finish::Ok)];
const REVIEWS: &[WaitingKind] = &[WaitingKind::Queries, WaitingKind::Report];

macro_rules! rule {
    ($id:literal, $next:expr, $why:literal $(, $field:ident: $value:expr)*) => {
        Rule { id: $id, next: $next, why: $why, $($field: $value,)* ..ANYTHING }
    };
}

/// The last row: the table has an answer to everything.
pub(super) const ANYTHING: Rule = Rule {
    id: "anything-else",
    last: &[],
    waiting: &[],
    input: &[],
    damaged: None,
    tries_left: None,
    next: Next::Ask(Question::Topic),
    why: "No other row fits, so the person is asked what to do.",
};

/// The table.
pub const RULES: &[Rule] = &[
    rule!("action-failed", Next::Ask(Question::Failed), "An action failed for good; it can be tried again with the same parameters.",
        input: &[Input::Finished(Finish::Failed)]),
    rule!("queries-made", Next::Run(Action::ReviewQueries), "A person sees the queries before anything is searched.",
        last: &[Action::GenerateQueries], input: DONE),
    rule!("literature-read", Next::Run(Action::SynthesizeGap), "There is at least one record to reason from.",
        last: &[Action::LiteratureReview], input: DONE),
    rule!("nothing-found", Next::Ask(Question::Broaden), "No report is written without records unless the person insists.",
        last: &[Action::LiteratureReview], input: &[Input::Finished(Finish::NoRecords)]),
    rule!("no-source-answered", Next::Ask(Question::Sources), "The sources and their errors are named; the parameters are kept.",
        last: &[Action::LiteratureReview], input: &[Input::Finished(Finish::SourcesFailed)]),
    rule!("gap-found", Next::Run(Action::WriteProposal), "The proposal fills the gap.",
        last: &[Action::SynthesizeGap], input: DONE),
    rule!("proposal-written", Next::Run(Action::ReviewReport), "A person sees the proposal before it is delivered.",
        last: &[Action::WriteProposal], input: DONE),
    rule!("delivered-cancel", Next::Ask(Question::Delivered), "What was delivered is not ended a second time; a topic that was offered is dropped.",
        waiting: &[WaitingKind::Delivered], input: &[reply(ReplyKind::Cancel)]),
    rule!("cancelled", Next::Stop, "The person may end the journey at any time.",
        input: &[reply(ReplyKind::Cancel)]),
    rule!("new-topic", Next::Run(Action::GenerateQueries), "The person names another topic: a new journey, the old one is archived.",
        input: &[reply(ReplyKind::NewTopic)]),
    rule!("new-topic-unnamed", Next::Ask(Question::Topic), "The person wants another topic and does not say which.",
        input: &[reply(ReplyKind::NewTopicUnnamed)]),
    rule!("damaged-session", Next::Ask(Question::Damaged), "The record could not be read as it was; a copy is kept and the person is asked.",
        damaged: Some(true)),
    rule!("too-long", Next::Ask(Question::TooLong), "The message is longer than a message may be.",
        input: &[reply(ReplyKind::TooLong)]),
    rule!("moved-on", Next::Ask(Question::MovedOn), "The message was about something else than what is asked by now, so it is no verdict; what is asked is shown.",
        input: &[reply(ReplyKind::Late)]),
    rule!("delivered-question", Next::Ask(Question::Answer), "The delivered proposal is still what the conversation is about.",
        waiting: &[WaitingKind::Delivered], input: &[reply(ReplyKind::Question)]),
    rule!("delivered-topic", Next::Ask(Question::ConfirmTopic), "A text after the end may be a topic; no journey begins and nothing is archived before the person says so.",
        waiting: &[WaitingKind::Delivered], input: &[reply(ReplyKind::Text)]),
    rule!("delivered-topic-confirmed", Next::Run(Action::GenerateQueries), "The person wants a journey with the topic that was offered; the old one is archived.",
        waiting: &[WaitingKind::Delivered], input: &[reply(ReplyKind::Approve)]),
    rule!("delivered", Next::Ask(Question::Delivered), "The delivered proposal stays; what can be done with it is told.",
        waiting: &[WaitingKind::Delivered]),
    rule!("topic-named", Next::Run(Action::GenerateQueries), "The first message of a journey is its topic.",
        waiting: &[WaitingKind::None], input: &[reply(ReplyKind::Text)]),
    rule!("topic-wanted", Next::Ask(Question::Topic), "There is nothing yet that a greeting, a verdict or a question could be about.",
        waiting: &[WaitingKind::None]),
    rule!("queries-approved", Next::Run(Action::LiteratureReview), "The queries are approved.",
        waiting: &[WaitingKind::Queries], input: &[reply(ReplyKind::Approve)]),
    rule!("queries-rejected-often", Next::Ask(Question::EditByHand), "The queries were made again five times; editing by hand is offered.",
        waiting: &[WaitingKind::Queries], input: &[reply(ReplyKind::Reject), reply(ReplyKind::RejectSearch), reply(ReplyKind::Revise)], tries_left: Some(false)),
    rule!("queries-revised", Next::Run(Action::GenerateQueries), "The person confirmed changes that a model has to write.",
        waiting: &[WaitingKind::Queries], input: &[reply(ReplyKind::Revise)]),
    rule!("queries-rejected", Next::Run(Action::GenerateQueries), "The queries are rejected; the reason reaches the next attempt.",
        waiting: &[WaitingKind::Queries], input: &[reply(ReplyKind::Reject), reply(ReplyKind::RejectSearch)]),
    rule!("report-approved", Next::Run(Action::ResultNotification), "The proposal is approved.",
        waiting: &[WaitingKind::Report], input: &[reply(ReplyKind::Approve)]),
    rule!("report-wants-literature", Next::Run(Action::GenerateQueries), "The proposal is rejected for its literature; new queries are made.",
        waiting: &[WaitingKind::Report], input: &[reply(ReplyKind::RejectSearch)]),
    rule!("report-rejected", Next::Run(Action::WriteProposal), "The proposal is rejected; the reason reaches the next attempt.",
        waiting: &[WaitingKind::Report], input: &[reply(ReplyKind::Reject)]),
    rule!("report-revised", Next::Run(Action::WriteProposal), "The person confirmed changes that a model has to write.",
        waiting: &[WaitingKind::Report], input: &[reply(ReplyKind::Revise)]),
    rule!("review-edited", Next::ReviewAgain, "The person edited what is reviewed; it is shown again.",
        waiting: REVIEWS, input: &[reply(ReplyKind::Edit)]),
    rule!("review-edit-misfit", Next::Ask(Question::Misfit), "The edit is of something that is not there.",
        waiting: REVIEWS, input: &[reply(ReplyKind::Misfit)]),
    rule!("review-candidate", Next::Ask(Question::Confirm), "What is only probably meant is shown back and confirmed first.",
        waiting: REVIEWS, input: &[reply(ReplyKind::Candidate)]),
    rule!("review-declined", Next::Ask(Question::Declined), "The person did not mean what the reply was nearly read as; nothing changes.",
        waiting: REVIEWS, input: &[reply(ReplyKind::Declined)]),
    rule!("review-question", Next::Ask(Question::Answer), "The question is answered and the review goes on.",
        waiting: REVIEWS, input: &[reply(ReplyKind::Question)]),
    rule!("review-unclear", Next::Ask(Question::Verdict), "What is unclear is never taken for an approval; the review goes on.",
        waiting: REVIEWS),
    rule!("slot-again", Next::Retry, "The person wants the action tried again as it was.",
        waiting: &[WaitingKind::Slot], input: &[reply(ReplyKind::Retry)]),
    rule!("slot-insisted", Next::Run(Action::SynthesizeGap), "The person insists on going on without records.",
        waiting: &[WaitingKind::Slot], input: &[reply(ReplyKind::Insist)]),
    rule!("slot-queries", Next::Run(Action::ReviewQueries), "The person gave other queries; they are shown, and need an approval of their own before anything is sent.",
        waiting: &[WaitingKind::Slot], input: &[reply(ReplyKind::Queries)]),
    rule!("slot-edited", Next::ReviewAgain, "The person edited the queries that found nothing; they are shown, and need an approval of their own.",
        waiting: &[WaitingKind::Slot], input: &[reply(ReplyKind::Edit)]),
    rule!("slot-revised", Next::Run(Action::GenerateQueries), "The person wants other queries made; they are shown before anything is sent.",
        waiting: &[WaitingKind::Slot], input: &[reply(ReplyKind::Revise), reply(ReplyKind::RejectSearch)]),
    rule!("slot-candidate", Next::Ask(Question::Confirm), "What is only probably meant is shown back and confirmed first.",
        waiting: &[WaitingKind::Slot], input: &[reply(ReplyKind::Candidate)]),
    rule!("slot-question", Next::Ask(Question::Answer), "The question is answered, and what is missing is still asked for.",
        waiting: &[WaitingKind::Slot], input: &[reply(ReplyKind::Question)]),
    rule!("slot-filled", Next::Retry, "The answer fills what was missing and the pending action is tried again.",
        waiting: &[WaitingKind::Slot], input: &[reply(ReplyKind::Text)]),
    rule!("slot-open", Next::Ask(Question::Slot), "What is missing is still missing.",
        waiting: &[WaitingKind::Slot]),
    ANYTHING,
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;
    use proptest::sample::select;

    use super::super::decide;
    use super::*;
    use ReplyKind::{
        Approve, Cancel, Candidate, Declined, Edit, Empty, Insist, Late, Misfit, NewTopic, NewTopicUnnamed, Queries,
        Reject, RejectSearch, Retry, Revise, Text, TooLong, Unclear,
    };

    /// Rows of the table: action before, waiting, what happened, tries left, the rule, what follows.
    type Row = (Option<Action>, WaitingKind, Input, bool, &'static str, Next);

    fn rows() -> Vec<Row> {
        use Action as A;
        use WaitingKind as W;
        let h = Input::Reply;
        let f = Input::Finished;
        let ask = Next::Ask;
        let run = Next::Run;
        vec![
            (None, W::None, h(Text), true, "topic-named", run(A::GenerateQueries)),
            (None, W::None, h(Empty), true, "topic-wanted", ask(Question::Topic)),
            (Some(A::GenerateQueries), W::None, f(Finish::Ok), true, "queries-made", run(A::ReviewQueries)),
            (Some(A::ReviewQueries), W::Queries, h(Approve), true, "queries-approved", run(A::LiteratureReview)),
            (Some(A::ReviewQueries), W::Queries, h(Reject), true, "queries-rejected", run(A::GenerateQueries)),
            (Some(A::ReviewQueries), W::Queries, h(Reject), false, "queries-rejected-often", ask(Question::EditByHand)),
            (Some(A::ReviewQueries), W::Queries, h(RejectSearch), true, "queries-rejected", run(A::GenerateQueries)),
            (Some(A::ReviewQueries), W::Queries, h(Edit), true, "review-edited", Next::ReviewAgain),
            (Some(A::ReviewQueries), W::Queries, h(Revise), true, "queries-revised", run(A::GenerateQueries)),
            (Some(A::ReviewQueries), W::Queries, h(Revise), false, "queries-rejected-often", ask(Question::EditByHand)),
            (Some(A::ReviewReport), W::Report, h(Revise), true, "report-revised", run(A::WriteProposal)),
            (Some(A::ReviewQueries), W::Queries, h(Candidate), true, "review-candidate", ask(Question::Confirm)),
            (Some(A::FollowUp), W::Report, h(Declined), true, "review-declined", ask(Question::Declined)),
            (Some(A::ReviewQueries), W::Queries, h(Misfit), true, "review-edit-misfit", ask(Question::Misfit)),
            (
                Some(A::ReviewQueries),
                W::Queries,
                h(ReplyKind::Question),
                true,
                "review-question",
                ask(Question::Answer),
            ),
            (Some(A::ReviewQueries), W::Queries, h(Unclear), true, "review-unclear", ask(Question::Verdict)),
            (Some(A::LiteratureReview), W::None, f(Finish::Ok), true, "literature-read", run(A::SynthesizeGap)),
            (Some(A::LiteratureReview), W::None, f(Finish::NoRecords), true, "nothing-found", ask(Question::Broaden)),
            (
                Some(A::LiteratureReview),
                W::None,
                f(Finish::SourcesFailed),
                true,
                "no-source-answered",
                ask(Question::Sources),
            ),
            (Some(A::SynthesizeGap), W::None, f(Finish::Ok), true, "gap-found", run(A::WriteProposal)),
            (Some(A::WriteProposal), W::None, f(Finish::Ok), true, "proposal-written", run(A::ReviewReport)),
            (Some(A::ReviewReport), W::Report, h(Approve), true, "report-approved", run(A::ResultNotification)),
            (Some(A::ReviewReport), W::Report, h(Reject), true, "report-rejected", run(A::WriteProposal)),
            (
                Some(A::ReviewReport),
                W::Report,
                h(RejectSearch),
                true,
                "report-wants-literature",
                run(A::GenerateQueries),
            ),
            (Some(A::ReviewReport), W::Report, h(Edit), true, "review-edited", Next::ReviewAgain),
            (Some(A::ReviewReport), W::Report, h(ReplyKind::Question), true, "review-question", ask(Question::Answer)),
            (Some(A::ReviewReport), W::Report, h(Unclear), true, "review-unclear", ask(Question::Verdict)),
            (Some(A::FollowUp), W::Slot, h(Text), true, "slot-filled", Next::Retry),
            (Some(A::FollowUp), W::Slot, h(Queries), true, "slot-queries", run(A::ReviewQueries)),
            (Some(A::FollowUp), W::Slot, h(Edit), true, "slot-edited", Next::ReviewAgain),
            (Some(A::FollowUp), W::Slot, h(Revise), true, "slot-revised", run(A::GenerateQueries)),
            (Some(A::FollowUp), W::Slot, h(RejectSearch), true, "slot-revised", run(A::GenerateQueries)),
            (Some(A::FollowUp), W::Slot, h(Candidate), true, "slot-candidate", ask(Question::Confirm)),
            (Some(A::FollowUp), W::Slot, h(ReplyKind::Question), true, "slot-question", ask(Question::Answer)),
            (Some(A::FollowUp), W::Slot, h(Approve), true, "slot-open", ask(Question::Slot)),
            (Some(A::FollowUp), W::Slot, h(Reject), true, "slot-open", ask(Question::Slot)),
            (Some(A::FollowUp), W::Slot, h(Unclear), true, "slot-open", ask(Question::Slot)),
            (Some(A::FollowUp), W::Slot, h(Retry), true, "slot-again", Next::Retry),
            (Some(A::FollowUp), W::Slot, h(Insist), true, "slot-insisted", run(A::SynthesizeGap)),
            (Some(A::FollowUp), W::Slot, h(Empty), true, "slot-open", ask(Question::Slot)),
            (Some(A::FollowUp), W::Queries, h(Approve), true, "queries-approved", run(A::LiteratureReview)),
            (Some(A::FollowUp), W::Report, h(Approve), true, "report-approved", run(A::ResultNotification)),
            (Some(A::ReviewQueries), W::Report, h(Late), true, "moved-on", ask(Question::MovedOn)),
            (None, W::Delivered, h(Text), true, "delivered-topic", ask(Question::ConfirmTopic)),
            (Some(A::FollowUp), W::Delivered, h(Approve), true, "delivered-topic-confirmed", run(A::GenerateQueries)),
            (None, W::Delivered, h(ReplyKind::Question), true, "delivered-question", ask(Question::Answer)),
            (None, W::Delivered, h(Empty), true, "delivered", ask(Question::Delivered)),
            (None, W::Delivered, h(Cancel), true, "delivered-cancel", ask(Question::Delivered)),
            (None, W::Delivered, h(NewTopic), true, "new-topic", run(A::GenerateQueries)),
            (Some(A::ReviewReport), W::Report, h(Cancel), true, "cancelled", Next::Stop),
            (None, W::None, h(Cancel), true, "cancelled", Next::Stop),
            (Some(A::FollowUp), W::Slot, h(NewTopic), true, "new-topic", run(A::GenerateQueries)),
            (Some(A::ReviewQueries), W::Queries, h(NewTopicUnnamed), true, "new-topic-unnamed", ask(Question::Topic)),
            (Some(A::ReviewQueries), W::Queries, h(TooLong), true, "too-long", ask(Question::TooLong)),
            (Some(A::WriteProposal), W::None, f(Finish::Failed), true, "action-failed", ask(Question::Failed)),
        ]
    }

    #[test]
    fn every_row_of_the_table() {
        let mut used = BTreeSet::from(["damaged-session", "anything-else"]);
        for (last, waiting, input, tries_left, rule, next) in rows() {
            let facts = Facts { tries_left, ..Facts::new(last, waiting, input) };
            let decision = decide(&facts);
            assert_eq!((decision.rule.as_str(), decision.next), (rule, next), "{facts:?}");
            used.insert(rule);
        }
        let known: BTreeSet<_> = RULES.iter().map(|rule| rule.id).collect();
        assert_eq!(used, known, "a rule without a row");
        assert_eq!(known.len(), RULES.len(), "two rules with one name");
    }

    #[test]
    fn a_damaged_record_asks_whatever_was_said_but_an_end_or_a_new_topic() {
        for kind in ReplyKind::ALL {
            let facts = Facts { damaged: true, ..Facts::new(None, WaitingKind::None, Input::Reply(kind)) };
            let expected = match kind {
                Cancel => "cancelled",
                NewTopic => "new-topic",
                NewTopicUnnamed => "new-topic-unnamed",
                _ => "damaged-session",
            };
            assert_eq!(decide(&facts).rule, expected);
        }
    }

    fn any_facts() -> impl Strategy<Value = Facts> {
        let last = prop_oneof![Just(None), select(Action::ALL.to_vec()).prop_map(Some)];
        let input = prop_oneof![
            select(ReplyKind::ALL.to_vec()).prop_map(Input::Reply),
            select(Finish::ALL.to_vec()).prop_map(Input::Finished)
        ];
        (last, select(WaitingKind::ALL.to_vec()), input, any::<bool>(), any::<bool>())
            .prop_map(|(last, waiting, input, damaged, tries_left)| Facts { last, waiting, input, damaged, tries_left })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn the_table_is_total_and_approves_only_what_was_approved(facts in any_facts()) {
            let decision = decide(&facts);
            prop_assert!(RULES.iter().any(|rule| rule.id == decision.rule));
            prop_assert_eq!(&decision.facts, &facts);
            if decision.next == Next::Run(Action::ResultNotification) {
                prop_assert_eq!((facts.waiting, facts.input), (WaitingKind::Report, Input::Reply(Approve)));
            }
            if decision.next == Next::Run(Action::LiteratureReview) {
                prop_assert_eq!((facts.waiting, facts.input), (WaitingKind::Queries, Input::Reply(Approve)));
            }
            // A message never meets the row that is there for what no other row knows.
            if matches!(facts.input, Input::Reply(_)) {
                prop_assert_ne!(decision.rule, "anything-else");
            }
        }
    }
}
