//! Edits of the state of a thread.

use serde_json::{Value, json};

use super::{Served, each};

async fn edit(served: &Served, thread: &str, body: Value) -> Value {
    served.post(&format!("{thread}/state"), body).await
}

#[tokio::test]
async fn an_edit_without_a_node_is_that_of_the_node_that_wrote_last() {
    let served = Served::start().await;
    let thread = served.ran("approval", json!({"request": "r"})).await;
    edit(&served, &thread, json!({"values": {"draft": "mine"}})).await;
    let state = served.get(&format!("{thread}/state")).await;
    assert_eq!(state["next"], json!(["review"]), "as `draft`");
    assert_eq!((&state["metadata"]["source"], &state["metadata"]["step"]), (&json!("update"), &json!(2)));
    let asked = served.run(&thread, "approval", json!({"input": null})).await;
    assert_eq!(asked["__interrupt__"][0]["value"]["draft"], "mine");

    let done = served.ran("pipeline", json!({"topic": "a"})).await;
    edit(&served, &done, json!({"values": {"topic": "b"}})).await;
    assert_eq!(served.get(&format!("{done}/state")).await["next"], json!([]), "as `finish`, behind which is nothing");
    assert_eq!(served.get(&done).await["status"], "idle");
}

#[tokio::test]
async fn an_edit_of_an_older_checkpoint_hangs_from_it() {
    let served = Served::start().await;
    let thread = served.ran("pipeline", json!({"topic": "a"})).await;
    let before = served.post(&format!("{thread}/history"), json!({"limit": 10})).await;
    let old = &before[2];
    let body = json!({"values": {"topic": "b"}, "as_node": "plan", "checkpoint": old["checkpoint"]});
    let made = edit(&served, &thread, body).await;
    assert_eq!(made["checkpoint"]["checkpoint_id"], made["checkpoint_id"]);
    assert_eq!(made["configurable"], made["checkpoint"]);
    let after = served.post(&format!("{thread}/history"), json!({"limit": 10})).await;
    assert_eq!(after.as_array().unwrap().len(), before.as_array().unwrap().len() + 1, "an edit is one checkpoint");
    assert_eq!(after[0]["parent_checkpoint_id"], old["checkpoint_id"]);
    assert_eq!(after[0]["values"], json!({"topic": "b", "items": ["plan:a"]}));
    assert_eq!((&after[0]["metadata"]["step"], &after[0]["next"]), (&json!(2), &json!(["work"])));
    let done = served.run(&thread, "pipeline", json!({"input": null})).await;
    assert_eq!(done["items"], json!(["plan:a", "work:b", "finish:b"]));
    let steps = served.post(&format!("{thread}/history"), json!({"limit": 3})).await;
    assert_eq!(each(&steps, "/metadata/step"), [4, 3, 2]);
}

#[tokio::test]
async fn what_cannot_be_committed_leaves_the_thread_as_it_was() {
    let served = Served::start().await;
    let thread = served.ran("fanout", json!({"names": ["a", "b"], "ask": true})).await;
    let state = served.get(&format!("{thread}/state")).await;
    let input = served.post(&format!("{thread}/history"), json!({"limit": 10})).await[2]["checkpoint_id"].clone();
    let cases = [
        (json!({"values": {"names": ["c"]}, "as_node": "zzz"}), 400, "Node zzz does not exist"),
        (json!({"values": {"names": 3}, "as_node": "split"}), 422, ""),
        (json!({"values": [1], "as_node": "split"}), 400, "Expected an object of fields as `values`, got a list"),
        (
            json!({"values": {"nope": 3}}),
            400,
            "the update has `nope`, which is no field of the graph `fanout`; fields: `names`",
        ),
        (json!({"values": {}, "checkpoint_id": "nope"}), 422, "Invalid checkpoint ID: must be a UUID"),
        (json!({"values": {}, "checkpoint_id": input, "as_node": "split"}), 400, "There is nothing to update before"),
        (json!({"values": {}, "checkpoint": {"checkpoint_ns": "a:b"}}), 422, "`checkpoint_ns` names a graph inside"),
    ];
    for (body, status, beginning) in cases {
        let (found, detail) = served.refused("POST", &format!("{thread}/state"), body.clone()).await;
        assert!(found == status && detail.starts_with(beginning), "{body}: {found} {detail}");
    }
    assert_eq!(served.get(&format!("{thread}/state")).await, state);
    let fresh = served.thread().await;
    let (status, detail) = served.refused("POST", &format!("{fresh}/state"), json!({"values": {"a": 1}})).await;
    assert!(status == 400 && detail.contains("has no assigned graph ID"), "{status} {detail}");
}

