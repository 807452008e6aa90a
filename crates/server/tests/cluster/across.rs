//! What is begun at one process is seen and changed at another.

use serde_json::{Value, json};

use super::{Processes, new_thread, rest, text, ticks};
use crate::durability::until;

fn ticker(n: u64, delay_ms: u64, strategy: &str) -> Value {
    let input = json!({"n": n, "delay_ms": delay_ms});
    json!({"assistant_id": "ticker", "input": input, "stream_mode": ["updates"], "multitask_strategy": strategy})
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_run_of_one_process_is_streamed_waited_for_and_cancelled_at_others() {
    let processes = Processes::start(3).await;
    let [one, two, three] = [0, 1, 2].map(|at| processes.client(at));
    let thread = new_thread(one).await;
    let runs = format!("/threads/{thread}/runs");
    let run = text(&one.post(&runs, ticker(40, 10, "enqueue")).await.unwrap().ok(), "run_id");
    let stream = format!("{runs}/{run}/stream");

    // A stream at another process, which is taken up at a third one in the middle.
    let mut there = two.take_up(&stream, "-1").await.unwrap();
    let mut seen = Vec::new();
    while ticks(&seen).len() < 10 {
        seen.push(there.next().await.unwrap().expect("the run goes on"));
    }
    drop(there);
    let mut again = three.take_up(&stream, &seen.last().unwrap().id).await.unwrap();
    let join = format!("{runs}/{run}/join");
    let (joined, more) = tokio::join!(two.get(&join), rest(&mut again));
    seen.extend(more);
    assert_eq!(ticks(&seen), (1..=40).collect::<Vec<_>>(), "each update once, over two streams");
    assert_eq!(seen.last().unwrap().name, "end");
    let joined = joined.unwrap().ok();
    assert_eq!(joined["ticks"], json!((1..=40).collect::<Vec<_>>()));
    // All of it is there when the end is told, wherever one looks.
    for client in [one, two, three] {
        let whole = rest(&mut client.take_up(&stream, "-1").await.unwrap()).await;
        assert_eq!(whole, seen);
        assert_eq!(client.get(&format!("/threads/{thread}")).await.unwrap().ok()["status"], "idle");
        assert_eq!(client.get(&format!("{runs}/{run}/join")).await.unwrap().ok(), joined);
    }

    // One that would run for minutes is cancelled at another process, and one that waits behind it.
    let long = text(&one.post(&runs, ticker(100_000, 10, "enqueue")).await.unwrap().ok(), "run_id");
    let waits = text(&two.post(&runs, ticker(100_001, 10, "enqueue")).await.unwrap().ok(), "run_id");
    assert_eq!(three.get(&format!("/threads/{thread}")).await.unwrap().ok()["status"], "busy");
    assert_eq!(two.get(&format!("{runs}/{waits}")).await.unwrap().ok()["status"], "pending");
    for (client, run) in [(three, &waits), (two, &long)] {
        client.post(&format!("{runs}/{run}/cancel?wait=1"), Value::Null).await.unwrap().ok();
        let record = client.get(&format!("{runs}/{run}")).await.unwrap().ok();
        assert_eq!(record["status"], "interrupted");
    }
    assert_eq!(one.get(&format!("/threads/{thread}")).await.unwrap().ok()["status"], "interrupted");
    // What is not under way is not found, wherever it is asked.
    for client in [one, two, three] {
        let gone = client.post(&format!("{runs}/{long}/cancel"), Value::Null).await.unwrap();
        assert_eq!(gone.status, 404, "{}", gone.body);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_busy_thread_does_with_a_run_from_elsewhere_what_that_asks_for() {
    let processes = Processes::start(2).await;
    let [one, two] = [0, 1].map(|at| processes.client(at));
    let thread = new_thread(one).await;
    let runs = format!("/threads/{thread}/runs");
    let status = async |run: &str| two.get(&format!("{runs}/{run}")).await.unwrap().ok()["status"].clone();
    let long = async || text(&one.post(&runs, ticker(100_000, 5, "enqueue")).await.unwrap().ok(), "run_id");

    let first = long().await;
    let refused = two.post(&runs, ticker(3, 0, "reject")).await.unwrap();
    assert_eq!(refused.status, 409, "{}", refused.body);
    let second = text(&two.post(&runs, ticker(3, 0, "enqueue")).await.unwrap().ok(), "run_id");
    assert_eq!((status(&first).await, status(&second).await), (json!("running"), json!("pending")));

    // What takes their place stops both, and its own client is answered by the process that it asked.
    let count = async || {
        two.get(&format!("/threads/{thread}/state")).await.unwrap().ok()["values"]["ticks"]
            .as_array()
            .map_or(0, Vec::len)
    };
    until(async || count().await > 3, "the first run does nothing").await;
    let after = two.post(&format!("{runs}/wait"), ticker(1, 0, "interrupt")).await.unwrap().ok();
    assert!(after["ticks"].as_array().unwrap().len() > 3, "what the first did stays: {after}");
    assert_eq!((status(&first).await, status(&second).await), (json!("interrupted"), json!("interrupted")));

    let before = count().await;
    let third = long().await;
    until(async || count().await > before + 3, "the third run does nothing").await;
    let wanted = before as u64 + 2;
    let after = two.post(&format!("{runs}/wait"), ticker(wanted, 0, "rollback")).await.unwrap().ok();
    assert_eq!(after["ticks"], json!((1..=wanted).collect::<Vec<_>>()), "what the third did is taken back");
    assert_eq!(one.get(&format!("{runs}/{third}")).await.unwrap().status, 404);

    // One whose client is at another process ends with that client.
    let body = json!({"assistant_id": "ticker", "input": {"n": 100_000, "delay_ms": 5}, "on_disconnect": "cancel", "stream_mode": "updates"});
    let holds = long().await;
    let mut attended = two.post_stream(&format!("{runs}/stream"), body).await.unwrap();
    let run = attended.location.rsplit('/').next().unwrap().to_owned();
    one.post(&format!("{runs}/{holds}/cancel?wait=1"), Value::Null).await.unwrap().ok();
    while attended.next().await.unwrap().unwrap().name != "updates" {}
    drop(attended);
    until(async || status(&run).await == "interrupted", "a run goes on without its client").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn states_threads_and_items_are_those_of_all_processes() {
    let processes = Processes::start(2).await;
    let [one, two] = [0, 1].map(|at| processes.client(at));
    let thread = new_thread(one).await;
    let (at, runs) = (format!("/threads/{thread}"), format!("/threads/{thread}/runs"));
    let body = json!({"assistant_id": "pipeline", "input": {"topic": "tea"}});
    one.post(&format!("{runs}/wait"), body.clone()).await.unwrap().ok();
    // Again and again: a moment after a run ended at one process another one may write.
    for round in 0..20 {
        let (here, there) = if round % 2 == 0 { (one, two) } else { (two, one) };
        here.post(&format!("{runs}/wait"), body.clone()).await.unwrap().ok();
        let update = json!({"values": {"items": [format!("u{round}")]}, "as_node": "finish"});
        there.post(&format!("{at}/state"), update).await.unwrap().ok();
        let items = here.get(&format!("{at}/state")).await.unwrap().ok()["values"]["items"].clone();
        assert_eq!(items.as_array().unwrap().last().unwrap(), &json!(format!("u{round}")));
    }

    // A thread with a run under way is not updated, and is deleted with it.
    let ticker = json!({"assistant_id": "ticker", "input": {"n": 100_000, "delay_ms": 5}});
    let busy = new_thread(one).await;
    let run = text(&one.post(&format!("/threads/{busy}/runs"), ticker).await.unwrap().ok(), "run_id");
    let update = json!({"values": {"ticks": [7]}});
    let refused = two.post(&format!("/threads/{busy}/state"), update).await.unwrap();
    assert_eq!(refused.status, 409, "{}", refused.body);
    let stream = format!("/threads/{busy}/runs/{run}/stream");
    let mut follows = [one.take_up(&stream, "-1").await.unwrap(), two.take_up(&stream, "-1").await.unwrap()];
    assert_eq!(two.delete(&format!("/threads/{busy}")).await.unwrap().status, 204);
    for client in [one, two] {
        assert_eq!(client.get(&format!("/threads/{busy}")).await.unwrap().status, 404);
    }
    for stream in &mut follows {
        rest(stream).await;
    }

    // A run without a thread is known by its id everywhere.
    let body = json!({"assistant_id": "ticker", "input": {"n": 30, "delay_ms": 10}, "stream_mode": "updates"});
    let mut made = one.post_stream("/runs/stream", body).await.unwrap();
    let location = made.location.clone();
    let (here, there) = tokio::join!(rest(&mut made), async {
        rest(&mut two.take_up(&format!("{location}/stream"), "-1").await.unwrap()).await
    });
    assert_eq!(ticks(&here), (1..=30).collect::<Vec<_>>());
    assert_eq!(ticks(&there), ticks(&here));
    let body = json!({"assistant_id": "pipeline", "input": {"topic": "tea"}});
    assert_eq!(two.post("/runs/wait", body).await.unwrap().ok()["count"], 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_stops_hands_its_runs_on() {
    let mut processes = Processes::start(2).await;
    let thread = new_thread(processes.client(0)).await;
    let runs = format!("/threads/{thread}/runs");
    let run = text(&processes.client(0).post(&runs, ticker(60, 10, "enqueue")).await.unwrap().ok(), "run_id");
    let queued = text(&processes.client(0).post(&runs, ticker(70, 10, "enqueue")).await.unwrap().ok(), "run_id");
    let two = processes.client(1).clone();
    let mut stream = two.take_up(&format!("{runs}/{run}/stream"), "-1").await.unwrap();
    let mut seen = vec![stream.next().await.unwrap().unwrap()];
    while ticks(&seen).len() < 5 {
        seen.push(stream.next().await.unwrap().unwrap());
    }
    let began = std::time::Instant::now();
    processes.all.remove(0).stop().await;
    seen.extend(rest(&mut stream).await);
    assert_eq!(ticks(&seen), (1..=60).collect::<Vec<_>>());
    let joined = two.get(&format!("{runs}/{queued}/join")).await.unwrap().ok();
    assert_eq!(joined["ticks"], json!((1..=70).collect::<Vec<_>>()));
    // Their lease has no end, so that what it did was handed on by its stop.
    eprintln!("both runs ended {:?} after the stop", began.elapsed());
}
