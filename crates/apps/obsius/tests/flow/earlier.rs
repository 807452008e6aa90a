//! A run of a session knows what was said before it, in each of its phases. The models are scripted.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use graphloom_agents::Verdict;
use graphloom_obsius::state::PastRequest;
use serde_json::json;

use super::support::{TestVault, action, reviewed, scripted};

#[tokio::test(start_paused = true)]
async fn each_question_to_a_model_holds_what_was_said_before() {
    for earlier in [true, false] {
        let place = TestVault::new();
        let asked = Arc::new(Mutex::new(BTreeSet::new()));
        let seen = Arc::clone(&asked);
        let model = scripted(move |kind, _, prompt| {
            let told = prompt.contains("Earlier in this session") && prompt.contains("Call it the kettle note.");
            seen.lock().unwrap().insert((kind.to_owned(), told));
            Ok(match kind {
                "plan" => json!({"keywords": [], "title": null, "answer": null, "subtasks": [
                    {"goal": "say it", "kind": "update", "depends_on": [], "criteria": [
                        {"check": "judged", "text": "the note is named as agreed"}]}]}),
                "judgement" => {
                    json!({"statements": [{"holds": true, "evidence": "it is"}], "complete": true, "confidence": 0.9})
                }
                _ => json!({"answer": "It is done.", "actions": [action("a", "update_note",
                    &json!({"path": "Soup.md", "operation": "append", "content": "The kettle note."}), &[])]}),
            })
        });
        let mut info = place.session("Update all soup notes with the name that I gave you");
        if earlier {
            info.earlier = vec![PastRequest {
                request: "What was the name?".to_owned(),
                answer: "Call it the kettle note.".to_owned(),
            }];
        }
        reviewed(&place.runs(model), info, &[Verdict::Approve]).await;
        let expected = ["actions", "judgement", "plan"].map(|kind| (kind.to_owned(), earlier));
        assert_eq!(*asked.lock().unwrap(), BTreeSet::from(expected));
    }
}
