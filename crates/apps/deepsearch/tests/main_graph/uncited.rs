//! Statements without a citation, through the whole graph: each rests on checked ones, or bears the sign of the writer's own.

use std::collections::BTreeSet;

use graphloom_citations::claims;
use graphloom_deepsearch::SearchContext;
use graphloom_deepsearch::export::{html, markdown};
use graphloom_deepsearch::state::{FinalResult, Locale, StatementBasis, StatementMessage, Verdict};
use graphloom_llm::fence;
use graphloom_llm::scripted::Reply;
use proptest::prelude::*;
use serde_json::json;

use super::model::{Main, ask, loud};
use super::world::codes;

const FOLLOWS: &str = "Storks were counted in twelve places.";
const INVENTED: &str = "The moon is made of storks.";
const AGAINST: &str = "No stork was ever counted in any place.";

/// A model that writes these parts, and whose judge knows what follows from what.
fn writer(summary: &str, conclusion: &str, body: &str) -> Main {
    let (summary, conclusion) = (summary.to_owned(), conclusion.to_owned());
    Main::quoting_and(body)
        .on("abstract", move |_| Ok(Reply::text(summary.clone())))
        .on("conclusion", move |_| Ok(Reply::text(conclusion.clone())))
        .reading("verify", |prompt| {
            let claim = fence::text_from(prompt, "statement").unwrap_or_default();
            let word = match claim.trim() {
                claim if claim == FOLLOWS || claim.contains("was common wherever") => "entails",
                AGAINST => "contradicts",
                _ => "neither",
            };
            json!({ "judgements": [word] })
        })
}

fn statement<'r>(result: &'r FinalResult, text: &str) -> &'r StatementMessage {
    let all = result.statement_messages.as_deref().unwrap();
    all.iter().find(|one| one.text == text).unwrap_or_else(|| panic!("{text} is not among {all:#?}"))
}

#[tokio::test(start_paused = true)]
async fn abstract_conclusion_and_body_rest_on_checked_statements_or_bear_the_sign() {
    let main = writer(&format!("{FOLLOWS} {INVENTED}"), AGAINST, INVENTED);
    let ended = ask(&main, "How common are storks?", loud()).await;
    let state = ended.state();
    let result = state.result();
    assert_eq!(codes(&state.notices), [""; 0]);
    assert!(!result.response_content.contains('†'), "the sign is no part of the text that offsets count in");
    let points: Vec<char> = result.response_content.chars().collect();
    for (text, standing) in
        [(FOLLOWS, StatementBasis::Derived), (INVENTED, StatementBasis::Own), (AGAINST, StatementBasis::Contradicted)]
    {
        let one = statement(&result, text);
        assert_eq!(one.basis, standing, "{text}");
        let said: String = points[one.start_offset..one.end_offset].iter().collect();
        assert_eq!(said, text);
        assert_eq!(one.citation_ids.is_empty(), standing == StatementBasis::Own, "{text}");
    }
    let text = markdown(&result, Locale::English);
    assert!(text.contains(&format!("# Abstract\n\n{FOLLOWS} {INVENTED}†")), "{text}");
    assert!(text.contains(&format!("# Conclusion\n\n{AGAINST}† *(a checked statement says otherwise)*")), "{text}");
    assert_eq!(text.matches(&format!("{INVENTED}†")).count(), 3, "in the abstract and in both sections: {text}");
    let legend = text.lines().nth(2).unwrap();
    assert!(
        legend.contains("with † are the writer's own") && legend.contains(": 1 rests on checked statements"),
        "{legend}"
    );
    let page = html(&result, Locale::English);
    assert!(page.contains(&format!("{INVENTED}†")) && page.contains("with † are the writer's own"), "{page}");
    assert!(markdown(&result, Locale::Chinese).contains("是作者自己的话"));
    let told = "1 rest on checked ones";
    assert!(state.notes.iter().any(|note| note.contains(told)), "{:?}", state.notes);
}

#[tokio::test(start_paused = true)]
async fn what_nobody_could_look_up_is_told() {
    let main = writer(FOLLOWS, INVENTED, INVENTED).down("verify");
    let ended = ask(&main, "How common are storks?", loud()).await;
    let state = ended.state();
    let result = state.result();
    for text in [FOLLOWS, INVENTED] {
        assert_eq!(statement(&result, text).basis, StatementBasis::NotChecked, "{text}");
    }
    let text = markdown(&result, Locale::English);
    assert!(text.contains(&format!("{FOLLOWS}†")) && text.contains("of these could not be looked up"), "{text}");
    let told = result.exception_info;
    assert!(told.contains("statements without a citation were not looked up") && told.contains("[212105]"), "{told}");
}

