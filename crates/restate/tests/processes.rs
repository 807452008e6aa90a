//! Endpoints and drivers in processes of their own, and an engine, which are killed, stopped and continued.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use graphloom_checkpoint_sqlite::SqliteCheckpointer;
use graphloom_core_graph::checkpoint::MemoryCheckpointer;
use graphloom_core_graph::{Outcome, Thread};
use graphloom_postgres_server::KeptPort;
use graphloom_restate::{Endpoint, Engine, EngineOptions, RunEnd};
use graphloom_restate_server::Engine as Server;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use serde_json::json;

use crate::pages::{Notes, Page, Pause, app, drafted, graph, lines, noted, until};
use crate::places::{driven, options, port};
use crate::threads::{ask, page_lines, state};

/// Parts of each page of these tests.
const PARTS: u64 = 6;

/// A process of these tests. It is killed when this is dropped.
struct Process(Child);

/// What a process of these tests is told.
#[derive(Clone)]
struct ProcessSettings {
    engine: String,
    address: SocketAddr,
    notes: PathBuf,
    pause: Pause,
}

impl ProcessSettings {
    fn new(server: &Server, port: &KeptPort, notes: &Path, pause: Pause) -> Self {
        Self { engine: server.url(), address: port.address(), notes: notes.to_owned(), pause }
    }

    fn here() -> Option<Self> {
        let told = std::env::var("PAGES_TOLD").ok()?;
        let [engine, address, notes, pause] = told.split('|').collect::<Vec<_>>().try_into().ok()?;
        let pause = match pause {
            "none" => Pause::None,
            "short" => Pause::Short,
            "forever" => Pause::Forever,
            file => Pause::Until(file.into()),
        };
        Some(Self { engine: engine.to_owned(), address: address.parse().ok()?, notes: notes.into(), pause })
    }

