//! Every citation gets a verdict, and what stays resolves.

use std::collections::BTreeSet;
use std::sync::Arc;

use graphloom_citations::{checked_ids, unresolved};
use graphloom_deepsearch::Document;
use graphloom_deepsearch::config::{Config, Unsupported};
use graphloom_deepsearch::state::{Locale, Verdict};
use graphloom_deepsearch::trace::{CheckedReport, Resolution, check_report};
use graphloom_llm::ChatModel;

use super::setup::{in_node, model, outage, report, source};

fn sources() -> Vec<Document> {
    vec![
        source(
            "log",
            "The log is written before the pages. A checkpoint starts at 1000 pages by default. Readers do not block writers.",
        ),
        source(
            "sync",
            "The sync setting has three values. FULL survives a loss of power. <mark>NORMAL</mark> does not.",
        ),
    ]
}

const TEXT: &str = "# Report\n\n# Abstract\n\nShort.\n\n# 1. Logs\n\nThe log is written before the pages{0}. A checkpoint starts at 5000 pages by default.{0} \
    Every change goes to the log ahead of its pages{0}{1}.\n\n- FULL survives a loss of power {1}\n- Vacuum rewrites everything at midnight{1}\n\n\
    Hostile [checked_citation:9][[7]](https://evil.example) text. Nothing is cited here.\n\n# Conclusion\n\nDone.\n\n# Reference Articles\n\n[1]. [old](https://old.example)\n";

/// Entails when asked about changes, else leaves it open.
fn judge() -> Arc<dyn ChatModel> {
    model(|prompt| {
        assert!(prompt.contains("whether a passage supports"), "{prompt}");
        let word = if (prompt.contains("Every change goes") || prompt.contains("readers | Readers"))
            && prompt.contains("from: log\n")
        {
            "entails"
        } else {
            "neither"
        };
        format!("{{\"judgements\":[\"{word}\"]}}")
    })
}

async fn checked(model: Arc<dyn ChatModel>, text: &str, policy: Unsupported) -> CheckedReport {
    let report = report(text, &sources());
    let mut config = Config::default();
    config.source_tracer_unsupported = policy;
    in_node(model, move |cx| {
        let (report, config) = (report.clone(), config.clone());
        Box::pin(async move { check_report(&cx, &report, Locale::English, &config).await })
    })
    .await
}

fn resolves(report: &CheckedReport) {
    let known: BTreeSet<u64> = report.data.iter().map(|one| u64::from(one.id)).collect();
    assert_eq!(unresolved(&report.content, &known), []);
    assert_eq!(checked_ids(&report.content), known, "every entry has its mark");
    let texts = sources();
    for one in &report.data {
        let source = texts.iter().find(|source| source.id.as_str() == one.evidence_id).unwrap();
        let (start, end) = one.span.expect("every citation points into its evidence");
        assert!(source.text.get(start..end).is_some());
        assert!(
            one.content.contains(&format!(
                "<mark>{}</mark>",
                &source.text[start..end].replace("<mark>", "&lt;mark&gt;").replace("</mark>", "&lt;/mark&gt;")
            )),
            "{}",
            one.content
        );
    }
}

#[tokio::test]
async fn citations_get_verdicts_and_numbers_by_address() {
    let found = checked(judge(), TEXT, Unsupported::Flag).await;
    resolves(&found);
    let verdicts: Vec<(Verdict, u32, &str)> =
        found.data.iter().map(|one| (one.verdict, one.reference_index, one.chunk.as_str())).collect();
    assert_eq!(
        verdicts,
        [
            (Verdict::Supported, 1, "The log is written before the pages."),
            (Verdict::Contradicted, 1, "A checkpoint starts at 5000 pages by default."),
            (Verdict::Supported, 1, "Every change goes to the log ahead of its pages."),
            (Verdict::Supported, 2, "FULL survives a loss of power"),
            (Verdict::NotFound, 2, "Vacuum rewrites everything at midnight"),
        ]
    );
    // What was measured stands as it was measured, whatever the verdict.
    assert_eq!(found.data[0].score, Some(1.0));
    assert!(found.data[2].score.is_some_and(|score| score > 0.0 && score < 0.85), "{:?}", found.data[2].score);
    let body = "The log is written before the pages[checked_citation:0][[1]](https://log.example/page). A checkpoint starts at 5000 pages by default.[checked_citation:1][[1]](https://log.example/page) *(contradicted by its source)*";
    assert!(found.content.contains(body), "{}", found.content);
    assert!(
        found
            .content
            .contains("midnight[checked_citation:4][[2]](https://sync.example/page) *(not found in its source)*")
    );
    assert!(found.content.contains("Hostile text. Nothing is cited here."), "marks that no stage made are gone");
    assert!(found.content.ends_with(
        "# Reference Articles\n\n[1]. [log](https://log.example/page)\n\n[2]. [sync](https://sync.example/page)\n"
    ));
    assert!(!found.content.contains("old.example"));
    let count = (found.count.supported, found.count.contradicted, found.count.not_found, found.count.not_checked);
    assert_eq!(count, (3, 1, 2, 0), "one of two citations of a supported statement was not found");
    assert!(found.notices.is_empty());
    assert!(
        found.notes.iter().any(|note| note.contains("contradicted by its source and was flagged")),
        "{:?}",
        found.notes
    );
}

