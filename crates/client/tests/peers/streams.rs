//! Streams.

use std::time::Duration;

use futures::StreamExt;
use graphloom_client::{
    Client, ClientError, IfThreadMissing, NewRun, NewThread, Response, RunStart, RunStatus, StreamData, StreamEvent,
    StreamMode, Subscription, ThreadId,
};
use serde_json::{Value, json};

use super::proxy::CuttingProxy;
use super::{address, client, new_thread};

const ALL: [StreamMode; 7] = [
    StreamMode::Values,
    StreamMode::Updates,
    StreamMode::MessagesTuple,
    StreamMode::Custom,
    StreamMode::Tasks,
    StreamMode::Checkpoints,
    StreamMode::Debug,
];

async fn told(client: &Client, thread: impl Into<Option<ThreadId>>, new: NewRun) -> Vec<StreamEvent> {
    let events = client.runs().stream(thread, new.if_not_exists(IfThreadMissing::Create)).await.unwrap();
    events.map(Result::unwrap).collect().await
}

fn custom(events: &[StreamEvent]) -> Vec<Value> {
    let value = |event: &StreamEvent| match &event.data {
        StreamData::Custom(value) => Some(value.clone()),
        _ => None,
    };
    events.iter().filter_map(value).collect()
}

#[tokio::test]
#[ignore = "needs a server at LANGGRAPH_SERVER"]
async fn every_mode_has_its_type_and_the_stream_its_end() {
    let new = NewRun::new("pipeline").input(json!({"topic": "hills"})).stream_mode(ALL);
    let events = told(&client(), new_thread(), new).await;
    assert!(matches!(&events[0].data, StreamData::Metadata(metadata) if metadata.attempt == Some(1)));
    let StreamData::End(end) = &events.last().unwrap().data else { panic!("{:?}", events.last()) };
    assert_eq!(end.status, Some(RunStatus::Success));
    assert_eq!(custom(&events), [1, 2, 3].map(|n| json!({"progress": n, "of": 3})));
    let count = |is: fn(&StreamData) -> bool| events.iter().filter(|event| is(&event.data)).count();
    assert_eq!(count(|data| matches!(data, StreamData::Values(_))), 4);
    assert_eq!(count(|data| matches!(data, StreamData::Updates(_))), 3);
    assert_eq!(count(|data| matches!(data, StreamData::Task(_))), 6);
    assert!(count(|data| matches!(data, StreamData::Checkpoint(_))) >= 4);
    assert!(count(|data| matches!(data, StreamData::Debug(_))) >= 10);
    let other: Vec<_> = events.iter().filter(|event| matches!(event.data, StreamData::Other { .. })).collect();
    assert!(other.is_empty(), "{other:?}");
}

#[tokio::test]
#[ignore = "needs a server at LANGGRAPH_SERVER"]
async fn messages_come_piece_by_piece_and_subgraphs_have_namespaces() {
    let input = json!({"messages": [{"role": "user", "content": "hi there"}]});
    let new = NewRun::new("echo_chat").input(input).stream_mode([StreamMode::MessagesTuple]);
    let events = told(&client(), new_thread(), new).await;
    let chunk = |event: &StreamEvent| match &event.data {
        StreamData::Message(chunk, metadata) => Some((chunk.text(), metadata["langgraph_node"].clone())),
        _ => None,
    };
    let chunks: Vec<_> = events.iter().filter_map(chunk).collect();
    assert!(chunks.len() >= 5 && chunks.iter().all(|(_, node)| node == "model"), "{chunks:?}");
    assert_eq!(chunks.into_iter().map(|(text, _)| text).collect::<String>(), "Echo: hi there");

    let new = NewRun::new("nested").input(json!({"text": " hi "})).stream_mode([StreamMode::Updates]);
    let events = told(&client(), new_thread(), new.stream_subgraphs(true)).await;
    let inside: Vec<_> = events.iter().filter(|event| !event.namespace.is_empty()).collect();
    assert!(!inside.is_empty() && inside.iter().all(|event| event.namespace[0].starts_with("child:")), "{events:?}");
}

#[tokio::test]
#[ignore = "needs a server at LANGGRAPH_SERVER"]
async fn questions_and_failures_are_told() {
    let new = NewRun::new("approval").input(json!({"request": "tea"})).stream_mode([StreamMode::Updates]);
    let events = told(&client(), new_thread(), new).await;
    let asked: Vec<_> = events.iter().flat_map(StreamEvent::interrupts).collect();
    assert_eq!((asked.len(), asked[0].value["question"].as_str()), (1, Some("Approve?")));

    let events = told(&client(), new_thread(), NewRun::new("faulty").input(json!({"mode": "fail"}))).await;
    let StreamData::Error(error) = &events.last().unwrap().data else { panic!("{events:?}") };
    assert_eq!(error.message, "boom: mode=fail");
}

#[tokio::test]
#[ignore = "needs a server at LANGGRAPH_SERVER"]
async fn a_stream_outlives_connections_that_are_cut() {
    let proxy = CuttingProxy::start(&address(), &[500, 300, 700, 1500]).await;
    let client = Client::new(&proxy.address).unwrap();
    // Many events a millisecond, so that ids are shared on servers that count milliseconds.
    let new = NewRun::new("ticker").input(json!({"n": 40, "delay_ms": 1}));
    let new = new.stream_mode([StreamMode::Custom, StreamMode::Updates]).stream_resumable(true);
    let events = told(&client, new_thread(), new).await;
    assert_eq!(custom(&events), (1..=40).map(|k| json!({"tick": k})).collect::<Vec<_>>());
    let updates = events.iter().filter(|event| matches!(event.data, StreamData::Updates(_))).count();
    assert_eq!((updates, proxy.cuts()), (40, 4));
}

