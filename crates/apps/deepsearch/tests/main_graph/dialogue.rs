//! Questions and outline rounds, with the payloads of the original.

use graphloom_deepsearch::state::{InteractionMode, Request};
use graphloom_deepsearch::stream::MessageEvent;
use graphloom_deepsearch::{Config, FEEDBACK, OUTLINE_FEEDBACK, SearchContext};
use serde_json::json;

use super::asking_run::AskingRun;
use super::model::{Main, follow, outline, quiet, runs};
use super::script::call;
use super::world::codes;

fn asking() -> Config {
    let mut config = quiet();
    config.workflow_human_in_the_loop = true;
    config
}

fn showing() -> Config {
    let mut config = quiet();
    config.outline_interaction_enabled = true;
    config
}

#[tokio::test(start_paused = true)]
async fn the_answer_to_the_questions_reaches_the_outline() {
    let main = Main::default();
    let mut talk = AskingRun::begin(&main, asking()).await;
    let streamed: String = talk.ended.of("generate_questions").concat();
    assert_eq!(streamed, "1. Which storks?\n2. Which years?\n3. For whom?");
    let waiting: Vec<_> = talk.ended.said.iter().filter(|m| m.event == MessageEvent::WaitingUserInput).collect();
    assert_eq!(waiting.len(), 1);
    assert_eq!(serde_json::to_value(waiting[0].message_type).unwrap(), "interrupt");
    assert!(talk.ended.said.iter().all(|message| message.content != "ALL END"), "the conversation goes on");

    talk.answer(FEEDBACK, json!({ "feedback": "white storks in spring" })).await;
    let again = talk.ended.said.iter().filter(|m| m.event == MessageEvent::WaitingUserInput).count();
    assert_eq!(again, 0, "the question is not told twice");
    let state = talk.ended.state();
    assert_eq!(state.user_feedback, "white storks in spring");
    assert!(main.prompts("outline")[0].contains("white storks in spring"));
    assert!(main.prompts("outline")[0].contains("Which years?"));
    assert_eq!(main.prompts("questions").len(), 1, "nothing is asked of the model again");
}

#[tokio::test(start_paused = true)]
async fn feedback_has_its_codes() {
    for (answer, expected) in [
        (json!({ "feedback": "" }), &["211702f"][..]),
        (json!(null), &["211702f"]),
        (json!({ "feedback": 7 }), &["211701f"]),
        (json!({ "feedback": "FINISH TASK" }), &[]),
    ] {
        let mut talk = AskingRun::begin(&Main::default(), asking()).await;
        talk.answer(FEEDBACK, answer.clone()).await;
        let state = talk.ended.state();
        assert_eq!(codes(&state.notices), expected, "{answer}");
        assert!(state.current_outline.is_none(), "{answer} ends the run");
        assert_eq!(talk.ended.said.last().unwrap().content, "ALL END");
    }
}

#[tokio::test(start_paused = true)]
async fn an_outline_is_commented_then_accepted() {
    let main = Main::default().on("changed", |_| {
        Ok(graphloom_llm::scripted::Reply::tools([call("generate_outline", outline("Storks and their nests"))]))
    });
    let mut talk = AskingRun::begin(&main, showing()).await;
    let comment = json!({ "interrupt_feedback": "revise_comment", "feedback": "more about nests" });
    talk.answer(OUTLINE_FEEDBACK, comment).await;
    assert!(talk.waits());
    assert!(main.prompts("changed")[0].contains("Round 1 feedback: more about nests"));
    assert!(main.prompts("changed")[0].contains("All about storks"), "the model sees the outline now");
    talk.answer(OUTLINE_FEEDBACK, json!({ "interrupt_feedback": "accepted", "feedback": "" })).await;
    let state = talk.ended.state();
    assert_eq!(state.current_outline.as_ref().unwrap().title, "Storks and their nests");
    assert_eq!(
        state.history_outlines.iter().map(|outline| outline.title.clone()).collect::<Vec<_>>(),
        ["All about storks"]
    );
    assert_eq!(state.outline_executed_num, 2);
    let round = state.outline_interactions.iter().next().unwrap();
    assert_eq!((round.interaction_mode, round.feedback.as_str()), (InteractionMode::ReviseComment, "more about nests"));
    assert_eq!(round.outline_before.as_ref().unwrap().title, "All about storks");
    assert!(talk.ended.of("outline_interaction").contains(&"Outline accepted."));
}

