//! What a person reads of an error that `main` returns, or that `expect` meets.

use std::error::Error;
use std::fmt;

use graphloom_core_graph::checkpoint::CheckpointError;
use graphloom_core_graph::json::{JsonField, JsonLayout};
use graphloom_core_graph::{Node, NodeError, RunError, START, StateGraph};

use crate::log::{Build, Work, noted};

/// An error with a cause that its message does not name.
#[derive(Debug)]
struct Outer(std::num::ParseIntError);

impl fmt::Display for Outer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the page is not numbered")
    }
}

impl Error for Outer {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.0)
    }
}

fn outer() -> Outer {
    Outer("x".parse::<u8>().expect_err("it is no number"))
}

/// What the standard library prints of an error that `main` returns.
fn printed(error: impl Into<Box<dyn Error>>) -> String {
    format!("{:?}", error.into())
}

#[test]
fn the_causes_of_an_error_follow_its_text() {
    let store = CheckpointError::Store { action: "reading `a`".to_owned(), source: Box::new(outer()) };
    let text = "the store failed at reading `a`: the page is not numbered: invalid digit found in string";
    assert_eq!(format!("{store:?}"), text);
    assert_eq!(printed(RunError::from(store)), text);
    assert_eq!(format!("{:?}", NodeError::from(outer())), "the page is not numbered: invalid digit found in string");
}

#[test]
fn mistakes_are_listed_as_texts() {
    let graph = StateGraph::<Work>::new("empty").compile().unwrap_err();
    assert!(printed(graph.clone()).starts_with("the graph `empty` cannot be compiled:\n  - "), "{graph:?}");
    let layout = JsonLayout::new([JsonField::new("x"), JsonField::new("x")]).unwrap_err();
    let text = "the layout of the state cannot be used:\n  - the state field `x` is not usable: two fields have this name; rename one";
    assert_eq!(printed(layout), text);
}

#[tokio::test]
async fn a_failed_run_says_which_node_failed_and_why() {
    const A: Node = Node::named("a");
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, async |_| if true { Err(outer().into()) } else { Ok(noted("never")) });
    graph.add_edge(START, A);
    let failed = graph.built().run_once(Work::update()).await.unwrap_err();
    assert_eq!(printed(failed), "node `a` failed: the page is not numbered: invalid digit found in string");
}
