//! Answers that are none, keys, and addresses.

use std::time::Duration;

use graphloom_client::{
    AssistantSearch, Client, ClientError, Command, NewCron, NewItem, NewRun, Options, RunSearch, RunStatus, ThreadId,
    ThreadStatus,
};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::scripted_server::{Reply, ScriptedServer, lines, options};

const KEY: &str = "ls-very-secret";

fn id() -> ThreadId {
    ThreadId(Uuid::from_u128(7))
}

#[tokio::test]
async fn an_error_says_what_happened_where_and_what_to_do() {
    let reply = Reply::json(409, &json!({"detail": "Thread is already running a task."})).header("x-request-id", "r-1");
    let server = ScriptedServer::start([reply]).await;
    let error = server.client().runs().create(id(), NewRun::new("pipeline")).await.unwrap_err();
    assert!(error.is_conflict());
    let host = server.address.trim_start_matches("http://");
    let expected = format!(
        "`POST /threads/{}/runs` at `{host}` was answered 409: Thread is already running a task.; it is there already, or \
         the thread is busy: wait for its run, or choose another strategy (request `r-1`)",
        id()
    );
    assert_eq!(error.to_string(), expected);
}

#[tokio::test]
async fn a_page_in_the_place_of_an_answer_is_told_by_its_title() {
    let page = "<!doctype html><html><head><TITLE>502 Bad\n Gateway</TITLE></head><body>long</body></html>";
    let mut options = options();
    options.tries = 1;
    for (reply, status) in [(Reply::page(502, page), Some(502)), (Reply::page(200, page), None)] {
        let server = ScriptedServer::start([reply]).await;
        let client = Client::with_options(&server.address, options.clone()).unwrap();
        let error = client.threads().get(id()).await.unwrap_err();
        assert_eq!(error.status(), status);
        assert!(error.to_string().contains("a page `502 Bad Gateway`"), "{error}");
        assert!(!error.to_string().contains("doctype"), "{error}");
    }
    let server = ScriptedServer::start([Reply::page(200, page)]).await;
    let error = server.client().runs().wait(id(), NewRun::new("pipeline")).await.unwrap_err();
    assert!(matches!(&error, ClientError::Unexpected { found, .. } if found.contains("502 Bad Gateway")), "{error}");
}

#[tokio::test]
async fn json_of_another_form_names_the_place() {
    let server = ScriptedServer::start([Reply::json(200, &json!({"thread_id": id(), "metadata": 3}))]).await;
    let error = server.client().threads().get(id()).await.unwrap_err().to_string();
    assert!(error.contains("`metadata`") && error.contains("agent server"), "{error}");
    let mut options = options();
    options.longest_body = 10;
    let server = ScriptedServer::start([Reply::json(200, &json!({"thread_id": id()}))]).await;
    let client = Client::with_options(&server.address, options).unwrap();
    let error = client.threads().get(id()).await.unwrap_err().to_string();
    assert!(error.contains("more than 10 bytes"), "{error}");
}

#[tokio::test]
async fn a_key_goes_to_its_host_alone_and_is_never_printed() {
    let elsewhere = ScriptedServer::start([]).await;
    let redirect = Reply::json(307, &Value::Null).header("location", format!("{}/info", elsewhere.address));
    let server = ScriptedServer::start([Reply::json(200, &json!({"version": "1"})), redirect]).await;
    let options = options().key(KEY).unwrap().header("x-team", "hush").unwrap();
    assert!(!format!("{options:?}").contains(KEY) && !format!("{options:?}").contains("hush"));
    let client = Client::with_options(&server.address, options).unwrap();
    assert!(!format!("{client:?}").contains(KEY), "{client:?}");
    assert_eq!(client.info().await.unwrap()["version"], "1");
    let error = client.info().await.unwrap_err();
    let ClientError::Redirected { to, .. } = &error else { panic!("{error}") };
    assert_eq!(*to, elsewhere.address.trim_start_matches("http://"));
    assert!(elsewhere.asked().is_empty());
    let asked = server.asked();
    assert_eq!((asked[0].header("x-api-key"), asked[0].header("x-team")), (Some(KEY), Some("hush")));

    let in_the_open = Client::with_options("http://agents.example.org", Options::default().key(KEY).unwrap());
    let error = in_the_open.unwrap_err();
    assert!(matches!(&error, ClientError::InsecureKey { host } if host == "agents.example.org"), "{error}");
    assert!(Client::with_options("https://agents.example.org", Options::default().key(KEY).unwrap()).is_ok());
    assert!(Client::new("http://agents.example.org").is_ok());
    assert!(matches!(Options::default().key("a\nb"), Err(ClientError::Header { .. })));
}

