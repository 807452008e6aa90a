//! The runtimes, one file each: how each says the shapes that it can do.

mod adk;
mod cognis;
mod dagrs;
mod graph_flow;
mod graphloom;
mod juncture;
mod langgraph;
mod oxidizedgraph;
mod rust_langgraph;
mod rusty;

use std::path::Path;

use crate::Failure;
use crate::rounds::Case;

/// Every runtime on every shape it can do. Ours comes first and last in each shape, so that a drift of the machine shows.
pub(crate) fn cases(folder: &Path) -> Vec<Case> {
    let mut cases = graphloom::cases("graphloom");
    cases.extend(graph_flow::cases());
    cases.extend(cognis::cases(folder));
    cases.extend(oxidizedgraph::cases());
    cases.extend(juncture::cases());
    cases.extend(dagrs::cases());
    cases.extend(adk::cases(folder));
    cases.extend(rust_langgraph::cases());
    cases.extend(rusty::cases());
    cases.extend(langgraph::cases(folder));
    cases.extend(graphloom::cases("graphloom, again"));
    cases
}

/// A wrong answer is no answer.
fn check<T: PartialEq + std::fmt::Debug>(found: T, right: T) -> Result<(), Failure> {
    if found == right { Ok(()) } else { Err(format!("the answer is {found:?} and not {right:?}").into()) }
}
