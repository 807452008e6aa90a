//! One conversation, from its topic to its notification, through four kills.

use serde_json::Value;

use super::dir::{THREAD, TestDir, text};

const TOPIC: &str = "full-text search with an inverted index";
const NO_QUERIES: &str = "too general, I care about compression";
const NO_PROPOSAL: &str = "say more about the time of a query";
/// Kills while a turn was going on.
const KILLS_INSIDE: usize = 3;
/// The exit status of a conversation that waits for the person.
const WAITING: i32 = 3;

#[test]
fn the_whole_example_conversation_survives_kills_between_and_inside_turns() {
    let mut dir = TestDir::new();

    // Inside the making of queries.
    dir.kill_after(&["say", THREAD, TOPIC], "queries/");
    let shown = goes_on(&mut dir);
    assert!(shown.contains(&format!("These are the queries for {TOPIC}")), "{shown}");

    // Between two turns: the queries are rejected, made again and shown; then the process is killed while it listens.
    dir.kill_between_turns(&format!("reject: {NO_QUERIES}"), "These are the queries");
    assert!(asked(&dir, "You write search queries", NO_QUERIES), "the reason reaches the next attempt");

    // The queries that the killed process may not have shown are shown.
    assert!(goes_on(&mut dir).contains("These are the queries"));

    // Inside the reading of records, and of the proposal.
    dir.kill_after(&["say", THREAD, "approve"], "extract/");
    dir.kill_after(&["resume", THREAD], "proposal/");
    let shown = goes_on(&mut dir);
    assert!(shown.contains("This is the proposal") && shown.contains("is a small model"), "{shown}");
    assert!(!asked(&dir, "one part of a research proposal", NO_PROPOSAL));

    let output = dir.run(&["say", THREAD, &format!("reject: {NO_PROPOSAL}")]);
    assert_eq!(output.status.code(), Some(WAITING), "{}", text(&output.stderr));
    assert!(asked(&dir, "one part of a research proposal", NO_PROPOSAL), "the reason reaches the next attempt");

    let output = dir.run(&["say", THREAD, "approve"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("The proposal is done"));

    let session = session(&dir);
    assert_eq!(session["status"], "complete");
    let rules: Vec<&str> =
        session["journey"].as_array().unwrap().iter().map(|step| step["rule"].as_str().unwrap()).collect();
    let expected = [
        "topic-named",
        "queries-made",
        "queries-rejected",
        "queries-made",
        "queries-approved",
        "literature-read",
        "gap-found",
        "proposal-written",
        "report-rejected",
        "proposal-written",
        "report-approved",
    ];
    assert_eq!(rules, expected);
    assert_citations(&session["artifacts"]["proposal"]["value"]);
    assert_exported(&dir.look(&["export", THREAD]));
    assert_nothing_was_paid_twice(&dir);
}

/// Ends the turn that was cut off; the conversation waits then.
fn goes_on(dir: &mut TestDir) -> String {
    let output = dir.run(&["resume", THREAD]);
    assert_eq!(output.status.code(), Some(WAITING), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// Whether the model was asked something with these words in it.
fn asked(dir: &TestDir, prompt: &str, words: &str) -> bool {
    dir.requests().iter().any(|request| request.contains(prompt) && request.contains(words))
}

fn session(dir: &TestDir) -> Value {
    let printed = dir.look(&["inspect", THREAD, "--json"]);
    let last: Value = serde_json::from_str(printed.lines().last().unwrap()).unwrap();
    last["result"]["session"].clone()
}

/// Every mark has a reference, every reference a mark, and what is quoted stands in the record that is named for it.
fn assert_citations(proposal: &Value) {
    let references = proposal["references"].as_array().unwrap();
    let mut cited = std::collections::BTreeSet::new();
    let mut quoted = 0;
    for section in proposal["sections"].as_array().unwrap() {
        let (heading, text) = (section["heading"].as_str().unwrap(), section["text"].as_str().unwrap());
        let marks = marks(text);
        cited.extend(marks.iter().map(|(_, number)| *number));
        for (sentence, number) in marks {
            let reference = references.iter().find(|reference| reference["number"] == number);
            let record = &reference.unwrap_or_else(|| panic!("[{number}] has no reference"))["record"];
            let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
            let source = words(record["abstract"].as_str().unwrap());
            assert!(source.contains(&words(sentence)), "{heading}: {sentence:?} does not stand in {source}");
            quoted += 1;
        }
    }
    assert!(quoted > 0 && cited.len() == references.len(), "{proposal:#}");
}

/// The marks of a text with the sentence before each.
fn marks(text: &str) -> Vec<(&str, u64)> {
    let mut found = Vec::new();
    let mut begin = 0;
    for (at, _) in text.match_indices('[') {
        // A blank for the person is no mark.
        if !text[at + 1..].starts_with(|c: char| c.is_ascii_digit()) {
            continue;
        }
        let end = at + text[at..].find(']').unwrap();
        let before = text[begin..at].trim();
        let sentence = before.rfind(['.', '!', '?']).map_or(before, |stop| before[stop + 1..].trim());
        found.push((sentence, text[at + 1..end].parse().unwrap()));
        begin = end + 1;
    }
    found
}

/// The exported text has all of its references under their heading.
fn assert_exported(text: &str) {
    let (body, references) = text.split_once("## References").unwrap();
    let marks = marks(body);
    assert!(!marks.is_empty(), "{text}");
    for (_, number) in marks {
        assert!(references.contains(&format!("\n{number}. ")), "[{number}] in {text}");
    }
}

/// No committed call was committed again; what was asked twice was in flight when a process was killed.
fn assert_nothing_was_paid_twice(dir: &TestDir) {
    let committed = dir.committed();
    assert!(committed.len() > 10, "{committed:?}");
    let repeated: Vec<_> = committed.iter().filter(|(_, times)| **times > 1).collect();
    assert!(repeated.is_empty(), "{repeated:?}");
    assert!(dir.log().contains("model call taken from the record"));
    let requests = dir.requests();
    let distinct: std::collections::BTreeSet<_> = requests.iter().collect();
    assert!(requests.len() - distinct.len() <= KILLS_INSIDE, "{} of {}", distinct.len(), requests.len());
}
