//! `graphloom worker` and `graphloom cluster status` beside `graphloom serve --workers`, as processes over one PostgreSQL.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStdout, Command};
use std::time::Duration;

use graphloom_postgres_server::Server;
use serde_json::{Value, json};
use sqlx::Connection;

use crate::applications::Applications;
use crate::serve::{Serving, first_line, http, json_of, post, serve_on, signal};
use crate::{graphloom, result, run, told};

const DEMO: [&str; 3] = ["--demo", "--apps", "none"];

/// A worker that runs. It is killed when it is dropped.
pub(crate) struct Working {
    pub(crate) process: Child,
    stdout: BufReader<ChildStdout>,
}

impl Drop for Working {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}

/// Starts a worker, and waits until it takes tasks.
fn work(place: &Path, database: &Server, more: &[&str]) -> Working {
    let mut command = graphloom(place, &[&["worker", "--json", "--store", "postgres"], more].concat());
    command.env("GRAPHLOOM_POSTGRES_URL", database.url());
    working(command)
}

/// Runs a worker, and waits until it says that it takes tasks.
pub(crate) fn working(mut command: Command) -> Working {
    let (process, stdout, told) = first_line(&mut command);
    assert_eq!(told["event"], "working", "{told}");
    Working { process, stdout }
}

/// A server whose tasks workers execute.
fn drive(place: &Path, database: &Server, more: &[&str]) -> Serving {
    serve_on(place, &[&["--workers", "--port", "0"], more].concat(), Some(&database.url()))
}

