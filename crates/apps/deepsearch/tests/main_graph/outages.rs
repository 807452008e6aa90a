//! A model that is out for one kind of question: the run ends with the code of the node, or it is told and the report is
//! delivered all the same.

use graphloom_deepsearch::feedback::USER_FEEDBACK;
use graphloom_deepsearch::{FEEDBACK, OUTLINE_FEEDBACK};
use serde_json::{Value, json};

use super::asking_run::AskingRun;
use super::model::{Main, loud};
use super::script::PromptKind;
use super::world::codes;

/// What a person answers, turn by turn: one round about the outline, and each kind of change.
fn answer(key: &str, question: &Value, turn: usize) -> Value {
    if key == FEEDBACK {
        return json!({ "feedback": "white storks" });
    }
    if key == OUTLINE_FEEDBACK {
        let action = if turn == 0 { "revise_comment" } else { "accepted" };
        return json!({ "interrupt_feedback": action, "feedback": "more" });
    }
    assert_eq!(key, USER_FEEDBACK);
    let report = question["response_content"].as_str().unwrap();
    let actions = ["expand", "shorten", "polish", "supplementary_search", "new_task"];
    let Some(action) = actions.get(turn) else { return json!({ "action": "finish" }) };
    // The title is written anew; searches and tasks are about a section.
    let title = report.lines().next().unwrap().trim_start_matches("# ");
    let text = if turn < 3 { title } else { "# 1. Alpha" };
    let start = report[..report.find(text).unwrap()].chars().count();
    let scope = if *action == "supplementary_search" { json!("selected_and_related") } else { json!(null) };
    json!({
        "action": action, "selected_text": text, "rewrite_scope": scope,
        "start_offset": start, "end_offset": start + text.chars().count(),
    })
}

/// A whole run with everything on.
async fn converse(main: &Main) -> AskingRun {
    let mut config = loud();
    config.workflow_human_in_the_loop = true;
    config.outline_interaction_enabled = true;
    config.user_feedback_processor_enable = true;
    // Fewer documents than there are, so that they are chosen.
    config.sub_report_classify_doc_infos_res_top_k_num = 2;
    let mut talk = AskingRun::begin(main, config).await;
    let mut turns = std::collections::BTreeMap::<String, usize>::new();
    while talk.waits() {
        let (key, question) = talk.question();
        let turn = turns.entry(key.clone()).or_default();
        let given = answer(&key, &question, *turn);
        *turn += 1;
        talk.answer(&key, given).await;
    }
    talk
}

/// Each outage, and the code that ends the run; none where the report is delivered.
const MAIN: [(&str, Option<&str>); 20] = [
    ("entry", Some("211600f")),
    ("questions", Some("211700f")),
    ("outline", Some("211800f")),
    ("changed", None),
    ("transition", None),
    ("abstract", None),
    ("conclusion", None),
    ("recognise", None),
    ("match", None),
    ("verify", None),
    ("concludes", None),
    ("inference", None),
    ("places", None),
    ("data", None),
    ("expand", None),
    ("shorten", None),
    ("polish", None),
    ("task", None),
    ("assess", None),
    ("compose", None),
];

/// What every model says that is out.
const SAYS: &str = "nothing left";

#[tokio::test(start_paused = true)]
async fn an_outage_in_any_node_is_told_and_a_report_that_exists_is_delivered() {
    for (name, ends) in MAIN {
        let main = Main::quoting().down(name);
        let talk = converse(&main).await;
        assert!(!main.prompts(name).is_empty(), "{name} is asked");
        check(name, &talk, ends);
    }
    for (asked, _) in PromptKind::ALL {
        let mut main = Main::quoting();
        main.sections = main.sections.down(asked);
        let talk = converse(&main).await;
        assert!(main.sections.count(asked) > 0, "{asked:?} is asked");
        // Without a single plan nothing is looked for, so no section has a text.
        check(&format!("{asked:?}"), &talk, (asked == PromptKind::Plan).then_some("211502f"));
    }
}

fn check(name: &str, talk: &AskingRun, ends: Option<&str>) {
    let state = talk.ended.state();
    let told = state.notices.iter().map(ToString::to_string).chain(state.notes.iter().cloned());
    let told: Vec<String> = told.filter(|line| line.contains(SAYS)).collect();
    assert!(!told.is_empty(), "{name}: nobody says that the model is out: {:?}, {:?}", state.notices, state.notes);
    assert!(told.iter().any(|line| line.contains("[211201]")), "{name}: the cause has its code: {told:?}");
    let fatal: Vec<String> = codes(&state.notices).into_iter().filter(|code| code.ends_with('f')).collect();
    assert_eq!(fatal, ends.map(str::to_owned).into_iter().collect::<Vec<_>>(), "{name}");
    assert_eq!(state.final_result.response_content.is_empty(), ends.is_some(), "{name}");
    assert_eq!(talk.ended.said.last().unwrap().content, "ALL END", "{name}");
}
