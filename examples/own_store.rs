//! An own store of threads: a layer around another store that keeps who wrote when, and the cases that every store passes.
//!
//! `cargo run -p graphloom-examples --example own_store`
#![expect(clippy::print_stdout, reason = "an example shows what it did")]

use std::error::Error;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use graphloom_core_graph::checkpoint::{
    CheckpointError, Checkpointer, CheckpointerLayer, Commit, Lease, MemoryCheckpointer,
};
use graphloom_core_graph::{Node, NodeError, START, Snapshot, State, StateGraph, conformance};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A store with a log of what was written. All that it does not do itself the store inside does.
#[derive(Clone, Default)]
struct Audited {
    store: MemoryCheckpointer,
    log: Arc<Mutex<Vec<String>>>,
}

#[async_trait]
impl CheckpointerLayer for Audited {
    fn inner(&self) -> &dyn Checkpointer {
        &self.store
    }

    /// What the store inside refuses is not in the log. Names with a `#` are the runtime's own.
    async fn commit(&self, lease: &Lease, commit: Commit) -> Result<(), CheckpointError> {
        let fields: Vec<String> = commit
            .fields
            .iter()
            .map(|record| record.field.to_string())
            .filter(|field| !field.starts_with('#'))
            .collect();
        let number = commit.checkpoint.as_ref().map(|row| row.number);
        self.store.commit(lease, commit).await?;
        if let (Some(number), false) = (number, fields.is_empty()) {
            let line = format!("thread `{}`, checkpoint {number}: {}", lease.thread, fields.join(", "));
            self.log.lock().unwrap_or_else(PoisonError::into_inner).push(line);
        }
        Ok(())
    }
}

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Order {
    price: u32,
    paid: bool,
}

const PRICE: Node = Node::named("price");
const PAY: Node = Node::named("pay");

async fn price(_: Snapshot<Order>) -> Result<OrderUpdate, NodeError> {
    Ok(Order::update().price(42))
}

async fn pay(_: Snapshot<Order>) -> Result<OrderUpdate, NodeError> {
    Ok(Order::update().paid(true))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    // The same cases that the stores of this repository pass.
    let report = conformance::run(async || Audited::default()).await;
    println!("{} cases passed", report.passed());
    assert!(report.is_green(), "{report}");

    let mut graph = StateGraph::<Order>::new("order");
    graph.add_node(PRICE, price);
    graph.add_node(PAY, pay);
    graph.add_edge(START, PRICE).add_edge(PRICE, PAY);
    let store = Audited::default();
    let order =
        graph.compile()?.with_checkpointer(store.clone()).thread("order-7").run(Order::update()).await?.done()?;
    assert!(order.paid && order.price == 42);

    let log = store.log.lock().unwrap_or_else(PoisonError::into_inner);
    for line in log.iter() {
        println!("{line}");
    }
    assert!(log.iter().any(|line| line.ends_with(": paid")), "each checkpoint names the fields that changed");
    Ok(())
}
