//! Streams of runs and threads over connections that break.

use std::time::Duration;

use futures::{Stream, StreamExt};
use graphloom_client::{Client, ClientError, NewRun, RunId, RunStatus, StreamData, StreamEvent, StreamMode, ThreadId};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::scripted_server::{Reply, ScriptedServer, lines, options};

fn thread() -> ThreadId {
    ThreadId(Uuid::from_u128(7))
}

fn run() -> RunId {
    RunId(Uuid::from_u128(9))
}

fn place() -> String {
    format!("/threads/{}/runs/{}", thread(), run())
}

fn frame(event: &str, data: &Value, id: Option<&str>) -> String {
    let id = id.map(|id| format!("id: {id}\r\n")).unwrap_or_default();
    format!("event: {event}\r\ndata: {data}\r\n{id}\r\n")
}

fn custom(n: u32, id: &str) -> String {
    frame("custom", &json!(n), Some(id))
}

fn metadata() -> String {
    frame("metadata", &json!({"run_id": run(), "attempt": 1}), Some("1-0"))
}

fn end() -> String {
    frame("end", &json!({"run_id": run(), "status": "success"}), Some("9-0"))
}

fn begun<const N: usize>(frames: [String; N]) -> Reply {
    Reply::events(frames).header("location", format!("{}/stream", place())).header("content-location", place())
}

fn run_that_is(status: &str) -> Reply {
    let run = json!({"run_id": run(), "thread_id": thread(), "assistant_id": Uuid::from_u128(1), "status": status});
    Reply::json(200, &run)
}

/// What custom events tell, and how the stream ends.
async fn read(
    mut events: impl Stream<Item = Result<StreamEvent, ClientError>> + Unpin,
) -> (Vec<u64>, Result<Option<StreamData>, ClientError>) {
    let mut numbers = Vec::new();
    while let Some(event) = events.next().await {
        match event {
            Err(error) => {
                assert!(events.next().await.is_none(), "nothing follows an error");
                return (numbers, Err(error));
            }
            Ok(StreamEvent { data: StreamData::Custom(number), .. }) => numbers.push(number.as_u64().unwrap()),
            Ok(event) if event.is_last() => {
                assert!(events.next().await.is_none(), "nothing follows the end");
                return (numbers, Ok(Some(event.data)));
            }
            Ok(_) => {}
        }
    }
    (numbers, Ok(None))
}

async fn started(client: &Client) -> (Vec<u64>, Result<Option<StreamData>, ClientError>) {
    let new = NewRun::new("pipeline").stream_mode([StreamMode::Custom]);
    let events = client.runs().stream(thread(), new).await.unwrap();
    assert_eq!((events.thread_id(), events.run_id()), (Some(thread()), Some(run())));
    read(events).await
}

fn assert_succeeded(end: Result<Option<StreamData>, ClientError>) {
    let Ok(Some(StreamData::End(end))) = end else { panic!("{end:?}") };
    assert_eq!(end.status, Some(RunStatus::Success));
}

#[tokio::test]
async fn a_stream_goes_on_where_it_broke_without_a_gap_or_a_repeat() {
    let script = [
        begun([metadata(), custom(1, "2-0")]).cut(),
        // The first attempt to go on finds a server that restarts, the second breaks among the repeats.
        Reply::json(503, &json!({"detail": "starting"})),
        Reply::events([custom(1, "2-0")]).cut(),
        Reply::events([custom(1, "2-0"), custom(2, "3-0"), custom(3, "4-0")]).cut(),
        Reply::events([custom(3, "4-0"), ": heartbeat\r\n\r\n".into(), custom(4, "5-0"), end()]),
    ];
    let server = ScriptedServer::start(script).await;
    let (numbers, ended) = started(&server.client()).await;
    assert_eq!(numbers, [1, 2, 3, 4]);
    assert_succeeded(ended);
    let asked = server.asked();
    assert_eq!(asked[0].json()["stream_resumable"], true);
    let after: Vec<_> = asked[1..].iter().map(|asked| (asked.line.clone(), asked.header("last-event-id"))).collect();
    let again = |id| (format!("GET {}/stream", place()), Some(id));
    assert_eq!(after, [again("1-0"), again("1-0"), again("1-0"), again("3-0")]);
}

#[tokio::test]
async fn events_that_share_an_id_are_told_once_each() {
    let script = [
        begun([metadata(), custom(1, "2-0"), custom(2, "2-0")]).cut(),
        Reply::events([custom(1, "2-0"), custom(2, "2-0"), custom(3, "2-0"), custom(4, "3-0"), end()]),
    ];
    let server = ScriptedServer::start(script).await;
    let (numbers, ended) = started(&server.client()).await;
    assert_eq!(numbers, [1, 2, 3, 4]);
    assert_succeeded(ended);
    assert_eq!(server.asked()[1].header("last-event-id"), Some("1-0"));
}

