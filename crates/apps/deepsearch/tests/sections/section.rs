//! One section: plans, writing, codes.

use graphloom_deepsearch::config::Config;
use graphloom_deepsearch::section::{SectionBrief, SectionState, graph};
use graphloom_llm::FinishReason;
use graphloom_llm::scripted::Reply;
use graphloom_retrieval::Fault;
use serde_json::json;

use super::script::{PromptKind, Script, plan};
use super::world::{Library, RunResult, codes, config, resources, run, section, web};

async fn work(script: &Script, library: &Library, config: Config) -> RunResult<SectionState> {
    let mut brief = SectionBrief::new(section("3", &[]), "How common are storks?", config);
    brief.report_title = "Storks".into();
    run(graph(), resources(script, web(library)), SectionState::update().brief(brief)).await
}

#[tokio::test]
async fn a_section_is_planned_collected_and_written() {
    let (script, library) = (Script::default(), Library::named("tavily"));
    let RunResult { state, said } = work(&script, &library, config()).await;
    assert_eq!(library.asked(), ["first of 3", "second of 3"], "one after the other");
    let plans = state.plan_list();
    assert_eq!(plans.iter().map(|plan| plan.id.as_str()).collect::<Vec<_>>(), ["3-1", "3-2"]);
    assert!(plans[1].is_research_completed);
    assert_eq!(plans[0].steps[1].step_result.as_deref(), Some("Summary of second of 3"));
    let second = &script.prompts(PromptKind::Plan)[1];
    assert!(
        second.contains("Summary of first of 3") && second.contains("good enough"),
        "the planner sees what was found"
    );
    let report = state.sub_report.as_ref().unwrap();
    assert_eq!(
        report.content.text,
        "# Chapter 3\n\n## One part\n\nA fact of the documents [citation:1]. More [citation:2]."
    );
    assert_eq!(report.content.summary, "What section 3 says.");
    assert_eq!(report.content.classified_content.len(), 4);
    assert_eq!((state.notices.len(), state.notes.len()), (0, 0), "{:?}", state.notes);

    let agents: Vec<_> = said.iter().filter(|message| !message.content.is_empty()).map(|m| m.agent.clone()).collect();
    let mut distinct = agents.clone();
    distinct.dedup();
    assert_eq!(distinct.first().map(String::as_str), Some("plan_reasoning"));
    assert_eq!(said.last().unwrap().content, "SECTION END");
    assert!(agents.iter().filter(|agent| *agent == "sub_reporter").count() > 1, "the text comes in pieces");
    assert!(said.iter().all(|message| message.place.section_idx == "3"));
}

#[tokio::test]
async fn plans_and_steps_are_limited() {
    let greedy = || {
        Script::default().on(PromptKind::Plan, |request| {
            let (_, number) = request.plan();
            let titles: Vec<String> = (0..5).map(|at| format!("step {number}.{at}")).collect();
            let steps: Vec<(&str, &[&str])> = titles.iter().map(|title| (title.as_str(), &[][..])).collect();
            Ok(plan(&steps))
        })
    };
    for (plans, steps) in [(1, 1), (2, 3), (3, 2)] {
        let (script, library, mut config) = (greedy(), Library::named("tavily"), config());
        config.workflow_max_plan_executed_num = plans;
        config.planner_max_step_num = steps;
        let state = work(&script, &library, config).await.state;
        assert_eq!(script.count(PromptKind::Plan), plans as usize);
        assert_eq!(library.asked().len(), (plans * steps) as usize);
        assert!(state.sub_report.is_some());
        assert!(state.notes.iter().any(|note| note.contains("of 5 steps the first")));
    }
}