    /// Begins one of the tests below that are programs.
    fn start(&self, program: &str) -> Process {
        let Self { engine, address, notes, pause } = self;
        let pause = match pause {
            Pause::None => "none".to_owned(),
            Pause::Short => "short".to_owned(),
            Pause::Until(file) => file.display().to_string(),
            Pause::UntilStop | Pause::Forever => "forever".to_owned(),
        };
        let child = Command::new(std::env::current_exe().expect("this program"))
            .args(["--exact", &format!("processes::{program}"), "--nocapture"])
            .env("PAGES_TOLD", format!("{engine}|{address}|{}|{pause}", notes.display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .expect("a process starts");
        Process(child)
    }

    fn worker(&self) -> Process {
        self.start("worker_program")
    }

    fn options(&self) -> EngineOptions {
        EngineOptions::new(&self.engine).expect("an address").silence(Duration::from_secs(3))
    }
}

impl Process {
    /// Sends a signal by its name.
    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([format!("-{name}"), self.0.id().to_string()]).status();
        assert!(sent.expect("kill runs").success(), "the process is there");
    }

    fn kill(&mut self) {
        self.0.kill().expect("it is killed");
        self.0.wait().expect("it ends");
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// The file in which processes note that they do something.
fn life(notes: &Path) -> PathBuf {
    notes.with_extension("life")
}

/// Notes again and again that this process does something.
async fn live(notes: PathBuf) {
    let notes = Notes { file: life(&notes), pause: Pause::None };
    loop {
        notes.note("lives", u64::from(std::process::id()));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// A process that executes tasks; as a test it does nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn worker_program() {
    let Some(told) = ProcessSettings::here() else { return };
    tokio::spawn(live(told.notes.clone()));
    let endpoint = Endpoint::new(&told.options()).serve(app(&told.notes, told.pause)).listen(told.address).shared();
    endpoint.run(std::future::pending()).await.expect("it works");
}

/// A process that drives threads, whose tasks others execute; as a test it does nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn driver_program() {
    let Some(told) = ProcessSettings::here() else { return };
    let engine = Engine::connect(&told.options()).await.expect("an engine");
    let driven = graph().executed_by(engine).expect("the state is stored");
    let driven = driven.with_context(Notes { file: told.notes.with_extension("unused"), pause: Pause::None });
    let store = SqliteCheckpointer::open(told.notes.with_extension("db")).expect("a store");
    let endpoint = Endpoint::new(&told.options()).threads("Pages", driven.with_checkpointer(store));
    endpoint.listen(told.address).shared().run(std::future::pending()).await.expect("it works");
}

/// A thread whose run this process drives.
async fn page(server: &Server, folder: &Path) -> Thread<Page, Notes> {
    let driven = driven(&options(server), &folder.join("unused")).await;
    driven.with_checkpointer(MemoryCheckpointer::new()).thread("page")
}

/// Drives a page to its question.
fn drive(thread: &Thread<Page, Notes>) -> tokio::task::JoinHandle<()> {
    let run = thread.run(Page::update().parts(PARTS));
    tokio::spawn(async move {
        let outcome = run.await;
        assert!(matches!(outcome, Ok(Outcome::Waiting(_))), "{outcome:?}");
    })
}

async fn lines_of(thread: &Thread<Page, Notes>) -> Vec<String> {
    thread.state().await.expect("a state").state.lines.iter().cloned().collect()
}

/// Waits until the drafts of all parts are kept.
async fn until_kept(notes: &Path) {
    until(|| (0..PARTS).all(|part| noted(notes, "kept", part) > 0)).await;
}

/// Waits until a part is begun again, and tells after how long.
async fn until_begun_again(notes: &Path) -> Duration {
    let began = Instant::now();
    until(|| (0..PARTS).any(|part| noted(notes, "began", part) > 1)).await;
    began.elapsed()
}

/// Each durable step was executed once, whoever died.
fn each_drafted_once(notes: &Path) {
    for part in 0..PARTS {
        assert_eq!(noted(notes, "draft", part), 1, "part {part}: {:?}", lines(notes));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endpoint_that_is_killed_is_replaced_and_its_durable_steps_are_kept() {
    let (server, folder, port) = (Server::start(), tempfile::tempdir().expect("a folder"), port());
    let notes = folder.path().join("notes");
    let told = ProcessSettings::new(&server, &port, &notes, Pause::Forever);
    let mut first = told.worker();
    let thread = page(&server, folder.path()).await;
    let driving = drive(&thread);
    until_kept(&notes).await;
    let _second = ProcessSettings { pause: Pause::None, ..told }.worker();
    first.kill();
    println!("the endpoint was killed: begun again after {:?}", until_begun_again(&notes).await);
    driving.await.expect("the run ends");
    assert_eq!(lines_of(&thread).await, drafted(PARTS));
    each_drafted_once(&notes);
    for part in 0..PARTS {
        let of = |what| noted(&notes, what, part);
        assert!(of("began") > 1 && of("ended") > 0, "part {part}: {:?}", lines(&notes));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endpoint_that_was_taken_for_dead_and_comes_back_changes_nothing() {
    let (server, folder, port) = (Server::start_impatient(), tempfile::tempdir().expect("a folder"), port());
    let notes = folder.path().join("notes");
    let gates = ["first", "second"].map(|name| folder.path().join(name));
    let told = ProcessSettings::new(&server, &port, &notes, Pause::Until(gates[0].clone()));
    let first = told.worker();
    let thread = page(&server, folder.path()).await;
    let driving = drive(&thread);
    until_kept(&notes).await;
    first.signal("STOP");
    let _second = ProcessSettings { pause: Pause::Until(gates[1].clone()), ..told }.worker();
    println!("the endpoint stood still: begun again after {:?}", until_begun_again(&notes).await);
    // It ends its parts while the other one is at them.
    std::fs::write(&gates[0], "").expect("the gate opens");
    let lives = || noted(&life(&notes), "lives", u64::from(first.0.id()));
    let before = lives();
    first.signal("CONT");
    until(|| lives() > before + 3).await;
    std::fs::write(&gates[1], "").expect("the gate opens");
    driving.await.expect("the run ends");
    assert_eq!(lines_of(&thread).await, drafted(PARTS));
    each_drafted_once(&notes);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_engine_that_is_killed_loses_and_doubles_nothing() {
    let (mut server, folder, port) = (Server::start(), tempfile::tempdir().expect("a folder"), port());
    let (notes, gate) = (folder.path().join("notes"), folder.path().join("gate"));
    let _worker = ProcessSettings::new(&server, &port, &notes, Pause::Until(gate.clone())).worker();
    let thread = page(&server, folder.path()).await;
    let driving = drive(&thread);
    until_kept(&notes).await;
    server.kill();
    let killed = Instant::now();
    server.restart();
    println!("the engine was killed: it is there after {} ms", killed.elapsed().as_millis());
    std::fs::write(&gate, "").expect("the gate opens");
    driving.await.expect("the run ends");
    println!("the engine was killed: the run has ended after {} ms", killed.elapsed().as_millis());
    assert_eq!(lines_of(&thread).await, drafted(PARTS));
    each_drafted_once(&notes);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_deployment_that_is_gone_is_replaced_by_another_one() {
    let (server, folder) = (Server::start(), tempfile::tempdir().expect("a folder"));
    let ports = [(); 2].map(|()| port());
    let notes = folder.path().join("notes");
    let told = ProcessSettings::new(&server, &ports[0], &notes, Pause::Forever);
    let mut first = told.worker();
    let thread = page(&server, folder.path()).await;
    let driving = drive(&thread);
    until_kept(&notes).await;
    // The invocations are bound to its address, where nobody comes again.
    first.kill();
    let _second = ProcessSettings { address: ports[1].address(), pause: Pause::None, ..told }.worker();
    println!("the deployment is gone: begun again after {:?}", until_begun_again(&notes).await);
    driving.await.expect("the run ends");
    assert_eq!(lines_of(&thread).await, drafted(PARTS));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_that_drives_a_run_and_is_killed_is_replaced() {
    let (server, folder) = (Server::start(), tempfile::tempdir().expect("a folder"));
    let ports = [(); 2].map(|()| port());
    let (notes, gate) = (folder.path().join("notes"), folder.path().join("gate"));
    let _worker = ProcessSettings::new(&server, &ports[0], &notes, Pause::Until(gate.clone())).worker();
    let drivers = ProcessSettings::new(&server, &ports[1], &notes, Pause::None);
    let mut first = drivers.start("driver_program");
    state(&server, "page").await;
    let asked = {
        let ingress = server.ingress();
        tokio::spawn(async move { ask(&ingress, "Pages/page/run", "first", &json!({"input": {"parts": PARTS}})).await })
    };
    until_kept(&notes).await;
    let _second = drivers.start("driver_program");
    first.kill();
    println!("the driver was killed: begun again after {:?}", until_begun_again(&notes).await);
    std::fs::write(&gate, "").expect("the gate opens");
    let end: RunEnd = asked.await.expect("no panic").expect("it is answered");
    assert_eq!(page_lines(&end), drafted(PARTS));
    assert_eq!(end.questions.iter().map(|question| question.key.as_str()).collect::<Vec<_>>(), ["title"]);
    each_drafted_once(&notes);
    let answers = json!({"answers": {"title": "A page"}});
    let end = ask(&server.ingress(), "Pages/page/run", "second", &answers).await.expect("it is answered");
    let expected: Vec<String> = drafted(PARTS).into_iter().chain(["A page".to_owned()]).collect();
    assert_eq!(page_lines(&end), expected);
}

/// Asks for a run of a page until there is an answer: the engine may be away, and what it is asked twice under one name is one run.
async fn insist(server: &str, page: &str) -> RunEnd {
    let client = crate::threads::client();
    loop {
        let request = client.post(format!("{server}/Pages/{page}/run")).header("idempotency-key", page);
        let request = request.header("content-type", "application/json");
        let answer = request.body(json!({"input": {"parts": PARTS}}).to_string()).send().await;
        if let Ok(answer) = answer {
            let (status, text) = (answer.status(), answer.text().await.unwrap_or_default());
            match status.as_u16() {
                200 => return serde_json::from_str(&text).unwrap_or_else(|error| panic!("{page}: {error}: {text}")),
                400..500 if status != 404 => panic!("{page}: {status} {text}"),
                _ => {}
            }
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn endpoints_drivers_and_engines_that_die_at_random_lose_and_double_nothing() {
    let seed = std::env::var("GRAPHLOOM_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed: u64 = seed.unwrap_or_else(rand::random);
    let seconds = std::env::var("PAGES_SECONDS").ok().and_then(|seconds| seconds.parse().ok()).unwrap_or(8);
    println!("GRAPHLOOM_SEED={seed}");
    let mut random = StdRng::seed_from_u64(seed);
    let (mut server, folder) = (Server::start_impatient(), tempfile::tempdir().expect("a folder"));
    let ports = [(); 2].map(|()| port());
    let notes = folder.path().join("notes");
    let executes = ProcessSettings::new(&server, &ports[0], &notes, Pause::Short);
    let drives = ProcessSettings::new(&server, &ports[1], &notes, Pause::None);
    let begin = |at: usize| if at < 2 { executes.worker() } else { drives.start("driver_program") };
    let mut processes: Vec<Process> = (0..4).map(begin).collect();
    let (began, mut deaths, mut pages) = (Instant::now(), 0, 0);
    let mut runs = tokio::task::JoinSet::new();
    while began.elapsed() < Duration::from_secs(seconds) {
        while runs.len() < 4 {
            let (name, ingress) = (format!("page-{pages}"), server.ingress());
            pages += 1;
            runs.spawn(async move {
                let end = insist(&ingress, &name).await;
                assert_eq!(page_lines(&end), drafted(PARTS), "{name}");
            });
        }
        tokio::time::sleep(Duration::from_millis(random.random_range(50..700))).await;
        while let Some(ended) = runs.try_join_next() {
            ended.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        }
        deaths += 1;
        let at = random.random_range(0..processes.len());
        match random.random_range(0..8) {
            0 => {
                server.kill();
                server.restart();
            }
            1 | 2 => {
                processes[at].signal("STOP");
                tokio::time::sleep(Duration::from_millis(random.random_range(200..3000))).await;
                processes[at].signal("CONT");
            }
            _ => {
                processes[at].kill();
                processes[at] = begin(at);
            }
        }
    }
    println!("seed {seed}: {deaths} deaths and stops, {pages} pages");
    while let Some(ended) = runs.join_next().await {
        ended.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    }
}
