//! What conclusions rest on.

use std::collections::BTreeMap;

use base64::Engine;
use graphloom_deepsearch::state::{CitationMessage, Locale, Verdict};
use graphloom_deepsearch::trace::infer::{Inferred, Kind, Provenance, RawStep, Relation, draw, infer};
use proptest::prelude::*;

use super::setup::{in_node, model, outage};

fn citations() -> Vec<CitationMessage> {
    [
        ("log", "https://log.example/a", 1),
        ("sync", "https://sync.example/b", 2),
        ("third", "https://third.example/c", 3),
    ]
    .into_iter()
    .enumerate()
    .map(|(id, (title, url, number))| {
        let mut one = CitationMessage::default();
        one.id = u32::try_from(id).unwrap();
        one.reference_index = number;
        one.title = title.to_owned();
        one.url = url.to_owned();
        one.content = format!("Before. <mark>{title} says it</mark> After.");
        one.chunk = format!("Statement of {title} is here.");
        one.verdict = if id == 2 { Verdict::Contradicted } else { Verdict::Supported };
        one
    })
    .collect()
}

const TEXT: &str = "# Report\n\n# Abstract\n\nBoth hold.[checked_citation:0][[1]](u)\n\n# 1. Logs\n\nStatement of log is here.[checked_citation:0][[1]](https://log.example/a) \
    Statement of sync is here.[checked_citation:1][[2]](https://sync.example/b)\n\nTherefore both together survive a loss of power.\n\n# 2. Alone\n\nOnly one source is cited here.[checked_citation:0][[1]](https://log.example/a)\n\n# Conclusion\n\nEnd.\n";

async fn inferred(model: std::sync::Arc<dyn graphloom_llm::ChatModel>) -> Inferred {
    in_node(model, |cx| Box::pin(async move { infer(&cx, TEXT, &citations(), Locale::English).await })).await
}

#[tokio::test]
async fn a_conclusion_is_linked_with_its_graph() {
    let scripted = model(|prompt| {
        if prompt.contains("You find the one sentence") {
            assert!(
                prompt.contains("3. Therefore both together")
                    && prompt.contains("from: the title of the section\nLogs"),
                "{prompt}"
            );
            return "{\"sentence\":3}".into();
        }
        assert!(prompt.contains("log says it") && !prompt.contains("third says it"), "{prompt}");
        r#"{"relevant":[1,2],"inference":"From 《1》 and 《2》.","steps":[
            {"heads":["《1》"],"relation":"refer","tail":"The log comes first <b>"},
            {"heads":["《2》","《9》"],"relation":"refer","tail":"The disk is waited for"},
            {"heads":["The log comes first <b>","The disk is waited for"],"relation":"infer","tail":"Therefore both together survive a loss of power."},
            {"heads":["Nobody says so"],"relation":"infer","tail":"Therefore both together survive a loss of power."}
        ]}"#
        .into()
    });
    let found = inferred(scripted).await;
    assert!(
        found.content.contains("[Therefore both together survive a loss of power.](#inference:1)"),
        "{}",
        found.content
    );
    assert_eq!(found.content.matches("#inference:").count(), 1);
    assert_eq!(found.messages.len(), 1);
    let page = base64::engine::general_purpose::STANDARD.decode(&found.messages[0].html_base64).unwrap();
    let page = String::from_utf8(page).unwrap();
    assert!(
        page.contains("<svg")
            && page.contains("[1] log")
            && page.contains("The disk is waited")
            && page.contains("&lt;b&gt;")
    );
    assert!(!page.contains("Nobody says so"), "a statement without a source is no reason");
    assert!(!page.contains("<script") && !page.contains("<b>"));
    assert!(page.contains("supported from 2 independent places"));
}

#[tokio::test]
async fn no_conclusion_is_no_failure_and_an_outage_is_one() {
    let none = inferred(model(|_| "{\"sentence\":0}".into())).await;
    assert_eq!((none.content.as_str(), none.messages.len(), none.notices.len()), (TEXT, 0, 0));
    let out = inferred(outage()).await;
    assert_eq!(out.content, TEXT);
    assert_eq!(out.notices.iter().map(|notice| notice.code.code()).collect::<Vec<_>>(), [212_301]);
    let half = inferred(model(|prompt| {
        if prompt.contains("You find the one sentence") { "{\"sentence\":3}".into() } else { "nothing".into() }
    }));
    let half = half.await;
    assert_eq!(half.notices[0].code.code(), 212_302);
    assert_eq!(half.messages.len(), 1, "its citations are reasons all the same");
    let refused = inferred(model(|prompt| {
        if prompt.contains("You find the one sentence") {
            "{\"sentence\":3}".into()
        } else {
            r#"{"relevant":[1,2],"inference":"It cannot be inferred.","steps":[]}"#.into()
        }
    }));
    assert!(refused.await.messages.is_empty());
}