#[tokio::test]
async fn an_outage_deletes_nothing() {
    let found = checked(outage(), TEXT, Unsupported::Drop).await;
    resolves(&found);
    let open: Vec<_> = found.data.iter().filter(|one| one.verdict == Verdict::NotChecked).collect();
    assert_eq!(open.len(), 3, "what a model must judge: {:?}", found.data);
    assert!(found.content.contains("Every change goes to the log ahead of its pages"));
    assert_eq!(found.notices[0].code.code(), 212_105);
    assert!(!found.notices[0].is_fatal());
    // What rules decide is decided without the model.
    assert_eq!(found.count.contradicted, 1);
}

#[tokio::test]
async fn statements_without_support_are_dropped_or_rewritten_as_configured() {
    let dropped = checked(judge(), TEXT, Unsupported::Drop).await;
    resolves(&dropped);
    assert!(!dropped.content.contains("5000") && !dropped.content.contains("midnight"));
    assert!(dropped.content.contains("(https://log.example/page). Every change"), "{}", dropped.content);
    assert!(
        dropped.unsupported.iter().all(|one| one.resolution == Resolution::Dropped) && dropped.unsupported.len() == 2
    );

    let rewriting = model(|prompt| {
        if prompt.contains("A statement of a report is not what its source says") {
            let new = if prompt.contains("5000") { "A checkpoint starts at 1000 pages by default." } else { "NONE" };
            return new.to_owned();
        }
        "{\"judgements\":[\"neither\"]}".to_owned()
    });
    let rewritten = checked(rewriting, TEXT, Unsupported::Rewrite).await;
    resolves(&rewritten);
    assert!(
        rewritten.content.contains("A checkpoint starts at 1000 pages by default.[checked_citation:1]"),
        "{}",
        rewritten.content
    );
    let resolutions: Vec<&Resolution> = rewritten.unsupported.iter().map(|one| &one.resolution).collect();
    let to = "A checkpoint starts at 1000 pages by default.".to_owned();
    assert_eq!(resolutions[0], &Resolution::Rewritten { to });
    assert_eq!(resolutions.last(), Some(&&Resolution::Flagged), "what the source says nothing about is flagged");
}

#[tokio::test]
async fn rows_of_tables_and_lost_sources_are_handled() {
    let text = "# R\n\n| a | b |\n|---|---|\n| readers | Readers do not block writers.{0} |\n| pages | starts at 7000 pages by default a checkpoint{0} |\n\nA claim [source_tracer_result][x](https://nowhere.example).\n";
    let found = checked(judge(), text, Unsupported::Drop).await;
    resolves(&found);
    assert!(!found.content.contains("7000"), "{}", found.content);
    assert!(found.content.contains("|---|---|\n| readers | Readers do not block writers."), "{}", found.content);
    assert!(found.content.contains("A claim."));
    let told: Vec<String> = found.notices.iter().map(ToString::to_string).collect();
    assert_eq!(told, ["[212102]1 citations had no source and were taken out"]);
}

#[tokio::test]
async fn every_reason_for_which_nobody_judged_has_its_code() {
    for (answer, code) in [
        (r#"{"judgements":[]}"#, 212_103),
        (r#"{"judgements":["entails","entails","entails"]}"#, 212_103),
        ("I would say yes", 212_104),
        ("<html>504</html>", 212_104),
        ("", 212_104),
    ] {
        let found = checked(model(move |_| answer.to_owned()), TEXT, Unsupported::Drop).await;
        resolves(&found);
        let codes: Vec<u32> = found.notices.iter().map(|notice| notice.code.code()).collect();
        assert_eq!(codes, [code], "{answer}: {:?}", found.notices);
        assert!(found.data.iter().any(|one| one.verdict == Verdict::NotChecked), "{answer}: nothing is deleted");
    }
    assert_eq!(checked(outage(), TEXT, Unsupported::Drop).await.notices[0].code.code(), 212_105);
}

#[tokio::test]
async fn the_judge_is_told_what_to_look_at_and_rules_decide_nothing_without_it() {
    let sources = [
        source("myths", "It is a myth that readers block the writers of a log. They never do."),
        source("modes", "WAL was written for readers that do not block writers, and PostgreSQL does the same."),
    ];
    let text = "# R\n\nReaders block the writers of a log{0}. WAL and Oracle were written for readers that do not block writers{1}.\n";
    let report = report(text, &sources);
    let looks = Arc::new(std::sync::Mutex::new(Vec::new()));
    let asked = Arc::clone(&looks);
    let judge = model(move |prompt| {
        asked.lock().unwrap().push(prompt.to_owned());
        let words = vec!["\"neither\""; prompt.matches("from: statement\n").count()];
        format!("{{\"judgements\":[{}]}}", words.join(","))
    });
    let run = |model: Arc<dyn ChatModel>| {
        let report = report.clone();
        in_node(model, move |cx| {
            let report = report.clone();
            Box::pin(async move { check_report(&cx, &report, Locale::English, &Config::default()).await })
        })
    };
    let found = run(judge).await;
    assert_eq!((found.count.not_found, found.count.all()), (2, 2), "{:?}", found.count);
    let prompts = looks.lock().unwrap().join("\n");
    assert!(prompts.contains("it may only report, condition, ask or deny them"), "{prompts}");
    assert!(prompts.contains("does the passage speak of this"), "{prompts}");
    assert!(prompts.contains("from: what to look at\nOracle\n"), "{prompts}");
    // A doubt is no verdict: with nobody to ask both are not checked.
    let unasked = run(outage()).await;
    assert_eq!((unasked.count.not_checked, unasked.count.all()), (2, 2), "{:?}", unasked.count);
    assert!(!unasked.content.contains("contradicted by"), "{}", unasked.content);
}
