//! Drawings of real graphs, and placements of any.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use graphloom_core_graph::diagram::Diagram;
use proptest::prelude::*;

use super::drawing::{Direction, Drawing, DrawnEdgeKind, DrawnNode, DrawnNodeKind};
use super::placement::{Placement, Rect, Size, Sketch, place, place_by};
use super::*;
use crate::builder::Server;

const DIRECTIONS: [Direction; 2] = [Direction::Down, Direction::Right];

/// The diagrams of the demo graphs, by name.
async fn demo() -> BTreeMap<String, Diagram> {
    let manager = Server::new().demo().unwrap().open().await.unwrap();
    let graphs = manager.graphs().iter();
    graphs.map(|(name, graph)| (name.clone(), graph.outline().diagram.clone())).collect()
}

fn rect(node: &DrawnNode) -> Rect {
    Rect { x: node.x, y: node.y, size: Size { width: node.width, height: node.height } }
}

fn is_within(inner: &Rect, outer: &Rect) -> bool {
    inner.x > outer.x && inner.y > outer.y && inner.right() < outer.right() && inner.bottom() < outer.bottom()
}

/// Nodes of one graph are apart, those inside are inside, and lines begin and end at their nodes.
fn assert_sound(drawing: &Drawing) {
    let by_id: BTreeMap<&str, &DrawnNode> = drawing.nodes.iter().map(|node| (node.id.as_str(), node)).collect();
    assert_eq!(by_id.len(), drawing.nodes.len(), "each id is there once");
    let size = Size { width: drawing.width, height: drawing.height };
    let whole = Rect { x: 0.0, y: 0.0, size };
    for (at, node) in drawing.nodes.iter().enumerate() {
        let around = node.parent.as_deref().map_or(whole, |parent| {
            assert!(by_id[parent].open, "{parent}");
            rect(by_id[parent])
        });
        assert!(is_within(&rect(node), &around), "{node:?} is not in {around:?}");
        for other in drawing.nodes[at + 1..].iter().filter(|other| other.parent == node.parent) {
            let apart = node.x >= other.x + other.width
                || other.x >= node.x + node.width
                || node.y >= other.y + other.height
                || other.y >= node.y + node.height;
            assert!(apart, "{node:?} overlaps {other:?}");
        }
    }
    for edge in &drawing.edges {
        let ends = [(&edge.source, edge.points.first()), (&edge.target, edge.points.last())];
        for (id, point) in ends {
            let node = rect(by_id[id.as_str()]);
            assert!(node.has_at_border(*point.unwrap()), "{edge:?} does not end at {node:?}");
        }
        let points = edge.points.iter();
        points
            .for_each(|[x, y]| assert!((0.0..=size.width).contains(x) && (0.0..=size.height).contains(y), "{edge:?}"));
    }
}

#[tokio::test]
async fn every_demo_graph_is_drawn_soundly_closed_and_open() {
    for (name, diagram) in demo().await {
        for direction in DIRECTIONS {
            for open in [OpenSubgraphs::default(), OpenSubgraphs::all(&diagram)] {
                let drawing = Drawing::of(&diagram, &open, direction);
                assert_sound(&drawing);
                assert_eq!(drawing, Drawing::of(&diagram, &open, direction), "{name} is always drawn the same");
            }
        }
    }
}

#[tokio::test]
async fn edges_lead_down_or_to_the_right() {
    let diagram = &demo().await["pipeline"];
    let order = |direction, of: fn(&DrawnNode) -> f64| {
        let drawing = Drawing::of(diagram, &OpenSubgraphs::default(), direction);
        let mut nodes: Vec<_> = drawing.nodes.iter().map(|node| (of(node), node.name.clone())).collect();
        nodes.sort_by(|left, right| left.0.total_cmp(&right.0));
        nodes.into_iter().map(|(_, name)| name).collect::<Vec<_>>()
    };
    let expected = ["__start__", "plan", "work", "finish", "__end__"];
    assert_eq!(order(Direction::Down, |node| node.y), expected);
    assert_eq!(order(Direction::Right, |node| node.x), expected);
}