#[tokio::test]
async fn what_goes_wrong_has_its_code_and_what_exists_is_written() {
    let dead = Fault::Down { reason: "status 503".into() };
    let late = |asked, from: usize| {
        Script::default().on(asked, move |request| {
            if request.number < from {
                let (section, _) = request.plan();
                return Ok(Reply::from(plan(&[(&format!("only of {section}"), &[])])));
            }
            Err(super::script::outage())
        })
    };
    let never_done = Script::default().always(PromptKind::Plan, json!({ "is_research_completed": false, "steps": [] }));
    let too_early = Script::default().always(PromptKind::Plan, json!({ "is_research_completed": true }));
    let uncited = Script::default().on(PromptKind::Write, |_| Ok("# T\n\nAll is well."));
    for (name, script, fault, expected, written) in [
        ("no plan at all", Script::default().down(PromptKind::Plan), None, vec!["211801e"], false),
        ("malformed plans", never_done, None, vec!["211801e"], false),
        ("complete before anything was found", too_early, None, vec!["211801e"], false),
        ("no second plan", late(PromptKind::Plan, 1), None, vec!["211801w"], true),
        (
            "nothing found",
            Script::default().on(PromptKind::Plan, |_| Ok(plan(&[("one", &[])]))),
            Some(dead),
            vec!["211304w", "211900w", "211304w", "211900w", "211901w"],
            false,
        ),
        ("no writer", Script::default().down(PromptKind::Write), None, vec!["212000w"], true),
        ("a writer that cites nothing", uncited, None, vec!["212000w"], true),
        ("no outline", Script::default().down(PromptKind::Outline), None, vec![], true),
        ("no summary", Script::default().down(PromptKind::Summarise), None, vec![], true),
    ] {
        let mut library = Library::named("tavily");
        library.fault = fault;
        let RunResult { state, said } = work(&script, &library, config()).await;
        assert_eq!(codes(&state.notices), expected, "{name}: {:?}", state.notices);
        assert_eq!(state.sub_report.is_some(), written, "{name}");
        assert_eq!(said.last().unwrap().content, "SECTION END", "{name}");
        if let Some(report) = &state.sub_report {
            assert!(report.content.text.contains("[citation:1]"), "{name}: {}", report.content.text);
            assert!(!report.content.summary.is_empty(), "{name}");
        }
    }
}

#[tokio::test]
async fn a_text_that_was_broken_off_is_told_in_the_notices_and_in_the_events() {
    for (finish, told) in [
        (FinishReason::Length, "ended at the limit of tokens"),
        (FinishReason::ContentFilter, "was broken off by the provider"),
        (FinishReason::Other("repetition_truncation".into()), "`repetition_truncation`"),
    ] {
        let script = Script::default().on(PromptKind::Write, move |_| {
            let text = Reply::text("# T\n\n## One part\n\nA fact [citation:1]. First, the");
            Ok(Reply { finish: finish.clone(), ..text })
        });
        let RunResult { state, said } = work(&script, &Library::named("tavily"), config()).await;
        assert_eq!((codes(&state.notices), script.count(PromptKind::Write)), (vec!["212000w".to_owned()], 1));
        let notice = state.notices.iter().next().unwrap();
        assert!(notice.message.contains(told) && notice.section.as_deref() == Some("3"), "{notice}");
        let ended = said.iter().find_map(|message| message.finish_reason.as_deref());
        assert!(ended.is_some_and(|ended| ended.contains(told)), "{ended:?}");
    }
}

#[tokio::test]
async fn a_text_of_quotations_takes_the_place_of_a_writer_that_is_down() {
    let script = Script::default().down(PromptKind::Write).down(PromptKind::Summarise);
    let state = work(&script, &Library::named("tavily"), config()).await.state;
    let content = &state.sub_report.as_ref().unwrap().content;
    for (number, found) in (1..).zip(&content.classified_content) {
        let marker = format!(" [citation:{number}]");
        for (before, _) in content.text.split('.').filter_map(|sentence| sentence.split_once(marker.as_str())) {
            let quoted = before.rsplit(['\n', ']']).next().unwrap().trim();
            assert!(found.text.contains(quoted), "`{quoted}` stands in document {number}");
        }
    }
    assert!(content.text.starts_with("# Chapter 3\n\n## One part\n\n"), "{}", content.text);
    assert!(!content.summary.contains('['), "{}", content.summary);
}

