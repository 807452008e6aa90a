//! A parcel service as a graph: the runtime alone, with nodes of its own.
//!
//! An order is split into parcels, each is weighed by a task of its own, heavy orders wait for a person, and the
//! invoice comes last.

#![forbid(unsafe_code)]

use graphloom_core_graph::{
    CompileErrors, Compiled, Context, END, Log, Node, NodeError, START, Snapshot, State, StateGraph, Step, Task,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An order on its way.
#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
pub struct Order {
    /// What is sent.
    pub items: Vec<Item>,
    /// Grams of all parcels.
    #[state(add)]
    pub grams: u64,
    /// What happened.
    #[state(append)]
    pub trail: Log<String>,
    /// What the customer pays, in cents.
    pub cents: Option<u64>,
}

/// One thing to be sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Item {
    /// Its name.
    pub name: String,
    /// Its weight in grams.
    pub grams: u64,
}

/// What a person says about a heavy order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Decision {
    /// Send it.
    Send,
    /// Do not.
    Refuse,
}

const CHECK: Node = Node::named("check");
const WEIGH: Task<Item> = Task::named("weigh");
const APPROVE: Node = Node::named("approve");
const INVOICE: Node = Node::named("invoice");

/// Orders above this weight wait for a person.
const HEAVY: u64 = 20_000;

/// The graph of an order.
///
/// # Errors
/// None: it is the same at every call.
pub fn order() -> Result<Compiled<Order>, CompileErrors> {
    let mut graph = StateGraph::<Order>::new("order");
    graph.add_node(CHECK, check);
    graph.add_task(WEIGH, weigh);
    graph.add_node(APPROVE, approve).asks::<Decision>("decision").may_goto((INVOICE, END));
    graph.add_node(INVOICE, invoice);
    graph.add_edge(START, CHECK);
    graph.add_sends(CHECK, WEIGH, |order: &Order| {
        order.items.iter().enumerate().map(|(at, item)| WEIGH.send(at, item.clone())).collect()
    });
    graph.add_join(WEIGH, APPROVE);
    graph.add_edge(INVOICE, END);
    graph.compile()
}

async fn check(order: Snapshot<Order>) -> Result<OrderUpdate, NodeError> {
    if order.items.is_empty() {
        return Err(NodeError::terminal("the order is empty"));
    }
    Ok(Order::update().trail([format!("{} items", order.items.len())]))
}

async fn weigh(item: Item, _: Snapshot<Order>, cx: Context) -> Result<OrderUpdate, NodeError> {
    let grams: u64 = cx.once("scale", async { Ok(item.grams + 200) }).await?;
    Ok(Order::update().grams(grams).trail([format!("weighed {}", item.name)]))
}

async fn approve(order: Snapshot<Order>, cx: Context) -> Result<Step<Order>, NodeError> {
    if order.grams <= HEAVY {
        return Ok(Step::goto(INVOICE));
    }
    let decision: Decision = cx.ask("decision", &order.grams).await?;
    Ok(match decision {
        Decision::Send => Step::goto(INVOICE).with(Order::update().trail(["approved"])),
        Decision::Refuse => Step::goto(END).with(Order::update().trail(["refused"])),
    })
}

async fn invoice(order: Snapshot<Order>) -> Result<OrderUpdate, NodeError> {
    Ok(Order::update().cents(order.grams / 10).trail(["invoiced"]))
}
