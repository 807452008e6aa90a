//! A model that thinks aloud before each answer: what it drafts there is no plan, no judgement and no text. The server is
//! scripted.

use graphloom_test_support::thinking::{DECOY, FORMS, aloud};
use serde_json::Value;

use crate::compatible::report;
use crate::planner::{CALLS, Scripted};
use crate::support::{TestDir, assert_report, text};

#[test]
fn drafts_in_thoughts_are_not_taken() {
    let dir = TestDir::new();
    let output = dir.run(&report(&Scripted::start().model(), &["--out", "plain"]));
    assert!(output.status.success(), "{}", text(&output.stderr));
    let plain: Value = serde_json::from_str(&dir.read("plain/run.json")).unwrap();
    for (number, form) in FORMS.into_iter().enumerate() {
        // What the templates ask for stands in the answer, not in `<think>`.
        let server = Scripted::saying(move |reply| aloud(form, &without_thoughts(&reply)));
        let out = format!("out-{number}");
        let thread = format!("thread-{number}");
        let output = dir.run(&report(&server.model(), &["--out", &out, "--thread", &thread]));
        assert!(output.status.success(), "{form:?}: {}", text(&output.stderr));
        assert_report(&dir.path(&out));
        assert_eq!(dir.read(&format!("{out}/report.md")), dir.read("plain/report.md"), "{form:?}");
        let run: Value = serde_json::from_str(&dir.read(&format!("{out}/run.json"))).unwrap();
        assert_eq!((&run["words"], &run["calls"]), (&plain["words"], &CALLS.into()), "{form:?}: {run:#}");
        assert!(!run.to_string().contains(DECOY), "{form:?}: {run:#}");
        // What was thought goes into no later prompt.
        let asked = server.requests().into_iter().map(|(_, body)| body.to_string());
        assert!(asked.into_iter().all(|body| !body.contains(DECOY)), "{form:?}");
    }
}

#[test]
fn thoughts_that_nothing_closes_are_no_text() {
    let dir = TestDir::new();
    let server = Scripted::but(|prompt| {
        let writes =
            prompt.contains("<article>") && prompt.contains("Say how the log is written :**You Need To Write**");
        writes.then(|| crate::planner::answer(&aloud(("<think>", ""), "<article>Never read.</article>")))
    });
    let output = dir.run(&report(&server.model(), &["--out", "out"]));
    let said = text(&output.stderr);
    let written = dir.path("out/report.md");
    let written = std::fs::read_to_string(written).unwrap_or_default();
    assert!(!written.contains(DECOY) && !written.contains("Never read") && !written.contains("<article>"), "{written}");
    assert!(said.contains("it held thoughts only, and no answer after them"), "{said}");
    assert_eq!(server.requests().len(), CALLS + 2, "three calls for the text of the part, in place of one: {said}");
}

/// A reply of the scripted planner without what it has in `<think>`.
fn without_thoughts(reply: &str) -> String {
    reply.rsplit("</think>").next().unwrap_or_default().to_owned()
}
