//! Mistakes and warnings of a graph, each with its text.

use graphloom_core_graph::diagram::Marks;
use graphloom_core_graph::{END, Mode, Node, START, Snapshot, State, StateGraph, Task};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::log::{Build, Noted, Work, note, noted};

const A: Node = Node::named("a");
const B: Node = Node::named("b");
const C: Node = Node::named("c");
const GHOST: Node = Node::named("ghost");
const PART: Task<u64> = Task::named("part");

fn graph() -> StateGraph<Work> {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, note("a"));
    graph.add_node(B, note("b"));
    graph.add_edge(START, A).add_edge(A, B);
    graph
}

fn part(graph: &mut StateGraph<Work>) {
    graph.add_task(PART, |_: u64, _: Snapshot<Work>| async { Noted::Ok(noted("part")) });
}

fn errors(build: impl FnOnce(&mut StateGraph<Work>)) -> String {
    let mut graph = graph();
    build(&mut graph);
    graph.compile().expect_err("the graph is wrong").to_string()
}

fn warnings(build: impl FnOnce(&mut StateGraph<Work>)) -> String {
    let mut graph = graph();
    build(&mut graph);
    let compiled = graph.built();
    compiled.warnings().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn names() {
    let bad = errors(|graph| {
        for name in ["", "__mine", "a/b", "a\n"] {
            graph.add_node(Node::owned(name), note("x"));
        }
        graph.add_node(A, note("again"));
    });
    insta::assert_snapshot!(bad, @r"
    the graph `g` cannot be compiled:
      - the node name `` is not usable: it is empty
      - the node name `__mine` is not usable: names that begin with `__` are reserved
      - the node name `a\n` is not usable: `/`, `:`, `|`, `#` and control characters are reserved
      - the node name `a/b` is not usable: `/`, `:`, `|`, `#` and control characters are reserved
      - two nodes are named `a`; rename one
    ");
}

#[test]
fn unknown_nodes_and_wrong_ends() {
    let bad = errors(|graph| {
        part(graph);
        graph.add_edge(B, GHOST).add_edge(GHOST, B).add_edge(END, A).add_edge(A, START).add_edge(A, PART.into());
        graph.add_conditional_edges(A, [GHOST], |_: &Work| A);
        graph.add_sends(A, B, |_: &Work| Vec::new());
        graph.add_join([A, GHOST], B);
        graph.add_node(C, note("c")).may_goto(GHOST).may_send(A);
    });
    insta::assert_snapshot!(bad, @r"
    the graph `g` cannot be compiled:
      - the edge to `b` names `ghost`, which is no node; nodes: `a`, `b`, `c`, `part`
      - the edge to `a`: nothing leads from END
      - `may_goto` of `c` names `ghost`, which is no node; nodes: `a`, `b`, `c`, `part`
      - `may_send` of `c`: `a` takes no input; add it with `add_task`, or use an edge
      - the edge from `a`: nothing leads to START; name the node that is to run
      - the edge from `a`: `part` is a task node and needs an input; use `add_sends`, or a node added with `add_node`
      - the conditional edge from `a` names `ghost`, which is no node; nodes: `a`, `b`, `c`, `part`
      - the sends from `a`: `b` takes no input; add it with `add_task`, or use an edge
      - the edge from `b` names `ghost`, which is no node; nodes: `a`, `b`, `c`, `part`
      - the join into `b` names `ghost`, which is no node; nodes: `a`, `b`, `c`, `part`
    ");
}

#[test]
fn no_start() {
    let mut graph = StateGraph::<Work>::new("g");
    graph.add_node(A, note("a"));
    insta::assert_snapshot!(graph.compile().unwrap_err(), @r"
    the graph `g` cannot be compiled:
      - nothing follows START; add `add_edge(START, …)`
    ");
}

#[test]
fn unreachable_nodes_and_joins_that_never_fill() {
    insta::assert_snapshot!(errors(|graph| { graph.add_node(C, note("c")); }), @r"
    the graph `g` cannot be compiled:
      - node `c` is never reached; add an edge, a conditional edge, a send, a join or a declared goto to it, or remove it
    ");
    insta::assert_snapshot!(errors(|graph| { graph.add_join(B, B); }), @r"
    the graph `g` cannot be compiled:
      - the join into `b` can never fill: `b` is the node itself
    ");
}

#[test]
fn parallel_writers() {
    let bad = errors(|graph| {
        graph.add_node(C, note("c")).writes(["last", "notes"]);
        graph.add_node(Node::named("d"), note("d")).writes(["last", "notes", "nothing"]);
        graph.add_edge(A, C).add_edge(A, Node::named("d"));
    });
    insta::assert_snapshot!(bad, @r"
    the graph `g` cannot be compiled:
      - node `d` declares that it writes `nothing`, which is no field; fields: `notes`, `count`, `parts`, `last`, `other`, `fragile`
      - `c` and `d` run in the same super-step and both write `last`, which has no reducer; give it one, or order the nodes by an edge
    ");
}

#[test]
fn eager_mode_wants_to_know_how_often() {
    let bad = errors(|graph| {
        graph.mode(Mode::Eager);
        part(graph);
        graph.add_node(C, note("c"));
        graph.add_sends(A, PART, |_: &Work| Vec::new());
        graph.add_edge(A, C).add_edge(B, C).add_edge(PART, B);
    });
    insta::assert_snapshot!(bad, @r"
    the graph `g` cannot be compiled:
      - node `b` follows `a`, `part`; in eager mode say whether it runs once for all (`add_join`) or once for each (`.each()`)
      - node `c` follows `a`, `b`; in eager mode say whether it runs once for all (`add_join`) or once for each (`.each()`)
    ");
}

#[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
struct Hinted {
    #[state(ephemeral)]
    hint: Option<u32>,
}

#[test]
fn eager_mode_has_no_ephemeral_fields() {
    let mut graph = StateGraph::<Hinted>::new("g");
    graph.mode(Mode::Eager);
    graph.add_node(A, |_: Snapshot<Hinted>| async { Ok::<(), graphloom_core_graph::NodeError>(()) });
    graph.add_edge(START, A);
    insta::assert_snapshot!(graph.compile().unwrap_err(), @r"
    the graph `g` cannot be compiled:
      - field `hint` is ephemeral, which eager mode does not have; use barrier mode, or a field without `ephemeral`
    ");
}

#[test]
fn a_class_without_a_limit() {
    let bad = errors(|graph| {
        graph.add_node(C, note("c")).class("calls");
        graph.limit("calls", 0).add_edge(A, C);
    });
    insta::assert_snapshot!(bad, @r#"
    the graph `g` cannot be compiled:
      - node `c` is of the concurrency class `calls`, which has no limit; add `limit("calls", n)` with n of at least 1
    "#);
}

#[test]
fn warnings_of_loops_and_joins() {
    let found = warnings(|graph| {
        graph.add_node(C, note("c"));
        graph.add_edge(B, A);
        graph.add_conditional_edges(A, [C], |_: &Work| C);
        graph.add_join([B, C], A);
        graph.add_edge(C, A);
    });
    insta::assert_snapshot!(found, @r"
    the join into `a` may starve: `c` runs only when a route chooses it; `add_join_reached` waits only for what a run reaches
    the loop `a`, `b`, `c` has no declared exit: only its budget ends it
    ");
    let denied = errors(|graph| {
        graph.add_edge(B, A).deny_warnings();
    });
    insta::assert_snapshot!(denied, @r"
    the graph `g` cannot be compiled:
      - the loop `a`, `b` has no declared exit: only its budget ends it
    ");
    assert_eq!(
        warnings(|graph| {
            graph.add_conditional_edges(B, [A, END], |_: &Work| A);
        }),
        "",
        "a loop with an exit is no warning"
    );
}

fn drawn() -> StateGraph<Work> {
    let mut inner = StateGraph::<Work>::new("inner");
    inner.add_node(A, note("a"));
    inner.add_edge(START, A).add_edge(A, END);
    let mut graph = graph();
    part(&mut graph);
    graph.add_node(C, note("c")).may_goto((A, END));
    graph.add_subgraph(Node::named("sub \"q\""), inner.built(), |_: &Work| Work::update(), |_| Noted::Ok(noted("s")));
    graph.add_sends(A, PART, |_: &Work| Vec::new());
    graph.add_join((PART, B), C);
    graph.add_conditional_edges(B, [Node::named("sub \"q\""), END], |_: &Work| END);
    graph
}

#[test]
fn mermaid() {
    insta::assert_snapshot!(drawn().built().diagram().mermaid(), @r#"
    flowchart TD
        n0(["START"])
        n1["a"]
        n2["b"]
        n3["c"]
        n4[["part"]]
        n5["sub #quot;q#quot;"]
        n6(["END"])
        n0 --> n1
        n1 --> n2
        n1 ==> n4
        n2 -.-> n6
        n2 -- join --> n3
        n2 -.-> n5
        n3 -. goto .-> n6
        n3 -. goto .-> n1
        n4 -- join --> n3
        subgraph n5_inner ["inner"]
            n5_n0(["START"])
            n5_n1["a"]
            n5_n2(["END"])
            n5_n0 --> n5_n1
            n5_n1 --> n5_n2
        end
        n5 -.- n5_inner
    "#);
}

#[test]
fn dot() {
    insta::assert_snapshot!(drawn().built().diagram().dot(), @r#"
    digraph {
        0 [ label = "START", shape = oval]
        1 [ label = "a", shape = box]
        2 [ label = "b", shape = box]
        3 [ label = "c", shape = box]
        4 [ label = "part", shape = box3d]
        5 [ label = "sub \"q\"", shape = box]
        6 [ label = "END", shape = oval]
        0 -> 1 [ ]
        1 -> 2 [ ]
        1 -> 4 [ style = bold]
        2 -> 6 [ style = dotted]
        2 -> 3 [ label = join]
        2 -> 5 [ style = dotted]
        3 -> 6 [ style = dotted, label = goto]
        3 -> 1 [ style = dotted, label = goto]
        4 -> 3 [ label = join]
    }
    "#);
}

#[test]
fn marked_nodes_and_edges_stand_out() {
    let compiled = drawn().built();
    let mut marks = Marks::new();
    marks.edge("START", "a").edge("a", "b").edge("b", "END").node("nowhere").edge("a", "c");
    let mermaid = compiled.diagram().mermaid_marked(&marks);
    let style: Vec<&str> = mermaid.lines().rev().take(3).map(str::trim).collect();
    assert_eq!(
        style,
        [
            "linkStyle 0,1,3 stroke:#1a7f37,stroke-width:3px",
            "class n0,n1,n2,n3,n6 taken",
            "classDef taken stroke:#1a7f37,stroke-width:3px",
        ]
    );
    let dot = compiled.diagram().dot_marked(&marks);
    for line in [
        "1 [ label = \"a\", shape = box, color = \"#1a7f37\", penwidth = 3]",
        "1 -> 2 [ color = \"#1a7f37\", penwidth = 3]",
        "2 -> 6 [ style = dotted, color = \"#1a7f37\", penwidth = 3]",
        "2 -> 5 [ style = dotted]",
        "4 [ label = \"part\", shape = box3d]",
    ] {
        assert!(dot.contains(line), "{line}: {dot}");
    }
    assert_eq!(compiled.diagram().mermaid_marked(&Marks::new()), compiled.diagram().mermaid());
}

#[test]
fn a_chain_of_twenty_thousand_nodes_compiles_on_the_stack_of_a_thread() {
    let mut graph = StateGraph::<Work>::new("g");
    let mut before = START;
    for at in 0..20_000 {
        let node = Node::owned(format!("n{at}"));
        graph.add_node(node.clone(), note("n"));
        graph.add_edge(before, node.clone());
        before = node;
    }
    graph.add_edge(before, END);
    assert_eq!(graph.built().warnings().len(), 0);
}