#[tokio::test]
async fn a_connection_that_brings_nothing_at_all_is_followed_from_the_beginning() {
    let script = [begun([]).cut(), Reply::events([metadata(), custom(1, "2-0"), end()])];
    let server = ScriptedServer::start(script).await;
    let (numbers, ended) = started(&server.client()).await;
    assert_eq!(numbers, [1]);
    assert_succeeded(ended);
    assert_eq!(server.asked()[1].header("last-event-id"), Some("-1"));
}

#[tokio::test]
async fn a_quiet_connection_is_a_broken_one() {
    let mut options = options();
    options.silence = Duration::from_millis(60);
    let script = [begun([metadata(), custom(1, "2-0")]).quiet(), Reply::events([custom(1, "2-0"), end()])];
    let server = ScriptedServer::start(script).await;
    let (numbers, ended) = started(&Client::with_options(&server.address, options).unwrap()).await;
    assert_eq!(numbers, [1]);
    assert_succeeded(ended);
}

#[tokio::test]
async fn attempts_without_a_new_event_are_bounded() {
    let mut options = options();
    options.reconnects = 3;
    let repeats = Reply::events([custom(1, "2-0")]).cut();
    let mut script = vec![begun([metadata(), custom(1, "2-0")]).cut()];
    script.extend(vec![repeats; 3]);
    let server = ScriptedServer::start(script).await;
    let (numbers, ended) = started(&Client::with_options(&server.address, options).unwrap()).await;
    assert_eq!(numbers, [1]);
    let error = ended.unwrap_err();
    let ClientError::StreamBroken { reconnects: 3, last, .. } = &error else { panic!("{error}") };
    assert_eq!(last.as_deref(), Some("2-0"));
    assert_eq!(server.asked().len(), 4);
}

#[tokio::test]
async fn connections_that_stood_for_a_while_are_no_failures() {
    let mut options = options();
    (options.reconnects, options.tries, options.standing) = (2, 2, Duration::ZERO);
    let mut script = vec![begun([metadata(), custom(1, "2-0")]).cut()];
    script.extend(vec![Reply::events([custom(1, "2-0"), ": heartbeat\r\n\r\n".into()]).cut(); 5]);
    script.push(Reply::events([custom(1, "2-0"), end()]));
    let server = ScriptedServer::start(script).await;
    let client = Client::with_options(&server.address, options).unwrap();
    let (numbers, ended) = started(&client).await;
    assert_eq!((numbers, server.asked().len()), (vec![1], 7));
    assert_succeeded(ended);

    // Whoever waits for a run is as patient.
    let mut options = crate::scripted_server::options();
    (options.tries, options.standing) = (2, Duration::ZERO);
    let mut script = vec![Reply::events(["\n"]).cut(); 5];
    script.push(Reply::json(200, &json!({"count": 3})));
    let server = ScriptedServer::start(script).await;
    let client = Client::with_options(&server.address, options).unwrap();
    assert_eq!(client.runs().join(thread(), run()).await.unwrap().values, json!({"count": 3}));
}

#[tokio::test]
async fn without_ids_a_break_is_one_clear_error() {
    let script = [begun([frame("metadata", &json!({"run_id": run()}), None), frame("custom", &json!(1), None)]).cut()];
    let server = ScriptedServer::start(script).await;
    let (numbers, ended) = started(&server.client()).await;
    assert_eq!(numbers, [1]);
    let error = ended.unwrap_err();
    assert!(matches!(error, ClientError::NotResumable { .. }), "{error}");
    assert_eq!(server.asked().len(), 1, "nothing is asked for in vain");

    // Nothing was read, and what comes after the break has no ids: what was before it is not known.
    let server = ScriptedServer::start([begun([]).cut(), Reply::events([frame("custom", &json!(2), None)])]).await;
    let (numbers, ended) = started(&server.client()).await;
    assert!(numbers.is_empty() && matches!(ended, Err(ClientError::NotResumable { .. })), "{ended:?}");
}

#[tokio::test]
async fn events_that_the_server_no_longer_has_are_missed() {
    let script = [begun([metadata(), custom(1, "2-0")]).cut(), Reply::events([custom(3, "4-0"), end()])];
    let server = ScriptedServer::start(script).await;
    let (numbers, ended) = started(&server.client()).await;
    assert_eq!(numbers, [1]);
    let error = ended.unwrap_err();
    assert!(matches!(&error, ClientError::Gap { id, found } if id == "2-0" && found == "4-0"), "{error}");
}

#[tokio::test]
async fn a_proper_close_is_an_end_only_when_the_run_is_over() {
    let script = [
        begun([metadata(), custom(1, "2-0")]),
        run_that_is("running"),
        Reply::events([custom(1, "2-0"), custom(2, "3-0")]),
        // It is over by now, and told something in between.
        run_that_is("success"),
        Reply::events([custom(2, "3-0"), custom(3, "4-0")]),
    ];
    let server = ScriptedServer::start(script).await;
    let (numbers, ended) = started(&server.client()).await;
    assert_eq!(numbers, [1, 2, 3]);
    assert_succeeded(ended);
    assert_eq!(server.asked()[1].line, format!("GET {}", place()));

    // One that is deleted has ended, too.
    let gone = Reply::json(404, &json!({"detail": "Not Found"}));
    let server = ScriptedServer::start([begun([metadata(), custom(1, "2-0")]), gone]).await;
    let (numbers, ended) = started(&server.client()).await;
    assert_eq!(numbers, [1]);
    assert!(matches!(ended, Ok(Some(StreamData::End(end))) if end.status.is_none()));
}

