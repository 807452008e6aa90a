//! The figures of the reader on the golden lists (see `tests/golden/README.md`), without a model. Only counts are printed:
//! `cargo test -p graphloom-pocketflow --test it golden_list -- --nocapture`.

#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

mod meaning;

use std::collections::BTreeMap;
use std::path::Path;

use graphloom_pocketflow::actions::Action;
use graphloom_pocketflow::decide::{Facts, Input, Next, ReplyKind, WaitingKind, decide};
use graphloom_pocketflow::feedback::Reading;

use meaning::{Fate, acts, fate, outcome, read};

/// The lists, those that nobody who writes the reader opens last.
const LISTS: [&str; 5] = ["open.tsv", "open2.tsv", "open3.tsv", "unseen.tsv", "unseen2.tsv"];

/// A reply of a list with what came of it.
struct Read {
    context: String,
    language: String,
    label: String,
    what: &'static str,
    acts: bool,
}

fn list(name: &str) -> Vec<Read> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(name);
    let list = std::fs::read_to_string(path).unwrap();
    list.lines()
        .skip(1)
        .map(|line| {
            let columns: Vec<&str> = line.split('\t').collect();
            let [context, language, label, meaning, text] = columns[..] else { panic!("a line without five columns") };
            let reading = read(context, text);
            let what = outcome(&reading, label, meaning);
            assert_eq!(
                goes_on(context, &reading),
                what == "approve" && context != "confirm",
                "the table goes on with an approval and nothing else"
            );
            Read {
                context: context.to_owned(),
                language: language.to_owned(),
                label: label.to_owned(),
                what,
                acts: acts(&reading),
            }
        })
        .collect()
}

/// Whether the decision table goes on with what was shown.
fn goes_on(context: &str, reading: &Reading) -> bool {
    let heard = match reading {
        Reading::Approve => ReplyKind::Approve,
        Reading::Reject { .. } => ReplyKind::Reject,
        Reading::Edit(_) => ReplyKind::Edit,
        Reading::Candidate(_) => ReplyKind::Candidate,
        Reading::Question => ReplyKind::Question,
        Reading::Cancel => ReplyKind::Cancel,
        Reading::Queries(_) => ReplyKind::Queries,
        Reading::Retry => ReplyKind::Retry,
        _ => ReplyKind::Unclear,
    };
    let (last, waiting) = match context {
        "proposal" => (Action::ReviewReport, WaitingKind::Report),
        "queries" => (Action::ReviewQueries, WaitingKind::Queries),
        _ => (Action::FollowUp, WaitingKind::Slot),
    };
    let next = decide(&Facts::new(Some(last), waiting, Input::Reply(heard))).next;
    matches!(next, Next::Run(Action::LiteratureReview | Action::ResultNotification))
}

#[test]
fn the_golden_list_approves_nothing_that_is_no_approval() {
    for name in LISTS {
        let replies = list(name);
        let mut counts: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for reply in &replies {
            *counts.entry((&reply.label, reply.what)).or_default() += 1;
        }
        println!("{name}: {counts:?}");
        let wrong = replies.iter().filter(|reply| reply.label != "approve" && reply.what == "approve").count();
        assert_eq!(wrong, 0, "{name}: something that is no approval approves");
        // What was in sight while the reader was written says little; what was not is in the guide.
        for (label, right, bar) in [("approve", "approve", 10), ("edit", "edit", 4)] {
            let of: Vec<&Read> = replies.iter().filter(|reply| reply.label == label).collect();
            let missed = of.iter().filter(|reply| reply.what != right).count();
            let seen = name.starts_with("open");
            assert!(!seen || missed * bar <= of.len(), "{name}: {missed} of {} clear {label}s are missed", of.len());
        }
    }
}

#[test]
fn no_answer_of_the_lists_is_searched_for_that_is_no_query() {
    for reply in LISTS.iter().flat_map(|name| list(name)).filter(|reply| reply.context == "nothing") {
        let queries = matches!(reply.what, "queries" | "other queries");
        assert!(!queries || reply.label == "queries", "{} {}", reply.language, reply.label);
        assert!(
            !reply.acts || matches!(reply.label.as_str(), "cancel" | "retry"),
            "{} {}",
            reply.language,
            reply.label
        );
    }
}

/// The rows of the guide: what became of clear replies in each language, the worst first.
fn rows(replies: &[Read]) -> Vec<String> {
    let mut languages: BTreeMap<&str, [usize; 5]> = BTreeMap::new();
    for reply in replies {
        let clear = fate(&reply.label, reply.what);
        for language in [reply.language.as_str(), "all"] {
            let counts = languages.entry(language).or_default();
            match clear {
                Some(fate) => {
                    counts[0] += 1;
                    counts[1] += usize::from(fate == Fate::Unread);
                    counts[2] += usize::from(fate == Fate::Otherwise);
                }
                None => {
                    counts[3] += 1;
                    counts[4] += usize::from(reply.acts);
                }
            }
        }
    }
    let mut rows: Vec<(&str, [usize; 5])> = languages.into_iter().collect();
    let share = |counts: &[usize; 5]| counts[1] * 10_000 / counts[0].max(1);
    rows.sort_by_key(|(language, counts)| (*language == "all", std::cmp::Reverse(share(counts)), *language));
    rows.into_iter()
        .map(|(language, [clear, unread, otherwise, others, acted])| {
            format!(
                "| `{language}` | {unread} of {clear} ({} %) | {otherwise} of {clear} | {acted} of {others} |",
                (unread * 100 + clear / 2) / clear.max(1)
            )
        })
        .collect()
}

#[test]
fn the_guide_has_the_figures_of_replies_that_nobody_had_read() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs/pocketflow.md");
    let page = std::fs::read_to_string(page).unwrap();
    for names in [&["open.tsv", "open2.tsv", "open3.tsv"][..], &["unseen.tsv"], &["unseen2.tsv"]] {
        let replies: Vec<Read> = names.iter().flat_map(|name| list(name)).collect();
        let rows = rows(&replies);
        println!("{names:?}\n{}", rows.join("\n"));
        if names[0].starts_with("unseen") {
            assert!(page.contains(&rows.join("\n")), "the guide has other figures for {names:?}");
        }
    }
}