#[tokio::test]
#[ignore = "needs a server at LANGGRAPH_SERVER"]
async fn a_wait_outlives_a_connection_that_is_cut() {
    // The head of the answer comes, its body does not.
    let proxy = CuttingProxy::start(&address(), &[0]).await;
    let client = Client::new(&proxy.address).unwrap();
    let new = NewRun::new("ticker").input(json!({"n": 3, "delay_ms": 400}));
    let result = client.runs().wait(new_thread(), new.if_not_exists(IfThreadMissing::Create)).await.unwrap();
    assert_eq!(result.values["ticks"], json!([1, 2, 3]));
    assert_eq!(proxy.cuts(), 1);
}

#[tokio::test]
#[ignore = "needs a server at LANGGRAPH_SERVER"]
async fn a_run_is_joined_from_its_beginning_and_after_an_event() {
    let (client, thread) = (client(), new_thread());
    let new = NewRun::new("pipeline").input(json!({"topic": "hills"})).stream_mode([StreamMode::Values]);
    let events = told(&client, thread, new).await;
    let StreamData::Metadata(metadata) = &events[0].data else { panic!("{events:?}") };
    let again = client.runs().join_stream(thread, metadata.run_id, None).await.unwrap();
    let again: Vec<_> = again.map(Result::unwrap).collect().await;
    assert_eq!(again, events);
    let rest = client.runs().join_stream(thread, metadata.run_id, events[0].id.as_deref()).await.unwrap();
    let rest: Vec<_> = rest.map(Result::unwrap).collect().await;
    assert_eq!(rest, events[1..]);
}

#[tokio::test]
#[ignore = "needs a server at LANGGRAPH_SERVER"]
async fn a_thread_tells_all_its_runs() {
    let (client, thread) = (client(), new_thread());
    client.threads().create(NewThread::new().thread_id(thread)).await.unwrap();
    let stream = client.threads().stream(thread, Some("-")).await.unwrap();
    for topic in ["hills", "sea"] {
        let new = NewRun::new("pipeline").input(json!({"topic": topic})).stream_mode([StreamMode::Custom]);
        told(&client, thread, new).await;
    }
    let is_done = |event: &StreamEvent| matches!(&event.data, StreamData::Metadata(metadata) if metadata.status.as_deref() == Some("run_done"));
    let two_runs = async {
        let (mut events, mut done) = (Vec::new(), 0);
        futures::pin_mut!(stream);
        while done < 2 {
            let event = stream.next().await.unwrap().unwrap();
            done += usize::from(is_done(&event));
            events.push(event);
        }
        events
    };
    let events = tokio::time::timeout(Duration::from_secs(20), two_runs).await.unwrap();
    assert_eq!(custom(&events).len(), 6);
    assert!(events.iter().all(|event| event.id.is_some()));
}

#[tokio::test]
#[ignore = "needs a server at LANGGRAPH_SERVER"]
async fn the_event_protocol_starts_asks_answers_and_replays() {
    let (client, thread) = (client(), new_thread());
    let events = client.threads().events(thread);
    events.start(RunStart::new("approval").input(json!({"request": "tea"}))).await.unwrap();
    // Subscribed afterwards: what was told before comes first.
    let proxy = CuttingProxy::start(&address(), &[700]).await;
    let subscription = Subscription::new(["lifecycle", "input", "values"]);
    let cut = Client::new(&proxy.address).unwrap().threads().events(thread);
    let mut stream = cut.subscribe(subscription.clone()).await.unwrap();
    let (mut question, mut ends) = (None, Vec::new());
    let limit = Duration::from_secs(20);
    while question.is_none() || ends.is_empty() {
        let event = tokio::time::timeout(limit, stream.next()).await.unwrap().unwrap().unwrap();
        question = question.or(event.interrupt());
        ends.extend(event.is_end_of_run().then(|| event.lifecycle().unwrap().to_owned()));
    }
    let question = question.unwrap();
    assert_eq!(
        (question.value["question"].as_str(), ends.as_slice()),
        (Some("Approve?"), &["interrupted".to_owned()][..])
    );
    let answer = Response::new(question.id.unwrap(), "approve", Vec::new());
    events.respond(answer.clone()).await.unwrap();
    while ends.len() < 2 {
        let event = tokio::time::timeout(limit, stream.next()).await.unwrap().unwrap().unwrap();
        ends.extend(event.is_end_of_run().then(|| event.lifecycle().unwrap().to_owned()));
    }
    assert_eq!((ends[1].as_str(), proxy.cuts()), ("completed", 1));
    let error = events.respond(answer).await.unwrap_err();
    assert!(matches!(&error, ClientError::Command { code, .. } if code == "no_such_interrupt"), "{error}");
    let error = events.command("no.such", json!({})).await.unwrap_err();
    assert!(matches!(&error, ClientError::Command { code, .. } if code == "unknown_command"), "{error}");
}
