//! A model that answers inside a grammar: what is asked of it, and what the person is told when it cannot.

use std::sync::Arc;

use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::store::MemoryStore;
use graphloom_llm::scripted::rendered;
use graphloom_llm::{Capabilities, ChatRequest, Scripted, StructuredSupport};
use graphloom_pocketflow::profile::TEMPLATES;
use graphloom_pocketflow::session::Waiting;
use serde_json::{Value, json};

use super::scripted::{Answer, ScriptedConversation, ScriptedSource};

/// A scripted model that says it is small. It answers every question of a kind with the same.
fn small_talk(answers: Value) -> ScriptedConversation {
    let model = Scripted::from_fn(move |request: &ChatRequest| {
        let prompt = rendered(request);
        let answer = if prompt.contains("You write search queries") {
            json!({ "query": answers["query"] })
        } else if prompt.contains("You judge whether") {
            json!({ "choice": "yes" })
        } else if prompt.contains("You choose the records") {
            json!({ "records": ["1"] })
        } else if prompt.contains("You answer a question") {
            json!({ "text": answers["answer"] })
        } else {
            json!({ "choice": answers["reply"] })
        };
        Ok(answer.to_string())
    });
    let capabilities = Capabilities {
        structured: StructuredSupport::Constrained,
        tools: false,
        images: false,
        sampling: true,
        context: None,
        local: true,
        documents: false,
    };
    let source = ScriptedSource::new(&[Answer::Records]);
    let model = model.with_capabilities(capabilities);
    ScriptedConversation::with(model, source, Arc::new(MemoryStore::new()), Arc::new(MemoryCheckpointer::new()))
}

#[tokio::test]
async fn a_proposal_holds_quotations_fixed_forms_and_blanks_alone() {
    let talk = small_talk(json!({ "query": "measuring tides" }));
    let shown = talk.say("tides").await;
    assert!(shown.contains("1. measuring tides"), "{shown}");
    assert!(shown.contains("there is no query on methods: `measuring tides` was there before"), "it is told: {shown}");

    let shown = talk.say("approve").await;
    let proposal = talk.session().await.artifacts.proposal.expect("part of the test").value;
    assert_eq!(proposal.title, "Research proposal: tides");
    let quoted = "Words on measuring tides were measured at the coast for many years [1].";
    let sections: Vec<(&str, &str)> = proposal.sections.iter().map(|one| (&*one.heading, &*one.text)).collect();
    let blank = |name: &str| format!("[to fill in: {name}]");
    let expected = [
        ("Background", format!("{quoted} {}", blank("what else is known, and why it matters"))),
        (
            "Gap",
            format!(
                "The records that are quoted here do not settle everything: {}. It matters because {}.",
                blank("the open question"),
                blank("why the question matters")
            ),
        ),
        ("Objectives", format!("Answer the open question: {}", blank("what shall be found out"))),
        ("Method", blank("who or what is studied, what is measured, and what it is compared with")),
        ("Expected impact", blank("who would act otherwise if the question were answered")),
        ("Risks", blank("what may keep the question from being answered")),
        ("Timeline", blank("what is done first, what next, and what last")),
    ];
    assert_eq!(sections, expected.iter().map(|(heading, text)| (*heading, &**text)).collect::<Vec<_>>());
    assert!(shown.contains("## References\n\n1. On measuring tides"), "{shown}");
    assert!(shown.contains("is a small model: it chose which sentences"), "it is told: {shown}");

    // The person's own words are theirs, also where they look like a mark.
    let shown = talk.say("reject: say what it costs [1]").await;
    assert!(shown.contains("“say what it costs 1”: [to fill in: the answer to reason 1]"), "{shown}");
    let shown = talk.say("edit 3: Find out how high the spring tides are.").await;
    assert!(shown.contains("## 3. Objectives\n\nFind out how high the spring tides are.\n"), "{shown}");
    assert!(talk.say("approve").await.contains("The proposal is done"));
}

#[tokio::test]
async fn examples_of_prompts_never_reach_a_proposal() {
    let examples: Vec<String> = TEMPLATES
        .iter()
        .filter(|(name, _)| name.starts_with("small/"))
        .flat_map(|(_, text)| text.split("{# assistant #}").skip(1))
        .filter_map(|after| after.lines().find(|line| line.starts_with('{') && line.contains("\":")))
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .flat_map(|value| value.as_object().into_iter().flatten().map(|(_, text)| text.clone()).collect::<Vec<_>>())
        .filter_map(|text| text.as_str().filter(|text| text.contains(' ')).map(str::to_owned))
        .collect();
    assert!(examples.len() > 2, "{examples:?}");
    let mut refused = 0;
    for example in &examples {
        let talk = small_talk(json!({ "query": example, "answer": example, "reply": "approve" }));
        // The topic has a word of every example, so that none is off it.
        let mut said = talk.say("memory of words, and sleep, and bicycles for old people in cities").await;
        refused += usize::from(said.contains("is of the example that the model was shown"));
        // An answer is one of its own prompt, of which the same is true.
        talk.say("why these?").await;
        said.push_str(&talk.say("approve").await);
        let session = talk.session().await;
        let mut lines = said.lines().filter(|line| !line.contains("is of the example that the model was shown"));
        assert!(lines.all(|line| !line.contains(example.trim_end_matches('.'))), "{example}: {said}");
        let made = serde_json::to_string(&session.artifacts).expect("part of the test");
        assert!(
            session.artifacts.proposal.is_some() && !made.contains(example.trim_end_matches('.')),
            "{example}: {made}"
        );
    }
    assert!(refused > 1, "{refused} of {}", examples.len());
}

#[tokio::test]
async fn the_persons_own_words_are_searched_where_no_query_can_be_used() {
    let talk = small_talk(json!({ "query": "sleep and memory" }));
    let shown = talk.say("spring tides").await;
    assert!(shown.contains("1. spring tides") && shown.contains("your own words are searched"), "{shown}");
    let shown = talk.say("reject: at night").await;
    assert!(shown.contains("1. spring tides at night"), "{shown}");
}

#[tokio::test]
async fn a_small_model_is_not_asked_what_a_reply_means() {
    for word in ["approve", "cancel"] {
        let talk = small_talk(json!({ "query": "measuring tides", "reply": word }));
        talk.say("tides").await;
        let shown = talk.say("мне бы кофе").await;
        assert!(shown.contains("I am not sure what that means"), "{shown}");
        assert_eq!(talk.session().await.waiting_for, Waiting::Queries);
    }
}
