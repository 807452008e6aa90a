//! The drawing of a graph: nodes and edges.

use graphloom_core_graph::diagram::{Diagram, DiagramEdge, DiagramNode, EdgeKind, NodeKind};
use serde_json::{Value, json};

use crate::http::Problem;

const START: &str = "__start__";
const END: &str = "__end__";

/// How many floors of graphs inside are shown.
///
/// # Errors
/// 422 for what is neither a switch nor a number.
pub(super) fn depth(xray: Option<&str>) -> Result<usize, Problem> {
    match xray.map(str::to_ascii_lowercase).as_deref() {
        None | Some("false") => Ok(0),
        Some("true" | "") => Ok(usize::MAX),
        Some(number) => number.parse().map_err(|_| {
            Problem::unprocessable(format!("Invalid query at `xray`: `{number}` is no switch and no number of levels"))
                .about("xray")
        }),
    }
}

/// The drawing of a graph, with so many floors of graphs inside in the place of their nodes.
pub(super) fn draw(diagram: &Diagram, depth: usize) -> Value {
    let drawn = Drawn::of(diagram, depth, "");
    let mut nodes = vec![runnable(START)];
    nodes.extend(drawn.nodes.iter().map(|node| runnable(node)));
    nodes.push(json!({ "id": END }));
    let edges = drawn.edges.into_iter().map(|edge| {
        let mut drawn = json!({ "source": edge.source, "target": edge.target });
        if edge.is_conditional {
            drawn["conditional"] = true.into();
        }
        drawn
    });
    json!({ "nodes": nodes, "edges": edges.collect::<Vec<_>>() })
}

fn runnable(id: &str) -> Value {
    json!({ "id": id, "type": "runnable", "data": { "name": id } })
}

#[derive(Clone, PartialEq)]
struct Edge {
    source: String,
    target: String,
    is_conditional: bool,
}

/// Nodes and edges, named from the outermost graph; `__start__` and `__end__` are those of this one.
struct Drawn {
    nodes: Vec<String>,
    edges: Vec<Edge>,
}

impl Drawn {
    fn of(diagram: &Diagram, depth: usize, prefix: &str) -> Self {
        let mut nodes: Vec<&DiagramNode> =
            diagram.nodes.iter().filter(|node| node.kind != NodeKind::Terminal).collect();
        nodes.sort_by_key(|node| node.place);
        let named = |name: &str| match name {
            START | END => name.to_owned(),
            name => format!("{prefix}{name}"),
        };
        let mut edges: Vec<Edge> = Vec::new();
        let mut add = |source: String, target: String, is_conditional| {
            match edges.iter_mut().find(|edge| edge.source == source && edge.target == target) {
                // What is always followed is not only followed sometimes.
                Some(edge) => edge.is_conditional &= is_conditional,
                None => edges.push(Edge { source, target, is_conditional }),
            }
        };
        let sources = std::iter::once(START).chain(nodes.iter().map(|node| node.name.as_str()));
        for source in sources {
            let leaving: Vec<&DiagramEdge> = diagram.edges.iter().filter(|edge| edge.from == source).collect();
            for edge in &leaving {
                let is_conditional = matches!(edge.kind, EdgeKind::Conditional | EdgeKind::Goto | EdgeKind::Send);
                add(named(source), named(&edge.to), is_conditional);
            }
            if leaving.is_empty() && source != START {
                add(named(source), END.to_owned(), false);
            }
        }
        let mut drawn = Self { nodes: Vec::new(), edges };
        for node in nodes {
            let id = named(&node.name);
            match node.inner.as_ref().filter(|_| depth > 0) {
                Some(inner) => drawn.inline(&id, Self::of(inner, depth - 1, &format!("{id}:"))),
                None => drawn.nodes.push(id),
            }
        }
        drawn
    }

    /// Puts a graph in the place of its node: what led to the node leads to where the graph begins, and what left it leaves
    /// where the graph ends.
    fn inline(&mut self, id: &str, inner: Self) {
        let (outer, through): (Vec<Edge>, Vec<Edge>) =
            std::mem::take(&mut self.edges).into_iter().partition(|edge| edge.source != id && edge.target != id);
        self.edges = outer;
        let (begins, rest): (Vec<Edge>, Vec<Edge>) = inner.edges.into_iter().partition(|edge| edge.source == START);
        let (ends, within): (Vec<Edge>, Vec<Edge>) = rest.into_iter().partition(|edge| edge.target == END);
        for edge in through {
            let sources = if edge.source == id {
                ends.iter().map(|end| (end.source.clone(), end.is_conditional)).collect()
            } else {
                vec![(edge.source.clone(), false)]
            };
            for (source, leaves_conditionally) in sources {
                let targets = if edge.target == id {
                    begins.iter().map(|begin| (begin.target.clone(), begin.is_conditional)).collect()
                } else {
                    vec![(edge.target.clone(), false)]
                };
                for (target, enters_conditionally) in targets {
                    let is_conditional = edge.is_conditional || leaves_conditionally || enters_conditionally;
                    self.edges.push(Edge { source: source.clone(), target, is_conditional });
                }
            }
        }
        self.edges.extend(within);
        self.nodes.extend(inner.nodes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::Server;

    async fn drawn(graph: &str, depth: usize) -> String {
        let manager = Server::new().demo().unwrap().open().await.unwrap();
        let drawing = draw(&manager.graph(graph).unwrap().outline().diagram, depth);
        let list = |key: &str, line: &dyn Fn(&Value) -> String| {
            drawing[key].as_array().unwrap().iter().map(line).collect::<Vec<_>>().join(" ")
        };
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let nodes = list("nodes", &|node| text(&node["id"]));
        let edges = list("edges", &|edge| {
            let arrow = if edge["conditional"] == true { "~>" } else { "->" };
            format!("{}{arrow}{}", text(&edge["source"]), text(&edge["target"]))
        });
        format!("{nodes} | {edges}")
    }

    #[tokio::test]
    async fn drawings_have_the_nodes_as_declared_and_the_edges_that_may_be_followed() {
        let cases = [
            (
                "pipeline",
                0,
                "__start__ plan work finish __end__ | __start__->plan plan->work work->finish finish->__end__",
            ),
            (
                "approval",
                0,
                "__start__ draft review publish discard __end__ | __start__->draft draft->review review~>discard \
                 review~>publish publish->__end__ discard->__end__",
            ),
            (
                "fanout",
                0,
                "__start__ split worker join __end__ | __start__->split split~>worker worker->join join->__end__",
            ),
            ("ticker", 0, "__start__ tick __end__ | __start__->tick tick~>__end__ tick~>tick"),
            (
                "nested",
                0,
                "__start__ prepare child wrap __end__ | __start__->prepare prepare->child child->wrap wrap->__end__",
            ),
            (
                "nested",
                1,
                "__start__ prepare child:upper child:confirm wrap __end__ | __start__->prepare wrap->__end__ \
                 prepare->child:upper child:confirm->wrap child:upper->child:confirm",
            ),
        ];
        for (graph, depth, expected) in cases {
            assert_eq!(drawn(graph, depth).await, expected, "{graph} {depth}");
        }
    }

    #[test]
    fn floors_are_a_switch_or_a_number() {
        for (text, expected) in
            [(None, 0), (Some("False"), 0), (Some("true"), usize::MAX), (Some("2"), 2), (Some("0"), 0)]
        {
            assert_eq!(depth(text).unwrap(), expected, "{text:?}");
        }
        assert!(depth(Some("deep")).is_err());
    }
}