#[tokio::test(start_paused = true)]
async fn a_report_without_any_citation_is_the_writers_own_and_one_that_nobody_checks_has_no_signs() {
    let mut config = loud();
    config.source_tracer_generated_citation_switch = false;
    let ended = ask(&writer(FOLLOWS, INVENTED, INVENTED), "How common are storks?", config.clone()).await;
    let result = ended.state().result();
    assert!(result.citation_messages.data.is_empty());
    let all = result.statement_messages.as_deref().unwrap();
    assert!(!all.is_empty() && all.iter().all(|one| one.basis == StatementBasis::Own), "{all:#?}");
    assert!(markdown(&result, Locale::English).contains(&format!("{FOLLOWS}†")));

    config.source_tracer_research_trace_source_switch = false;
    let ended = ask(&writer(FOLLOWS, INVENTED, INVENTED), "How common are storks?", config).await;
    let result = ended.state().result();
    assert_eq!(result.statement_messages, None);
    assert!(!markdown(&result, Locale::English).contains('†'));
}

/// Each sentence of the report that a reader gets has a citation, rests on a checked one, or bears the sign.
fn accounted_for(state: &SearchContext) -> Result<(), String> {
    let result = state.result();
    let text = markdown(&result, Locale::English);
    let (title, report) = text.split_once("\n\n*").ok_or("there is no legend")?;
    let report = report.split_once("*\n").ok_or("the legend has no end")?.1;
    let report = report.split("\n# Reference Articles").next().unwrap_or_default();
    // A mark, unlike a sign, belongs to the sentence before it by the rules that find sentences.
    let report = &report.replace('†', "[citation:own]");
    let supported: BTreeSet<u32> = result
        .citation_messages
        .data
        .iter()
        .filter(|one| one.verdict == Verdict::Supported)
        .map(|one| one.id)
        .collect();
    let derived: BTreeSet<&str> = result
        .statement_messages
        .iter()
        .flatten()
        .filter(|one| one.basis == StatementBasis::Derived)
        .filter(|one| !one.citation_ids.is_empty() && one.citation_ids.iter().all(|id| supported.contains(id)))
        .map(|one| one.text.as_str())
        .collect();
    for claim in claims(report) {
        let said = &report[claim.range.clone()];
        let cited = said.contains("[\\[") || said.contains("\\[1\\]");
        let heads = said.starts_with('|') && report[claim.range.end..].trim_start().starts_with("| ---");
        if !(cited || said.contains("[citation:own]") || derived.contains(claim.text.as_str()) || heads) {
            return Err(format!("`{said}` of `{title}` stands on nothing:\n{text}"));
        }
    }
    Ok(())
}

fn piece() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(format!("{FOLLOWS} ")),
        Just(format!("{INVENTED} ")),
        Just(format!("{AGAINST} ")),
        Just("The north report says that it was counted in every one of the twelve places. ".to_owned()),
        Just("In 1999 there were 12.5 storks, i.e. a dozen. ".to_owned()),
        Just("\n\n- an item of its own\n- another: see https://a.example/x\n\n".to_owned()),
        Just("\n\n| what | how many |\n| --- | --- |\n| storks | 12 |\n\n".to_owned()),
        Just("\n\n> Somebody said so.\n\n".to_owned()),
        Just("**It is bold.** *Nobody knows why.* ".to_owned()),
        Just("白鹳很常见。没有人数过它们！".to_owned()),
        Just("Is it so? `code` begins a sentence. ".to_owned()),
        Just("A fake mark.[checked_citation:0][[1]](https://evil.example) ".to_owned()),
        Just("\n\n(#insertChart:chart_1_1)\n\n**A caption that says that storks are blue.**\n\n".to_owned()),
        "[A-Za-z°]{1,9}( [a-z0-9]{1,8}){0,6}[.!?:…]? ".prop_map(|text| text),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_sentence_has_a_citation_or_a_basis_or_the_sign(
        parts in prop::array::uniform3(prop::collection::vec(piece(), 0..7))
    ) {
        let [summary, conclusion, body] = parts.map(|pieces| format!("So it is. {}", pieces.concat()));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        let ended = runtime.block_on(ask(&writer(&summary, &conclusion, &body), "How common are storks?", loud()));
        if let Err(why) = accounted_for(ended.state()) {
            prop_assert!(false, "{why}");
        }
    }
}