#[tokio::test]
async fn an_edit_of_several_writers_names_its_node() {
    let served = Served::start().await;
    // `worker` writes twice in one super-step, which is one node; `join` alone in the next.
    let thread = served.ran("fanout", json!({"names": ["a", "b"]})).await;
    let history = served.post(&format!("{thread}/history"), json!({"limit": 10})).await;
    let workers = &history[1];
    let body = json!({"values": {"results": ["c:ok"]}, "checkpoint": workers["checkpoint"]});
    edit(&served, &thread, body).await;
    let state = served.get(&format!("{thread}/state")).await;
    assert_eq!(state["next"], json!(["join"]), "as `worker`");
    assert_eq!(state["values"]["results"], json!(["a:ok", "b:ok", "c:ok"]));
}

#[tokio::test]
async fn a_busy_thread_is_not_edited() {
    let served = Served::start().await;
    let thread = served.thread().await;
    let run = json!({"assistant_id": "ticker", "input": {"n": 1000, "delay_ms": 20}});
    let run = served.post(&format!("{thread}/runs"), run).await;
    let (status, detail) = served.refused("POST", &format!("{thread}/state"), json!({"values": {"n": 1}})).await;
    assert!(status == 409 && detail.ends_with("is busy: wait for its run, or cancel it"), "{status} {detail}");
    let path = format!("{thread}/runs/{}/cancel?wait=1", run["run_id"].as_str().unwrap());
    served.post(&path, json!(null)).await;
    edit(&served, &thread, json!({"values": {"n": 1}, "as_node": "tick"})).await;
}

/// The first frames of a stream of a thread after the id of one: their ids, names and data.
async fn frames(served: &Served, path: &str, after: &str, count: usize) -> Vec<(String, String, Value)> {
    let url = format!("http://{}{path}", served.running.address());
    let mut answer = served.client.get(url).header("Last-Event-ID", after).send().await.unwrap();
    let mut text = String::new();
    loop {
        let whole: Vec<&str> = text.split_inclusive("\n\n").filter(|frame| frame.ends_with("\n\n")).collect();
        let field = |frame: &str, name: &str| {
            frame.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default().trim().to_owned()
        };
        let frames = whole.iter().filter(|frame| frame.contains("event:"));
        let read = |frame: &&&str| {
            let data = serde_json::from_str(&field(frame, "data:")).unwrap();
            (field(frame, "id:"), field(frame, "event:"), data)
        };
        let frames: Vec<_> = frames.take(count).collect();
        if frames.len() == count {
            return frames.iter().map(read).collect();
        }
        let chunk = answer.chunk().await.unwrap();
        let chunk = chunk.unwrap_or_else(|| panic!("{count} frames of {path} after {after}: {text}"));
        text.push_str(&std::str::from_utf8(&chunk).unwrap().replace('\r', ""));
    }
}

#[tokio::test]
async fn edits_are_told_on_the_stream_of_their_thread() {
    let served = Served::start().await;
    let thread = served.ran("pipeline", json!({"topic": "a"})).await;
    edit(&served, &thread, json!({"values": {"topic": "b"}, "as_node": "plan"})).await;
    let first = served.get(&format!("{thread}/state")).await;
    served.run(&thread, "pipeline", json!({"input": null})).await;
    edit(&served, &thread, json!({"values": {"topic": "c"}})).await;
    let second = served.get(&format!("{thread}/state")).await;

    let updates = format!("{thread}/stream?stream_modes=state_update");
    let told = frames(&served, &updates, "-", 2).await;
    assert_eq!(told.iter().map(|(_, event, _)| event.as_str()).collect::<Vec<_>>(), ["state_update"; 2]);
    assert_eq!(told[0].2["thread_id"], first["metadata"]["thread_id"]);
    assert_eq!(told[0].2["state"]["checkpoint_id"], first["checkpoint_id"]);
    assert_eq!(told[0].2["state"]["values"], first["values"]);
    assert_eq!(told[1].2["state"], second);
    assert_eq!(frames(&served, &updates, &told[0].0, 1).await, told[1..], "it is taken up after each frame");

    // Whoever asks for the runs as well has them around it; the others have no word of it.
    let all = format!("{thread}/stream?stream_modes=state_update&stream_modes=lifecycle");
    let told_all = frames(&served, &all, "-", 6).await;
    let events: Vec<&str> = told_all.iter().map(|(_, event, _)| event.as_str()).collect();
    assert_eq!(events, ["metadata", "metadata", "state_update", "metadata", "metadata", "state_update"]);
    let runs = frames(&served, &format!("{thread}/stream?stream_modes=lifecycle"), &told[0].0, 2).await;
    assert_eq!(runs, told_all[3..5], "taken up after an edit");

    // What failed is not told.
    served.refused("POST", &format!("{thread}/state"), json!({"values": {}, "as_node": "zzz"})).await;
    edit(&served, &thread, json!({"values": {"topic": "d"}})).await;
    let told = frames(&served, &updates, &told[1].0, 1).await;
    assert_eq!(told[0].2["state"]["values"]["topic"], "d");
}