#[tokio::test]
async fn nodes_beside_each_other_stand_as_they_were_declared() {
    let drawing = Drawing::of(&demo().await["approval"], &OpenSubgraphs::default(), Direction::Down);
    let of = |name: &str| drawing.nodes.iter().find(|node| node.name == name).unwrap();
    let (publish, discard) = (of("publish"), of("discard"));
    assert!(publish.y == discard.y && publish.x < discard.x, "{publish:?} {discard:?}");
}

#[tokio::test]
async fn an_open_subgraph_is_a_box_around_its_nodes() {
    let diagram = &demo().await["nested"];
    let open = OpenSubgraphs::read(&["child".to_owned()], diagram).unwrap();
    let drawing = Drawing::of(diagram, &open, Direction::Down);
    let of = |node: &DrawnNode| (node.id.clone(), node.kind, node.parent.clone(), node.open);
    let nodes: Vec<_> = drawing.nodes.iter().map(of).collect();
    let inside = |name: &str, kind| (format!("child:{name}"), kind, Some("child".to_owned()), false);
    let outside = |name: &str, kind| (name.to_owned(), kind, None, false);
    let expected = [
        outside("__start__", DrawnNodeKind::Start),
        outside("prepare", DrawnNodeKind::Node),
        ("child".to_owned(), DrawnNodeKind::Subgraph, None, true),
        inside("__start__", DrawnNodeKind::Start),
        inside("upper", DrawnNodeKind::Node),
        inside("confirm", DrawnNodeKind::Node),
        inside("__end__", DrawnNodeKind::End),
        outside("wrap", DrawnNodeKind::Node),
        outside("__end__", DrawnNodeKind::End),
    ];
    assert_eq!(nodes, expected);
    assert_eq!(drawing.nodes[2].graph.as_deref(), Some("child"));
    let edges: Vec<_> = drawing.edges.iter().map(|edge| format!("{}>{}", edge.source, edge.target)).collect();
    let expected = [
        "__start__>prepare",
        "prepare>child",
        "child>wrap",
        "wrap>__end__",
        "child:__start__>child:upper",
        "child:upper>child:confirm",
        "child:confirm>child:__end__",
    ];
    assert_eq!(edges, expected);
    let closed = Drawing::of(diagram, &OpenSubgraphs::default(), Direction::Down);
    assert_eq!((closed.nodes.len(), closed.nodes[2].open), (5, false));
}

#[tokio::test]
async fn each_kind_of_edge_is_told() {
    let diagrams = demo().await;
    let kinds = |graph: &str| {
        let drawing = Drawing::of(&diagrams[graph], &OpenSubgraphs::default(), Direction::Down);
        let edges = drawing.edges.into_iter();
        edges.map(|edge| (format!("{}>{}", edge.source, edge.target), edge.kind)).collect::<Vec<_>>()
    };
    let edge = |edge: &str, kind| (edge.to_owned(), kind);
    let (always, conditional) = (DrawnEdgeKind::Always, DrawnEdgeKind::Conditional);
    let ticker = [edge("__start__>tick", always), edge("tick>tick", conditional), edge("tick>__end__", conditional)];
    assert_eq!(kinds("ticker"), ticker);
    assert!(kinds("fanout").contains(&edge("split>worker", DrawnEdgeKind::Send)));
    let goto = [edge("review>publish", DrawnEdgeKind::Goto), edge("review>publish", conditional)];
    assert!(kinds("approval").iter().any(|edge| goto.contains(edge)), "{:?}", kinds("approval"));
}

#[tokio::test]
async fn subgraphs_are_opened_by_their_ids() {
    let diagrams = demo().await;
    let read = |graph: &str, ids: &[&str]| {
        let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
        OpenSubgraphs::read(&ids, &diagrams[graph]).map_err(|error| error.to_string())
    };
    assert_eq!(read("nested", &["child"]).unwrap(), read("nested", &[" child,", ""]).unwrap());
    assert_eq!(read("nested", &["upper"]).unwrap_err(), "`upper` is no subgraph; subgraphs: `child`");
    assert_eq!(read("ticker", &["tick"]).unwrap_err(), "`tick` is no subgraph; the graph has none");
}

