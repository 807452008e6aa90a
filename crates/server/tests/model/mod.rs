//! Random commands of several clients at once, compared with a small model of a thread.
//!
//! Each client has a thread of each of three graphs, and an assistant. After each command all that the server says of the
//! thread is what the model says: its status and values, its state, its whole history, its runs.

mod assistant;
mod client;
mod thread;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use tokio::runtime::Runtime;

use crate::support::{Client, ENDLESS_LEASE, demo_server, shared};
use client::ModelClient;
use thread::Kind;

/// What a client does with one of its threads, or its assistant.
#[derive(Clone, Debug)]
enum Command {
    Create(Kind),
    Delete(Kind),
    Patch(Kind, u8),
    /// A run with an input.
    Run(Kind, u8, How),
    /// A run without one.
    Continue(Kind),
    /// An answer, by its question's id or without.
    Resume(u8, bool),
    Update(u8),
    /// A run that branches off a state, with an input or without.
    Fork(Kind, u8, bool),
    /// The thread becomes a copy of itself.
    Copy(Kind),
    /// Two runs at a time.
    Meanwhile(Meanwhile),
    Assistant(OfAssistant),
}

/// How a client learns of a run's end.
#[derive(Clone, Copy, Debug)]
enum How {
    Wait,
    Stream,
    Join,
}

/// What happens to a run that is under way.
#[derive(Clone, Copy, Debug)]
enum Meanwhile {
    Enqueue,
    Reject,
    Interrupt,
    Rollback,
    Cancel,
    CancelWithRollback,
    CancelOneThatWaits,
}

#[derive(Clone, Copy, Debug)]
enum OfAssistant {
    Create,
    Patch,
    Latest(u8),
    Delete,
}

fn kind() -> impl Strategy<Value = Kind> {
    prop_oneof![Just(Kind::Pipeline), Just(Kind::Approval), Just(Kind::Ticker)]
}

fn command() -> impl Strategy<Value = Command> {
    let how = || prop_oneof![Just(How::Wait), Just(How::Stream), Just(How::Join)];
    let meanwhile = prop_oneof![
        Just(Meanwhile::Enqueue),
        Just(Meanwhile::Reject),
        Just(Meanwhile::Interrupt),
        Just(Meanwhile::Rollback),
        Just(Meanwhile::Cancel),
        Just(Meanwhile::CancelWithRollback),
        Just(Meanwhile::CancelOneThatWaits),
    ];
    let of_assistant = prop_oneof![
        1 => Just(OfAssistant::Create),
        3 => Just(OfAssistant::Patch),
        2 => any::<u8>().prop_map(OfAssistant::Latest),
        1 => Just(OfAssistant::Delete),
    ];
    prop_oneof![
        2 => kind().prop_map(Command::Create),
        1 => kind().prop_map(Command::Delete),
        1 => (kind(), any::<u8>()).prop_map(|(kind, value)| Command::Patch(kind, value)),
        5 => (kind(), 0..5_u8, how()).prop_map(|(kind, value, how)| Command::Run(kind, value, how)),
        1 => kind().prop_map(Command::Continue),
        3 => (0..3_u8, any::<bool>()).prop_map(|(answer, by_id)| Command::Resume(answer, by_id)),
        2 => any::<u8>().prop_map(Command::Update),
        3 => (kind(), any::<u8>(), any::<bool>()).prop_map(|(kind, at, input)| Command::Fork(kind, at, input)),
        1 => kind().prop_map(Command::Copy),
        3 => meanwhile.prop_map(Command::Meanwhile),
        3 => of_assistant.prop_map(Command::Assistant),
    ]
}

#[test]
fn what_several_clients_do_at_once_comes_out_as_a_small_model_says() {
    let runtime = runtime();
    let (running, http) = runtime.block_on(demo_server());
    compare(&runtime, &http, 24);
    runtime.block_on(running.stop());
}

/// Each request goes to another process than the one before.
#[test]
fn what_comes_out_is_the_same_when_processes_that_share_a_database_are_asked_in_turn() {
    let (runtime, database) = (runtime(), graphloom_postgres_server::Server::start());
    let serve = async || {
        let address: std::net::SocketAddr = ([127, 0, 0, 1], 0).into();
        let server = shared(graphloom_server::Server::new().demo().unwrap(), &database.url(), ENDLESS_LEASE).await;
        server.start(address).await.unwrap()
    };
    let (one, two) = runtime.block_on(async { (serve().await, serve().await) });
    let clients = [&one, &two].map(|running| Client::new(&format!("http://{}", running.address())));
    compare(&runtime, &Client::of_several(&clients), 8);
    runtime.block_on(async { tokio::join!(one.stop(), two.stop()) });
}

fn runtime() -> Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap()
}

fn compare(runtime: &Runtime, http: &Client, cases: u32) {
    let config = Config { cases, max_shrink_iters: 200, failure_persistence: None, ..Config::default() };
    let clients = vec(vec(command(), 1..16), 1..4);
    let result = TestRunner::new(config).run(&clients, |clients| {
        runtime.block_on(futures::future::join_all(clients.into_iter().map(async |commands: Vec<Command>| {
            let mut client = ModelClient::new(http);
            for command in
                [Kind::Pipeline, Kind::Approval, Kind::Ticker].map(Command::Create).into_iter().chain(commands)
            {
                client.does(command).await;
            }
        })));
        Ok(())
    });
    if let Err(failure) = result {
        panic!("{failure}");
    }
}
