//! `pipeline`, `ticker` and `faulty`.

use std::time::Duration;

use graphloom_core_graph::RunError;
use serde_json::json;
use tokio::time::Instant;

use super::{play, steps, thread};
use crate::demo::faulty::{self, Faulty};
use crate::demo::pipeline::{self, Pipeline};
use crate::demo::ticker::{self, Ticker};

#[tokio::test]
async fn a_pipeline_tells_its_progress_and_counts() {
    let thread = thread(&pipeline::graph().unwrap());
    let played = play(thread.run(Pipeline::update().topic("tea".to_owned()))).await;
    assert_eq!(played.custom, [1, 2, 3].map(|progress| json!({ "progress": progress, "of": 3 })));
    let items = ["plan:tea", "work:tea", "finish:tea"];
    assert_eq!(played.values(), json!({ "topic": "tea", "items": items, "count": 3 }));
    assert_eq!(steps(&thread).await, ["plan", "work", "finish"]);
}

#[tokio::test]
async fn a_second_turn_of_a_pipeline_counts_on() {
    let thread = thread(&pipeline::graph().unwrap());
    play(thread.run(Pipeline::update().topic("tea".to_owned()))).await.done();
    let values = play(thread.run(Pipeline::update().topic("milk".to_owned()))).await.values();
    let items = ["plan:tea", "work:tea", "finish:tea", "plan:milk", "work:milk", "finish:milk"];
    assert_eq!(values, json!({ "topic": "milk", "items": items, "count": 6 }));
}

#[tokio::test(start_paused = true)]
async fn a_ticker_ticks_once_a_super_step_and_waits_before_each() {
    for (delay, waited) in [(None, 150), (Some(7), 21), (Some(0), 0)] {
        let thread = thread(&ticker::graph().unwrap());
        let mut update = Ticker::update().n(3);
        if let Some(delay) = delay {
            update = update.delay_ms(delay);
        }
        let began = Instant::now();
        let played = play(thread.run(update)).await;
        let (took, waited) = (began.elapsed(), Duration::from_millis(waited));
        assert!(took >= waited && took < waited + Duration::from_millis(5), "{took:?} and not {waited:?}");
        assert_eq!(played.custom, [1, 2, 3].map(|tick| json!({ "tick": tick })));
        assert_eq!(played.values(), json!({ "n": 3, "delay_ms": delay, "ticks": [1, 2, 3] }));
        assert_eq!(steps(&thread).await, ["tick", "tick", "tick"]);
    }
}

#[tokio::test]
async fn a_faulty_graph_fails_when_it_is_told_to() {
    let graph = faulty::graph().unwrap();
    let failing = thread(&graph);
    let error = play(failing.run(Faulty::update().mode("fail".to_owned()))).await.failed();
    let RunError::TaskFailed { node, message, .. } = error else { panic!("a node fails, not {error}") };
    assert_eq!((node.as_str(), message.as_str()), ("boom", "boom: mode=fail"));
    let kept = failing.state().await.unwrap().state;
    assert_eq!(kept.log.iter().collect::<Vec<_>>(), ["before"], "what came before is kept");

    for mode in [None, Some("ok".to_owned())] {
        let fine = thread(&graph);
        let values = play(fine.run(Faulty::update().mode(mode.clone()))).await.values();
        assert_eq!(values, json!({ "mode": mode, "log": ["before", "boom"] }));
    }
}

#[tokio::test]
async fn a_key_that_is_missing_is_named() {
    let error = play(pipeline::graph().unwrap().run_once(Pipeline::update())).await.failed();
    assert_eq!(error.to_string(), "node `plan` failed: the state has no `topic`; give it in the input");
}