#[tokio::test]
async fn a_place_at_another_host_is_not_followed() {
    let away = "http://elsewhere.example.org/threads/x/runs/y";
    let server = ScriptedServer::start([Reply::json(200, &json!({})).header("location", away)]).await;
    let error = server.client().runs().wait(id(), NewRun::new("pipeline")).await.unwrap_err();
    assert!(matches!(&error, ClientError::Redirected { to, .. } if to == "elsewhere.example.org"), "{error}");
}

#[test]
fn addresses_that_are_none_are_told() {
    for (address, part) in [
        ("localhost:2024", "its scheme is `localhost`"),
        ("agents", "is no address of a server"),
        ("ftp://agents", "its scheme is `ftp`"),
        ("http://me:secret@agents", "it has a user"),
        ("http://agents?key=secret", "a query"),
    ] {
        let error = Client::new(address).unwrap_err().to_string();
        assert!(error.contains(part) && !error.contains("secret"), "{error}");
    }
}

#[tokio::test]
async fn a_server_may_lie_below_a_path() {
    let server = ScriptedServer::start([Reply::json(200, &json!({})), Reply::json(200, &json!([]))]).await;
    let client = Client::with_options(&format!("{}/agents/", server.address), options()).unwrap();
    client.assistants().schemas("a graph/é").await.unwrap();
    client.runs().list(id(), RunSearch::new().status(RunStatus::Pending).limit(5_u64)).await.unwrap();
    let expected = [
        "GET /agents/assistants/a%20graph%2F%C3%A9/schemas".to_owned(),
        format!("GET /agents/threads/{}/runs?status=pending&limit=5", id()),
    ];
    assert_eq!(lines(&server.asked()), expected);
}

#[tokio::test]
async fn what_a_run_left_is_values_questions_or_its_error() {
    let waiting = json!({"draft": "x", "__interrupt__": [{"value": {"question": "Approve?"}, "id": "i1"}, "odd"]});
    let failed = json!({"__error__": {"error": "ValueError", "message": "boom"}});
    // Signs of life come before the result.
    let alive =
        Reply::events([&b"\n"[..], &b"\n"[..], &b"{\"count\":3}"[..]]).header("content-type", "application/json");
    let script = [alive, Reply::json(200, &waiting), Reply::json(200, &failed), Reply::json(200, &json!([1]))];
    let server = ScriptedServer::start(script).await;
    let (runs, new) = (server.client().runs(), NewRun::new("approval"));
    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Counted {
        count: u32,
    }
    let result = runs.wait(id(), new.clone()).await.unwrap();
    assert_eq!(result.values_as::<Counted>().unwrap(), Counted { count: 3 });
    let result = runs.wait(id(), new.clone().command(Command::resume("x"))).await.unwrap();
    assert_eq!(result.values, json!({"draft": "x"}));
    assert_eq!(result.interrupts[0].id.as_deref(), Some("i1"));
    assert_eq!(result.interrupts[1].value, "odd");
    let error = runs.wait(None, new.clone()).await.unwrap_err();
    assert!(matches!(&error, ClientError::RunFailed { kind, message } if kind == "ValueError" && message == "boom"));
    assert_eq!(runs.wait(None, new).await.unwrap().values, json!([1]));
    let asked = server.asked();
    assert_eq!(
        (asked[1].line.clone(), asked[2].line.clone()),
        (format!("POST /threads/{}/runs/wait", id()), "POST /runs/wait".into())
    );
    assert_eq!(asked[1].json(), json!({"assistant_id": "approval", "command": {"resume": "x"}}));
}