#[tokio::test(start_paused = true)]
async fn an_outline_of_the_user_needs_no_model() {
    let main = Main::default().down("revised");
    let mut talk = AskingRun::begin(&main, showing()).await;
    let own = json!({ "title": "Mine", "sections": [{ "id": "9", "title": "Only", "description": "one" }] });
    let payload = json!({ "interrupt_feedback": "revise_outline", "feedback": own.to_string() });
    talk.answer(OUTLINE_FEEDBACK, payload).await;
    talk.answer(OUTLINE_FEEDBACK, json!({ "interrupt_feedback": "accepted" })).await;
    let outline = talk.ended.state().current_outline.clone().unwrap();
    assert_eq!((outline.title.as_str(), outline.sections[0].id.as_str()), ("Mine", "1"));
    assert_eq!(codes(&talk.ended.state().notices), [""; 0]);
}

#[tokio::test(start_paused = true)]
async fn a_round_that_fails_keeps_the_outline_before() {
    for payload in [
        json!({ "interrupt_feedback": "revise_comment", "feedback": "better" }),
        json!({ "interrupt_feedback": "revise_outline", "feedback": "no outline at all" }),
    ] {
        let main = Main::default().down("changed").down("revised");
        let mut talk = AskingRun::begin(&main, showing()).await;
        talk.answer(OUTLINE_FEEDBACK, payload.clone()).await;
        assert!(talk.waits(), "{payload}: the outline is shown again");
        talk.answer(OUTLINE_FEEDBACK, json!({ "interrupt_feedback": "accepted" })).await;
        let state = talk.ended.state();
        assert_eq!(codes(&state.notices), ["211800w"], "{payload}");
        assert_eq!(state.current_outline.as_ref().unwrap().title, "All about storks");
    }
}

#[tokio::test(start_paused = true)]
async fn rounds_end_and_other_answers_end_the_run() {
    let mut config = showing();
    config.outline_interaction_max_rounds = 1;
    let mut talk = AskingRun::begin(&Main::default(), config).await;
    talk.answer(OUTLINE_FEEDBACK, json!({ "interrupt_feedback": "revise_comment", "feedback": "x" })).await;
    assert!(talk.ended.of("outline_interaction").contains(&"Maximum interaction rounds reached."));
    assert!(!talk.ended.state().final_result.response_content.is_empty());

    for (answer, expected) in [
        (json!({ "interrupt_feedback": "cancel" }), &[][..]),
        (json!("{ no json"), &["211701f"]),
        (json!({ "feedback": "x" }), &["211701f"]),
    ] {
        let mut talk = AskingRun::begin(&Main::default(), showing()).await;
        talk.answer(OUTLINE_FEEDBACK, answer.clone()).await;
        assert_eq!(codes(&talk.ended.state().notices), expected, "{answer}");
        assert!(talk.ended.state().report.is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn a_template_chooses_its_outliner() {
    let main = Main::default();
    let config = quiet();
    let mut request = Request::new("How common are storks?", config.clone());
    request.report_template = "# Numbers\n> Function: count them".into();
    let ended = follow(runs(&main, &config).thread("test").run(SearchContext::update().request(request))).await;
    assert_eq!(ended.state().report_template, "# Numbers\n> Function: count them");
    assert!(main.prompts("outline")[0].contains("after a given form"), "the template outliner is asked");
    assert!(main.prompts("outline")[0].contains("count them"));
    assert_eq!(ended.state().report.as_ref().unwrap().report_template, "# Numbers\n> Function: count them");
}