/// The status, as `--json` has it, and as people read it.
fn status(place: &Path, database: &Server) -> (Value, String) {
    let told = |json: &[&str]| {
        let mut command = graphloom(place, &[&["cluster", "status", "--store", "postgres"], json].concat());
        let output = command.env("GRAPHLOOM_POSTGRES_URL", database.url()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    (result(&told(&["--json"]))["result"].take(), told(&[]))
}

/// Waits until the status is so.
async fn until(place: &Path, database: &Server, is_so: impl Fn(&Value) -> bool) -> (Value, String) {
    loop {
        let (value, text) = status(place, database);
        if is_so(&value) {
            return (value, text);
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// What a run of a new thread ends with.
async fn done(url: &str, graph: &str, input: Value, context: Value) -> Value {
    let order = json!({ "assistant_id": graph, "input": input, "context": context });
    json_of(post(&format!("{url}/runs/wait"), &order).await).await
}

#[tokio::test]
async fn all_that_the_nodes_of_a_server_do_is_done_by_workers() {
    let database = Server::start();
    let place = tempfile::tempdir().unwrap();
    let log = place.path().join("log");
    let server = drive(place.path(), &database, &[&DEMO[..], &["--log", log.to_str().unwrap()]].concat());
    // A task waits as long as nobody has its graph, and the status and the log say what to do.
    let waiting = tokio::spawn({
        let url = server.url.clone();
        async move { done(&url, "pipeline", json!({ "topic": "tea" }), json!({})).await }
    });
    let is_waiting = |status: &Value| status["tasks"].as_array().is_some_and(|tasks| tasks.len() == 1);
    let (found, text) = until(place.path(), &database, is_waiting).await;
    assert_eq!(found["tasks"][0]["worker"], Value::Null, "{found}");
    let graph = found["tasks"][0]["graphs"][0].as_str().unwrap();
    assert!(text.contains(&format!("no worker has `{graph}`: start `graphloom worker`")), "{text}");
    let warning = format!("tasks of `{graph}` wait, and no worker has it in that version");
    while !std::fs::read_to_string(&log).unwrap().contains(&warning) {
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let told = std::fs::read_to_string(&log).unwrap();
    assert_eq!(told.matches(&warning).count(), 1, "{told}");

    let mut workers = [work(place.path(), &database, &DEMO), work(place.path(), &database, &DEMO)];
    assert!(waiting.await.unwrap().is_object());
    let fanout = json!({ "names": (0..30).map(|n| n.to_string()).collect::<Vec<_>>() });
    let found = done(&server.url, "fanout", fanout, json!({})).await;
    assert_eq!(found["results"].as_array().map(Vec::len), Some(31), "{found}");
    assert_eq!(found["results"][30], "total:30");
    // The context of a run and the store of the server are those of its workers.
    for (user, note) in [("ada", "storks come in March"), ("bea", "tides"), ("ada", "and leave in August")] {
        let found = done(&server.url, "memory", json!({ "note": note }), json!({ "user_id": user })).await;
        assert_eq!((&found["who"], found["recalled"].as_array().unwrap().contains(&json!(note))), (&json!(user), true));
    }
    let found = done(&server.url, "memory", json!({ "note": "x" }), json!({ "user_id": "ada" })).await;
    assert_eq!(found["recalled"], json!(["and leave in August", "storks come in March", "x"]));
    let found = done(&server.url, "nested", json!({ "text": " a text " }), json!({})).await;
    assert!(found["text"].is_string() && found.get("__interrupt__").is_none(), "{found}");

    // Who is there, and that nothing is left.
    let (found, text) = status(place.path(), &database);
    let members = found["members"].as_array().unwrap();
    let is_worker = |member: &&Value| member["is_worker"] == true;
    assert_eq!(
        (members.len(), members.iter().filter(is_worker).count(), &found["total"]),
        (3, 2, &json!(0)),
        "{found}"
    );
    let workers_told: Vec<_> = members.iter().filter(is_worker).map(|member| member["process"].as_u64()).collect();
    let mut processes: Vec<_> = workers.iter().map(|worker| Some(u64::from(worker.process.id()))).collect();
    processes.sort();
    assert_eq!(
        workers_told.iter().copied().collect::<std::collections::BTreeSet<_>>(),
        processes.into_iter().collect()
    );
    assert!(text.contains("drivers 1, workers 2, tasks 0") && text.contains("0 of 10"), "{text}");
    let servers = found["servers"].as_array().unwrap();
    assert_eq!(
        (servers.len(), &servers[0]["is_heard"], &servers[0]["threads"]),
        (1, &json!(true), &json!(0)),
        "{found}"
    );
    assert!(servers[0]["graphs"].as_array().unwrap().contains(&json!("pipeline")), "{found}");
    assert!(text.contains("alive"), "{text}");

    // One that is asked to stop leaves the others.
    signal(&workers[0].process, "TERM");
    let mut last = String::new();
    while workers[0].stdout.read_line(&mut last).unwrap() > 0 {}
    assert_eq!(result(&last)["status"], "done", "{last}");
    assert!(workers[0].process.wait().unwrap().success());
    until(place.path(), &database, |status| status["members"].as_array().map(Vec::len) == Some(2)).await;
}

#[tokio::test]
async fn a_limit_of_the_server_holds_for_all_graphs_but_those_that_have_their_own() {
    let database = Server::start();
    let place = tempfile::tempdir().unwrap();
    let limits = ["--limit", "2", "--limit", "fanout=1", "--priority", "fanout=-1"];
    let server = drive(place.path(), &database, &[&DEMO[..], &limits].concat());
    let run = |graph: &'static str, input: Value| {
        let url = server.url.clone();
        tokio::spawn(async move { done(&url, graph, input, json!({})).await })
    };
    let mut runs: Vec<_> = (0..5).map(|n| run("pipeline", json!({ "topic": format!("tea {n}") }))).collect();
    runs.extend((0..2).map(|_| run("fanout", json!({ "names": ["a", "b", "c"] }))));
    // Nobody executes anything yet.
    let are_queued = |status: &Value| status["tasks"].as_array().is_some_and(|tasks| tasks.len() == 7);
    let (found, text) = until(place.path(), &database, are_queued).await;
    let admitted = |class: &str| {
        let tasks = found["tasks"].as_array().unwrap().iter().filter(|task| task["class"] == class);
        tasks.map(|task| task["is_admitted"] == true).fold((0, 0), |(all, free), is| (all + 1, free + usize::from(is)))
    };
    assert_eq!((admitted("all graphs"), admitted("fanout")), ((5, 2), (2, 1)), "{text}");
    assert_eq!(text.matches("waits for a slot of class `all graphs`").count(), 3, "{text}");
    assert_eq!(found["servers"][0]["threads"], 7, "{found}");
    let _worker = work(place.path(), &database, &DEMO);
    for run in runs {
        let values = run.await.unwrap();
        assert!(values.is_object() && values.get("__error__").is_none(), "{values}");
    }
}

#[tokio::test]
async fn a_run_goes_on_when_its_worker_is_killed_and_when_its_server_is() {
    const TICKS: u64 = 30;
    let database = Server::start();
    let place = tempfile::tempdir().unwrap();
    let [one, other] = [0, 1].map(|_| drive(place.path(), &database, &DEMO));
    let thread = json_of(post(&format!("{}/threads", one.url), &json!({})).await).await;
    let thread = thread["thread_id"].as_str().unwrap();
    let order = json!({ "assistant_id": "ticker", "input": { "n": TICKS, "delay_ms": 100 } });
    let first = work(place.path(), &database, &DEMO);
    json_of(post(&format!("{}/threads/{thread}/runs", one.url), &order).await).await;
    let ticks = async || {
        let state = json_of(http().get(format!("{}/threads/{thread}/state", other.url)).send().await.unwrap()).await;
        state["values"]["ticks"].as_array().map_or(0, |ticks| ticks.len() as u64)
    };
    let until_ticks = async |most: u64| {
        while ticks().await < most {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    until_ticks(3).await;
    let _second = work(place.path(), &database, &DEMO);
    drop(first);
    until_ticks(8).await;
    drop(one);
    until_ticks(TICKS).await;
    let state = json_of(http().get(format!("{}/threads/{thread}/state", other.url)).send().await.unwrap()).await;
    assert_eq!(state["values"]["ticks"], json!((1..=TICKS).collect::<Vec<_>>()));
}

#[tokio::test]
async fn the_applications_come_to_the_same_on_workers_that_are_killed_as_in_place() {
    let place = tempfile::tempdir().unwrap();
    let database = Server::start();
    let applications = Applications::new(place.path(), "there");
    let options = applications.options();
    let server = drive(place.path(), &database, &options);
    applications.come_to_the_same(&server.url, || work(place.path(), &database, &options)).await;
}

/// How many values of a database have a word in them.
async fn readable(database: &Server, word: &str) -> i64 {
    let mut connection = sqlx::PgConnection::connect(&database.url()).await.unwrap();
    let tables = "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname LIKE 'graphloom%'";
    let tables: Vec<String> = sqlx::query_scalar(tables).fetch_all(&mut connection).await.unwrap();
    let digits: String = word.bytes().map(|byte| format!("{byte:02x}")).collect();
    let mut found = 0;
    for table in tables {
        let rows = format!("SELECT count(*) FROM {table} t WHERE t::text LIKE '%{word}%' OR t::text LIKE '%{digits}%'");
        found += sqlx::query_scalar::<_, i64>(sqlx::AssertSqlSafe(rows)).fetch_one(&mut connection).await.unwrap();
    }
    found
}

#[tokio::test]
async fn what_an_encrypted_database_holds_of_runs_and_their_tasks_cannot_be_read() {
    let key = "0123456789abcdef".repeat(4);
    for (store, is_read) in [("postgres", true), ("encrypted-postgres", false)] {
        let database = Server::start();
        let place = tempfile::tempdir().unwrap();
        let with = |line: &[&str]| {
            let mut command = graphloom(place.path(), &[line, &DEMO, &["--json", "--store", store]].concat());
            command.env("GRAPHLOOM_POSTGRES_URL", database.url()).env("GRAPHLOOM_STORE_KEY", &key);
            command
        };
        let server = Serving::of(with(&["serve", "--workers", "--port", "0"]));
        let _worker = working(with(&["worker"]));
        let thread = json_of(post(&format!("{}/threads", server.url), &json!({})).await).await;
        let url = format!("{}/threads/{}/runs/wait", server.url, thread["thread_id"].as_str().unwrap());
        let order = json!({ "assistant_id": "approval", "input": { "request": "zanzibar" } });
        let asked = json_of(post(&url, &order).await).await;
        assert_eq!(asked["draft"], "Draft for zanzibar", "{asked}");
        let found = readable(&database, "zanzibar").await;
        assert_eq!(found > 0, is_read, "{store}: {found} values can be read");
        let order = json!({ "assistant_id": "approval", "command": { "resume": "approve" } });
        assert_eq!(json_of(post(&url, &order).await).await["decision"], "approve");
    }
    let place = tempfile::tempdir().unwrap();
    let mut without = graphloom(place.path(), &["worker", "--demo", "--apps", "none", "--store", "encrypted-postgres"]);
    let (status, _, stderr) = told(without.env("GRAPHLOOM_POSTGRES_URL", "postgres://127.0.0.1:1/x").output().unwrap());
    assert!(status == 2 && stderr.contains("GRAPHLOOM_STORE_KEY"), "{status} {stderr}");
}

#[tokio::test]
async fn workers_need_a_database_that_processes_share() {
    let place = tempfile::tempdir().unwrap();
    for (line, what) in [
        (&["worker", "--demo", "--apps", "none"][..], "`graphloom worker` needs a database"),
        (&["serve", "--demo", "--apps", "none", "--workers"], "`--workers` needs a database"),
        (&["cluster", "status"], "`graphloom cluster` needs a database"),
        (&["worker", "--apps", "none", "--store", "postgres"], "there is no graph"),
        (&["worker", "--demo", "--concurrency", "0"], "0 is not in 1..="),
        (&["serve", "--demo", "--apps", "none", "--limit", "4"], "--workers"),
        (&["serve", "--demo", "--apps", "none", "--workers", "--limit", "ticker=many"], "`many` is no number of tasks"),
        (&["cluster", "status", "--store", "postgres"], "set `GRAPHLOOM_POSTGRES_URL`"),
    ] {
        let (status, _, stderr) = run(place.path(), line);
        assert!(status == 2 && stderr.contains(what), "{line:?}: {status} {stderr}");
    }
    let database = Server::start();
    let (found, text) = self::status(place.path(), &database);
    assert_eq!((found, text.as_str()), (json!({ "members": [], "servers": [], "tasks": [], "total": 0 }), ""));
}