#[tokio::test]
async fn a_wait_that_breaks_off_joins_its_run() {
    let run = Uuid::from_u128(9);
    let place = format!("/threads/{}/runs/{run}/join", id());
    let alive = Reply::events(["\n"]).header("location", place.clone());
    let script = [alive.clone().cut(), Reply::unanswered(), Reply::json(200, &json!({"count": 3}))];
    let server = ScriptedServer::start(script).await;
    let result = server.client().runs().wait(id(), NewRun::new("pipeline")).await.unwrap();
    assert_eq!(result.values, json!({"count": 3}));
    let asked = lines(&server.asked());
    assert_eq!(asked, [format!("POST /threads/{}/runs/wait", id()), format!("GET {place}"), format!("GET {place}")]);

    // Silence is a break, too.
    let mut options = options();
    options.silence = Duration::from_millis(50);
    let server = ScriptedServer::start([alive.quiet(), Reply::json(200, &json!({"count": 4}))]).await;
    let client = Client::with_options(&server.address, options).unwrap();
    assert_eq!(client.runs().wait(id(), NewRun::new("pipeline")).await.unwrap().values, json!({"count": 4}));
}

#[tokio::test]
async fn requests_have_the_form_of_the_protocol() {
    let assistant = json!({"assistant_id": Uuid::from_u128(1), "graph_id": "pipeline", "metadata": {}});
    let page = Reply::json(200, &json!([assistant])).header("x-pagination-total", "7").header("x-pagination-next", "1");
    let cron = json!({"cron_id": Uuid::from_u128(2), "schedule": "0 7 * * *", "thread_id": null});
    let script = [page, Reply::json(200, &cron), Reply::json(204, &Value::Null), Reply::json(200, &Value::Null)];
    let server = ScriptedServer::start(script).await;
    let client = server.client();
    let found = client.assistants().search(AssistantSearch::new().graph_id("pipeline").limit(1_u64)).await.unwrap();
    assert_eq!((found.items[0].graph_id.as_str(), found.total, found.next), ("pipeline", Some(7), Some(1)));
    let run = NewRun::new("pipeline").input(json!({"topic": "hills"}));
    let cron = client.crons().create(None, NewCron::new("0 7 * * *", run).timezone("Europe/Lisbon")).await.unwrap();
    assert_eq!(cron.schedule, "0 7 * * *");
    client.store().put(NewItem::new(["memories", "u1"], "k", json!({"a": 1})).ttl(2.0)).await.unwrap();
    assert_eq!(client.store().get(["memories", "u1"], "k k").await.unwrap(), None);
    let asked = server.asked();
    let expected = [
        "POST /assistants/search",
        "POST /runs/crons",
        "PUT /store/items",
        "GET /store/items?namespace=memories.u1&key=k+k",
    ];
    assert_eq!(lines(&asked), expected);
    assert_eq!(asked[0].json(), json!({"graph_id": "pipeline", "limit": 1}));
    let body = json!({"schedule": "0 7 * * *", "assistant_id": "pipeline", "input": {"topic": "hills"}, "timezone": "Europe/Lisbon"});
    assert_eq!(asked[1].json(), body);
    assert_eq!(asked[2].json(), json!({"namespace": ["memories", "u1"], "key": "k", "value": {"a": 1}, "ttl": 2.0}));
}

#[tokio::test]
async fn what_a_newer_server_says_is_borne() {
    let thread = json!({"thread_id": id(), "status": "asleep", "values": {"a": 1}, "interrupts": null, "mood": "good"});
    let server = ScriptedServer::start([Reply::json(200, &thread)]).await;
    let thread = server.client().threads().get(id()).await.unwrap();
    assert_eq!((thread.status, thread.extra["mood"].as_str()), (ThreadStatus::Unknown, Some("good")));
}
