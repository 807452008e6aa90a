//! Dependent reasoning and writing: steps that need others, background, what cannot be satisfied.

use std::time::Duration;

use graphloom_deepsearch::config::ExecutionMethod;
use graphloom_deepsearch::dependency::{reasoning, writing};
use graphloom_deepsearch::section::{ParentSummary, SectionBrief, SectionState, StepNote};
use graphloom_deepsearch::state::Plan;
use serde_json::{Value, json};

use super::script::{PromptKind, Script, plan};
use super::world::{Library, RunResult, codes, config, document, resources, run, section, web};

fn brief() -> SectionBrief {
    let mut config = config();
    config.workflow_max_plan_executed_num = 1;
    config.planner_max_step_num = 6;
    let mut brief = SectionBrief::new(section("2", &["1"]), "How common are storks?", config);
    brief.method = ExecutionMethod::DependencyDriving;
    let mut note = StepNote::default();
    note.id = "1-1-1".into();
    note.title = "where storks live".into();
    note.content = "Storks live near rivers.".into();
    note.evaluation = "It is known where.".into();
    brief.step_background = vec![note];
    brief
}

async fn reason(planned: Value) -> (RunResult<SectionState>, Script, Library, Duration) {
    let script = Script::default().always(PromptKind::Plan, planned);
    let mut library = Library::named("tavily");
    library.delay = Duration::from_secs(10);
    let began = tokio::time::Instant::now();
    let input = SectionState::update().brief(brief());
    let ran = run(reasoning(), resources(&script, web(&library)), input).await;
    (ran, script, library, began.elapsed())
}

#[tokio::test(start_paused = true)]
async fn a_diamond_of_steps_runs_as_early_as_it_can() {
    let diamond = plan(&[("top", &["1-1-1"]), ("left", &["1"]), ("right", &["2-1-1"]), ("bottom", &["2", "3"])]);
    let (ran, script, library, took) = reason(diamond).await;
    assert_eq!(took, Duration::from_secs(30), "left and right at the same time");
    let asked = library.asked();
    assert_eq!((asked[0].as_str(), asked[3].as_str()), ("top", "bottom"));
    let steps = &ran.state.plan_list()[0].steps;
    let built_on: Vec<_> = steps.iter().map(|step| step.background_knowledge.join(" ")).collect();
    assert_eq!(built_on, ["1-1-1", "2-1-1", "2-1-1", "2-1-2 2-1-3"]);
    // What a step is asked with is what its own parents found, and nothing of its siblings.
    let prompt = |title: &str| {
        let about = format!("\n{title}\nall about {title}\n");
        script.prompts(PromptKind::Sum).into_iter().find(|prompt| prompt.contains(&about)).unwrap()
    };
    assert!(prompt("top").contains("Storks live near rivers."));
    assert!(prompt("left").contains("Summary of top") && !prompt("left").contains("right"));
    assert!(prompt("bottom").contains("Summary of left") && prompt("bottom").contains("Summary of right"));
    assert!(script.prompts(PromptKind::Plan)[0].contains("step 1-1-1"), "the planner sees the parents' steps");
    assert!(script.prompts(PromptKind::Plan)[0].contains("It is known where."));
    for step in steps {
        let own = step.retrieval_queries.iter().flat_map(|query| &query.doc_infos).count();
        assert_eq!(own, 2, "each step has documents of its own");
    }
    assert_eq!(codes(&ran.state.notices), [""; 0]);
    assert!(ran.said.iter().all(|message| message.content != "SECTION END"), "the section ends when it is written");
}

#[tokio::test(start_paused = true)]
async fn steps_that_can_never_begin_are_named() {
    let lost = plan(&[("a", &[]), ("b", &["7-7-7"]), ("c", &["2"]), ("d", &["5"]), ("e", &["4"]), ("f", &["f"])]);
    let (ran, _, library, _) = reason(lost).await;
    assert_eq!(library.asked(), ["a"]);
    let told: Vec<String> = ran.state.notices.iter().map(ToString::to_string).collect();
    assert_eq!(codes(&ran.state.notices), ["211900w"; 5]);
    assert_eq!(told[0], "[211900]section 2: step `2-1-2` (b) was left out: it needs `7-7-7`, which no step provides");
    assert!(told[1].contains("`2-1-3` (c)") && told[1].contains("`2-1-2`"), "{}", told[1]);
    assert_eq!(ran.state.plan_list()[0].steps[1].step_result, None);
}

#[tokio::test]
async fn writing_builds_on_what_its_parents_say() {
    let script = Script::default();
    let mut brief = brief();
    let mut parent = ParentSummary::default();
    parent.section_id = "1".into();
    parent.title = "Chapter 1".into();
    parent.content_summary = "Storks live near rivers, as chapter 1 shows.".into();
    brief.parents = vec![parent];
    let found = document("storks", "north");
    let planned: Plan = serde_json::from_value(json!({
        "id": "2-1",
        "steps": [{ "id": "2-1-1", "title": "storks", "retrieval_queries": [{ "query": "storks", "doc_infos": [found.id] }] }],
    }))
    .unwrap();
    let input = SectionState::update()
        .brief(brief)
        .plans([(1, planned)])
        .evidence([(found.id.as_str().to_owned(), found.clone())]);
    let library = Library::named("tavily");
    let ran = run(writing(), resources(&script, web(&library)), input).await;
    assert_eq!((library.asked().len(), script.count(PromptKind::Plan)), (0, 0), "writing searches nothing");
    for asked in [PromptKind::Outline, PromptKind::Write] {
        assert!(script.prompts(asked)[0].contains("as chapter 1 shows"), "{asked:?}");
    }
    let report = ran.state.sub_report.as_ref().unwrap();
    assert_eq!(report.background_knowledge[0].0, "1");
    assert_eq!(ran.said.last().unwrap().content, "SECTION END");
}