#[tokio::test]
async fn a_section_rests_on_the_documents_that_are_chosen() {
    let titles: Vec<String> = (0..3).map(|at| format!("s{at}")).collect();
    let script = Script::default()
        .on(PromptKind::Plan, move |_| {
            Ok(plan(&titles.iter().map(|title| (title.as_str(), &[][..])).collect::<Vec<_>>()))
        })
        .on(PromptKind::Classify, |request| {
            let shown = request.prompt.matches("from: document ").count();
            Ok(json!({ "chapter": "c", "documents": (1..=shown.min(2)).collect::<Vec<_>>() }))
        });
    let mut config = config();
    config.workflow_max_plan_executed_num = 1;
    config.sub_report_classify_doc_infos_single_time_num = 3;
    config.sub_report_classify_doc_infos_res_top_k_num = 2;
    let state = work(&script, &Library::named("tavily"), config.clone()).await.state;
    assert_eq!(script.count(PromptKind::Classify), 4, "two batches of three of six, then two of four");
    let chosen = &state.sub_report.as_ref().unwrap().content.classified_content;
    assert_eq!(chosen.len(), 2);

    let script =
        Script::default().on(PromptKind::Plan, |_| Ok(plan(&[("s0", &[]), ("s1", &[])]))).down(PromptKind::Classify);
    let state = work(&script, &Library::named("tavily"), config).await.state;
    let titles = state.sub_report.as_ref().unwrap().content.classified_content.iter().map(|found| found.title.as_str());
    assert_eq!(titles.collect::<Vec<_>>(), ["s0, north", "s1, north"], "the first of each query");
    assert!(state.notes.iter().any(|note| note.contains("chosen by their scores")), "{:?}", state.notes);
}

#[tokio::test]
async fn citations_of_documents_that_do_not_exist_are_removed() {
    let script = Script::default()
        .on(PromptKind::Write, |_| Ok("## 2. Two\n\nA [ citation: 1 ]. B [citation:77].\n\n# References\n\n1. x"));
    let state = work(&script, &Library::named("tavily"), config()).await.state;
    assert_eq!(state.sub_report.as_ref().unwrap().content.text, "# Chapter 3\n\n## Two\n\nA [citation:1]. B.");
    assert!(state.notes.iter().any(|note| note.contains("1 citations of documents")), "{:?}", state.notes);
}

#[tokio::test]
async fn a_malformed_section_outline_is_asked_for_three_times() {
    let script = Script::default().on(PromptKind::Outline, |_| Ok("3 T\n3.1 a\n3.1.1 too deep"));
    let state = work(&script, &Library::named("tavily"), config()).await.state;
    assert_eq!(script.count(PromptKind::Outline), 3);
    assert!(script.prompts(PromptKind::Outline)[1].contains("`3.1.1` is a third level"));
    assert!(state.notes.iter().any(|note| note.contains("it has no subtitles")), "{:?}", state.notes);
    assert!(state.sub_report.is_some());
}

#[tokio::test(start_paused = true)]
async fn a_section_without_time_makes_no_further_plan() {
    let script = Script::default().on(PromptKind::Plan, |request| {
        let (_, number) = request.plan();
        Ok(plan(&[(&format!("step {number}"), &[])]))
    });
    for (seconds, plans, expected) in [(15, 2, &["212414w"][..]), (60, 3, &[])] {
        let (mut library, mut config) = (Library::named("tavily"), config());
        library.delay = std::time::Duration::from_secs(10);
        config.workflow_max_plan_executed_num = 3;
        config.workflow_sub_graph_execution_timeout = seconds;
        let state = work(&script, &library, config).await.state;
        assert_eq!(
            (state.plan_list().len(), codes(&state.notices)),
            (plans, expected.iter().map(|c| (*c).to_owned()).collect())
        );
        assert!(state.sub_report.is_some(), "what was found is written");
    }
}