#[tokio::test]
async fn an_error_frame_ends_the_stream() {
    let failed = frame("error", &json!({"error": "ValueError", "message": "boom"}), Some("3-0"));
    let server = ScriptedServer::start([begun([metadata(), failed, custom(1, "4-0")])]).await;
    let (numbers, ended) = started(&server.client()).await;
    assert!(numbers.is_empty());
    let Ok(Some(StreamData::Error(error))) = ended else { panic!("{ended:?}") };
    assert_eq!((error.kind.as_str(), error.message.as_str()), ("ValueError", "boom"));
}

#[tokio::test]
async fn a_page_or_rubbish_is_no_stream() {
    let page = Reply::page(200, "<title>Sign in</title>");
    let server = ScriptedServer::start([page.clone()]).await;
    let error = server.client().runs().stream(thread(), NewRun::new("pipeline")).await.unwrap_err();
    assert!(matches!(&error, ClientError::Unexpected { found, .. } if found == "a page `Sign in`"), "{error}");

    // A proxy that asks for a name in the middle of it.
    let server = ScriptedServer::start([begun([metadata()]).cut(), page]).await;
    let (_, ended) = started(&server.client()).await;
    assert!(matches!(&ended, Err(ClientError::Unexpected { found, .. }) if found.contains("Sign in")), "{ended:?}");

    let rubbish = begun([metadata(), "event: custom\r\ndata: {broken\r\nid: 2-0\r\n\r\n".into()]);
    let server = ScriptedServer::start([rubbish]).await;
    let (_, ended) = started(&server.client()).await;
    assert!(matches!(&ended, Err(ClientError::Unexpected { .. })), "{ended:?}");
}

#[tokio::test]
async fn a_stream_without_a_thread_goes_on_by_its_run() {
    let begun = Reply::events([metadata(), custom(1, "2-0")]).header("location", format!("/runs/{}/stream", run()));
    let script = [begun.cut(), Reply::events([custom(1, "2-0"), custom(2, "3-0"), end()])];
    let server = ScriptedServer::start(script).await;
    let events = server.client().runs().stream(None, NewRun::new("pipeline")).await.unwrap();
    assert_eq!((events.thread_id(), events.run_id()), (None, Some(run())));
    let (numbers, ended) = read(events).await;
    assert_eq!(numbers, [1, 2]);
    assert_succeeded(ended);
    assert_eq!(lines(&server.asked()), ["POST /runs/stream".to_owned(), format!("GET /runs/{}/stream", run())]);
}

#[tokio::test]
async fn a_run_is_joined_after_an_id_that_was_kept() {
    let script = [Reply::events([custom(3, "4-0")]).cut(), Reply::events([custom(3, "4-0"), custom(4, "5-0"), end()])];
    let server = ScriptedServer::start(script).await;
    let events = server.client().runs().join_stream(thread(), run(), Some("3-0")).await.unwrap();
    let (numbers, ended) = read(events).await;
    assert_eq!(numbers, [3, 4]);
    assert_succeeded(ended);
    let asked = server.asked();
    assert_eq!([asked[0].header("last-event-id"), asked[1].header("last-event-id")], [Some("3-0"), Some("3-0")]);
}

#[tokio::test]
async fn a_thread_is_read_over_many_runs_and_connections() {
    let done = frame("metadata", &json!({"status": "run_done", "run_id": run()}), Some("3-0"));
    let script = [
        Reply::events([metadata(), custom(1, "2-0"), done]),
        Reply::events([
            frame("metadata", &json!({"status": "run_done", "run_id": run()}), Some("3-0")),
            custom(2, "4-0"),
        ])
        .cut(),
        Reply::events([custom(2, "4-0"), custom(3, "5-0")]).quiet(),
    ];
    let server = ScriptedServer::start(script).await;
    let events = server.client().threads().stream(thread(), Some("-")).await.unwrap();
    let told: Vec<_> = events.take(5).map(|event| event.unwrap().data).collect().await;
    assert_eq!(told[1..2], [StreamData::Custom(json!(1))]);
    assert!(matches!(&told[2], StreamData::Metadata(done) if done.status.as_deref() == Some("run_done")));
    assert_eq!(told[3..], [StreamData::Custom(json!(2)), StreamData::Custom(json!(3))]);
    let asked = server.asked();
    let after: Vec<_> = asked.iter().map(|asked| asked.header("last-event-id")).collect();
    assert_eq!(after, [Some("-"), Some("2-0"), Some("3-0")]);
    assert!(asked[0].line.contains("stream_mode=run_modes&stream_modes=run_modes"), "{}", asked[0].line);
}