#[tokio::test]
async fn drawings_are_kept_up_to_a_number() {
    let diagrams = demo().await;
    let drawings = Drawings::default();
    let get = |graph: &str, direction| drawings.get(&diagrams[graph], OpenSubgraphs::all(&diagrams[graph]), direction);
    assert!(std::sync::Arc::ptr_eq(&get("nested", Direction::Down), &get("nested", Direction::Down)));
    assert_ne!(get("nested", Direction::Down), get("nested", Direction::Right));
    assert_eq!(drawings.count(), 2);
    for at in 0..40 {
        drawings.get(&diagrams["ticker"], OpenSubgraphs::one(&at.to_string()), Direction::Down);
    }
    assert_eq!(drawings.count(), 16);
}

fn size(at: usize) -> Size {
    Size { width: 64.0 + (at * 37 % 90) as f64, height: 36.0 }
}

fn sketch(boxes: usize, lines: Vec<(usize, usize)>) -> Sketch {
    Sketch { sizes: (0..boxes).map(size).collect(), lines }
}

#[test]
fn a_layout_that_panics_or_gives_nonsense_is_replaced_by_rows() {
    let sketch = sketch(5, vec![(0, 1), (1, 2), (2, 1), (2, 2), (2, 3), (2, 3), (3, 4), (0, 4)]);
    for direction in DIRECTIONS {
        let rows = rows::place(&sketch, direction);
        assert!(rows.is_sound(&sketch), "{rows:?}");
        assert_ne!(place(&sketch, direction), rows, "dagre serves here");
        let missing = Placement::default();
        let mut overlapping = layered::place(&sketch, direction);
        (overlapping.boxes[1].x, overlapping.boxes[1].y) = (overlapping.boxes[0].x + 1.0, overlapping.boxes[0].y);
        let mut infinite = layered::place(&sketch, direction);
        infinite.boxes[2].x = f64::NAN;
        let mut astray = layered::place(&sketch, direction);
        astray.lines[3].clear();
        for nonsense in [missing, overlapping, infinite, astray] {
            assert_eq!(place_by(|| nonsense.clone(), &sketch, direction), rows, "{nonsense:?}");
        }
        assert_eq!(place_by(|| panic!("the layout panics"), &sketch, direction), rows);
    }
}

/// A tree of which a part of the nodes leads back or forth.
fn tangle(boxes: usize, every: usize) -> Sketch {
    let tree = (1..boxes).map(|at| (at - 1 - (at * 7919 % 3).min(at - 1), at));
    let back = (0..boxes / every).map(|at| (at * 7907 % boxes, at * 6101 % boxes));
    sketch(boxes, tree.chain(back).collect())
}

/// The time that this thread has had of a processor; where that is not told, the time of day does.
fn worked(began: Instant) -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = told.and_then(|told| told.split_whitespace().next()?.parse().ok()).filter(|nanos| *nanos > 0);
    nanos.map_or_else(|| began.elapsed(), Duration::from_nanos)
}

#[test]
fn five_hundred_nodes_are_laid_out_by_each_method() {
    let fan = (1..499).flat_map(|at| [(0, at), (at, 499)]);
    let chain = (1..500).map(|at| (at - 1, at));
    let largest = (20..).step_by(5).map(|boxes| tangle(boxes, 4)).take_while(layered::suits).last().unwrap();
    let sketches = [sketch(500, chain.collect()), sketch(500, fan.collect()), tangle(500, 4), largest];
    assert_eq!(sketches.each_ref().map(layered::suits), [true, false, false, true]);
    for sketch in sketches {
        let (began, before) = (Instant::now(), worked(Instant::now()));
        assert!(place(&sketch, Direction::Down).is_sound(&sketch));
        let took = worked(began).saturating_sub(before);
        eprintln!("{} boxes: {took:?}", sketch.sizes.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn placements_of_any_sketch_are_sound_and_always_the_same(
        boxes in 1_usize..14,
        ends in prop::collection::vec((0_usize..14, 0_usize..14), 0..24),
        right in any::<bool>(),
    ) {
        let lines = ends.into_iter().map(|(from, to)| (from % boxes, to % boxes)).collect();
        let sketch = sketch(boxes, lines);
        let direction = if right { Direction::Right } else { Direction::Down };
        let placed = layered::place(&sketch, direction).aligned(&sketch);
        prop_assert!(placed.is_sound(&sketch), "{:?}", placed);
        prop_assert_eq!(&placed, &layered::place(&sketch, direction).aligned(&sketch));
        prop_assert!(rows::place(&sketch, direction).is_sound(&sketch));
    }
}