#[tokio::test]
async fn a_sentence_whose_mark_stands_before_its_full_stop_is_a_conclusion_too() {
    let text = TEXT.replace(
        "Therefore both together survive a loss of power.",
        "So both survive a loss of power[checked_citation:0][[1]](https://log.example/a)[checked_citation:1][[2]](https://sync.example/b).",
    );
    let scripted = model(|prompt| {
        if prompt.contains("You find the one sentence") {
            assert!(prompt.contains("3. So both survive a loss of power"), "{prompt}");
            return "{\"sentence\":3}".into();
        }
        r#"{"relevant":[1,2],"inference":"From 《1》 and 《2》.","steps":[
            {"heads":["《1》","《2》"],"relation":"infer","tail":"So both survive a loss of power"}]}"#
            .into()
    });
    let found = in_node(scripted, move |cx| {
        let text = text.clone();
        Box::pin(async move { infer(&cx, &text, &citations(), Locale::English).await })
    })
    .await;
    let linked = "[So both survive a loss of power](#inference:1)[checked_citation:0][[1]](https://log.example/a)\
                  [checked_citation:1][[2]](https://sync.example/b).";
    assert!(found.content.contains(linked), "{}", found.content);
    assert_eq!(found.messages.len(), 1);
}

#[tokio::test]
async fn copies_are_one_independent_place() {
    let mut copies = citations();
    for copy in &mut copies {
        copy.content =
            "The log is <mark>written before</mark> the pages, so that a crash loses no transaction at all.".into();
    }
    let scripted = model(|prompt| {
        if prompt.contains("You find the one sentence") {
            return "{\"sentence\":3}".into();
        }
        r#"{"relevant":[1,2],"inference":"From 《1》 and 《2》.","steps":[
            {"heads":["《1》","《2》"],"relation":"infer","tail":"Therefore both together survive a loss of power."}]}"#
            .into()
    });
    let found = in_node(scripted, move |cx| {
        let copies = copies.clone();
        Box::pin(async move { infer(&cx, TEXT, &copies, Locale::English).await })
    })
    .await;
    let page = base64::engine::general_purpose::STANDARD.decode(&found.messages[0].html_base64).unwrap();
    let page = String::from_utf8(page).unwrap();
    assert!(page.contains("supported from 1 independent place, contradicted by 0 records"), "{page}");
}

#[test]
fn calculations_are_done_again() {
    let step = |expression: &str| {
        let mut step =
            RawStep::new(vec!["《1》".into(), "《2》".into()], Relation::Formula, "It is 400 pages in all there.");
        step.expression = expression.to_owned();
        step
    };
    let records =
        BTreeMap::from([(1, ("a".into(), "https://a.example".into())), (2, ("b".into(), "https://b.example".into()))]);
    for (expression, holds) in [("1200/3 = 400", Some(true)), ("1200/4 = 400", Some(false)), ("a lot", None)] {
        let graph = Provenance::build("It is 400 pages in all there.", &records, &[step(expression)]);
        assert!(graph.edges().all(|(_, _, edge)| edge.holds == holds), "{expression}");
    }
}

fn step() -> impl Strategy<Value = RawStep> {
    let name = prop_oneof![
        (1_u32..6).prop_map(|n| format!("《{n}》")),
        "(alpha|beta|gamma|delta|omega) [a-e]{3} (one|two|three)"
    ];
    let relation = prop_oneof![Just(Relation::Refer), Just(Relation::Infer), Just(Relation::Contradict)];
    (prop::collection::vec(name.clone(), 0..4), relation, name)
        .prop_map(|(heads, relation, tail)| RawStep::new(heads, relation, tail))
}

proptest! {
    #[test]
    fn a_clean_graph_leads_from_records_to_the_conclusion(steps in prop::collection::vec(step(), 0..14)) {
        let records: BTreeMap<u32, (String, String)> =
            (1..5).map(|n| (n, (format!("record {n}"), format!("https://{n}.example")))).collect();
        let mut graph = Provenance::build("omega ccc three", &records, &steps);
        graph.clean();
        let nodes: BTreeMap<usize, Kind> = graph.nodes().map(|(at, node)| (at, node.kind)).collect();
        prop_assert_eq!(nodes.values().filter(|kind| **kind == Kind::Conclusion).count(), 1);
        for (at, kind) in &nodes {
            let into = graph.edges().filter(|(_, to, _)| to == at).count();
            let out = graph.edges().filter(|(from, ..)| from == at).count();
            match kind {
                Kind::Record => prop_assert!(into == 0 && out > 0),
                Kind::Statement => prop_assert!(into > 0 && out > 0),
                Kind::Conclusion => prop_assert_eq!(out, 0),
            }
        }
        prop_assert!(graph.parts().len() <= 1);
        let svg = draw(&graph);
        prop_assert_eq!(svg.matches("<rect").count(), nodes.len());
    }
}
