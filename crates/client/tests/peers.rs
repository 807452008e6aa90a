//! The client against a real server of the protocol with the demo graphs, at the address in `LANGGRAPH_SERVER`:
//! `cargo test -p graphloom-client -- --ignored`.

mod calls;
mod proxy;
mod remote;
mod streams;

use graphloom_client::{Client, Options, ThreadId};
use uuid::Uuid;

fn address() -> String {
    std::env::var("LANGGRAPH_SERVER").expect("LANGGRAPH_SERVER has the address of a server with the demo graphs")
}

fn client() -> Client {
    Client::with_options(&address(), Options::default()).unwrap()
}

fn new_thread() -> ThreadId {
    ThreadId(Uuid::now_v7())
}
