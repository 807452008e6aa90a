//! A model that answers inside a grammar: what is asked of it, and what the person is told when it cannot.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::store::MemoryStore;
use graphloom_llm::scripted::rendered;
use graphloom_llm::{Capabilities, ChatRequest, Scripted, StructuredSupport};
use graphloom_pocketflow::session::Waiting;
use serde_json::{Value, json};

use crate::scripted::{Answer, ScriptedSource, Talk};

/// A scripted model that says it is small. It answers every question with the same sentence of that kind.
fn small_talk(answers: Value) -> (Talk, Arc<Mutex<BTreeSet<u64>>>) {
    let seeds = Arc::new(Mutex::new(BTreeSet::new()));
    let seen = Arc::clone(&seeds);
    let model = Scripted::from_fn(move |request: &ChatRequest| {
        let prompt = rendered(request);
        let part = prompt.rfind("Part: ").map(|at| prompt[at..].lines().next().unwrap_or_default().to_owned());
        let answer = if prompt.contains("You write search queries") {
            json!({ "query": answers["query"] })
        } else if prompt.contains("You judge whether") {
            json!({ "choice": "yes" })
        } else if prompt.contains("what is not known yet") {
            seen.lock().expect("part of the test").extend(request.params.seed);
            json!({ "gap": answers["gap"], "records": ["1"] })
        } else if prompt.contains("You write titles") {
            json!({ "title": "The measuring of the tides" })
        } else if prompt.contains("choose the records") {
            json!({ "text": format!("We measure the tides for the {}.", part.unwrap_or_default()), "records": ["1"] })
        } else if prompt.contains("one part of a research proposal") {
            // It keeps to the form of two parts, and to that of no other.
            match part.as_deref() {
                Some("Part: an objective") => json!({ "text": "Measure the tides at the coast in winter." }),
                Some("Part: an answer to the reader") => json!({ "text": "We measure the tides at little cost." }),
                _ => json!({ "text": "The tides." }),
            }
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
    };
    let source = ScriptedSource::new(&[Answer::Records]);
    let model = model.with_capabilities(capabilities);
    (Talk::with(model, source, Arc::new(MemoryStore::new()), Arc::new(MemoryCheckpointer::new())), seeds)
}

const GAP: &str = "It is not known how the tides were measured at night.";

#[tokio::test]
async fn a_proposal_is_made_of_small_answers_and_quotations() {
    let (talk, _) = small_talk(json!({ "query": "measuring tides", "gap": GAP }));
    let shown = talk.say("tides").await;
    assert!(shown.contains("1. measuring tides"), "{shown}");
    assert!(shown.contains("there is no query on methods: `measuring tides` was there before"), "it is told: {shown}");

    let shown = talk.say("approve").await;
    assert!(shown.contains("# The measuring of the tides"), "{shown}");
    assert!(shown.contains("It is not known how the tides were measured at night [1]."), "{shown}");
    assert!(shown.contains("It was measured at the coast for many years [1]."), "{shown}");
    assert!(shown.contains("## References\n\n1. On measuring tides"), "{shown}");
    assert!(shown.contains("is a small model"), "it is told: {shown}");
    let told =
        "The records quoted in `Background` are the first, not chosen: it does not have the form that was asked for.";
    assert!(shown.contains(told), "{shown}");
    assert!(shown.contains("## 3. Objectives\n\nMeasure the tides at the coast in winter.\n"), "{shown}");
    assert!(shown.contains("There is no section `Risks`") && !shown.contains(". Risks"), "{shown}");
    assert!(shown.contains("A sentence of `Method` was left out: the material does not have `Part`"), "{shown}");

    let shown = talk.say("reject: say what it costs").await;
    assert!(
        shown.contains("Answers to the review\n\n“say what it costs”: We measure the tides at little cost."),
        "{shown}"
    );
    assert!(talk.say("approve").await.contains("The proposal is done"));
}

#[tokio::test]
async fn the_persons_own_words_are_searched_where_no_query_can_be_used() {
    let (talk, _) = small_talk(json!({ "query": "sleep and memory", "gap": GAP }));
    let shown = talk.say("spring tides").await;
    assert!(shown.contains("1. spring tides") && shown.contains("your own words are searched"), "{shown}");
    let shown = talk.say("reject: at night").await;
    assert!(shown.contains("1. spring tides at night"), "{shown}");
}

#[tokio::test]
async fn a_model_that_says_no_gap_is_told_and_asked_anew() {
    let (talk, seeds) =
        small_talk(json!({ "query": "measuring tides", "gap": "It is not known how the tides were seen by Galileo." }));
    talk.say("tides").await;
    let shown = talk.say("approve").await;
    assert!(shown.contains("said nothing that can stand as a gap (the material does not have `Galileo`)"), "{shown}");
    let tries = seeds.lock().expect("part of the test").len();
    assert_eq!(tries, 3, "each try is drawn anew");
    talk.say("retry").await;
    assert_eq!(seeds.lock().expect("part of the test").len(), 2 * tries, "and so is each of another attempt");
}

#[tokio::test]
async fn a_small_model_is_not_asked_what_a_reply_means() {
    for word in ["approve", "cancel"] {
        let (talk, _) = small_talk(json!({ "query": "measuring tides", "gap": GAP, "reply": word }));
        talk.say("tides").await;
        let shown = talk.say("мне бы кофе").await;
        assert!(shown.contains("I am not sure what that means"), "{shown}");
        assert_eq!(talk.session().await.waiting_for, Waiting::Queries);
    }
}
