//! The graphs of the applications, laid out to be drawn.

use std::collections::BTreeMap;

use graphloom_obsius::Config;
use graphloom_served::obsius;
use graphloom_server::Server;
use serde_json::Value;

use crate::client::ThreadClient;

/// Left, upper, right and lower side.
fn sides(node: &Value) -> [f64; 4] {
    let [x, y, width, height] = ["x", "y", "width", "height"].map(|field| node[field].as_f64().unwrap());
    [x, y, x + width, y + height]
}

fn is_at_border([left, top, right, bottom]: [f64; 4], point: &Value) -> bool {
    let [x, y] = [0, 1].map(|at| point[at].as_f64().unwrap());
    let is_near = |one: f64, other: f64| (one - other).abs() < 0.1;
    let is_within = x > left - 0.1 && x < right + 0.1 && y > top - 0.1 && y < bottom + 0.1;
    is_within && (is_near(x, left) || is_near(x, right) || is_near(y, top) || is_near(y, bottom))
}

/// Looks at a drawing with all subgraphs open: nodes of one graph are apart, those inside are inside, lines end at their nodes.
async fn assert_drawn(talk: &ThreadClient, least: usize) {
    let subgraphs = talk.of_graph("subgraphs?recurse=true").await;
    let ids: Vec<String> = subgraphs.as_object().unwrap().keys().map(|path| path.replace('|', ":")).collect();
    for direction in ["TB", "LR"] {
        let drawing = talk.of_graph(&format!("drawing?direction={direction}&open={}", ids.join(","))).await;
        let nodes = drawing["nodes"].as_array().unwrap();
        assert!(nodes.len() >= least, "{} nodes", nodes.len());
        let by_id: BTreeMap<&str, &Value> = nodes.iter().map(|node| (node["id"].as_str().unwrap(), node)).collect();
        for (at, node) in nodes.iter().enumerate() {
            let [left, top, right, bottom] = sides(node);
            if let Some(parent) = node["parent"].as_str() {
                let outer = sides(by_id[parent]);
                let is_inside = left > outer[0] && top > outer[1] && right < outer[2] && bottom < outer[3];
                assert!(is_inside && by_id[parent]["open"] == true, "{node} is not in {}", by_id[parent]);
            }
            for other in nodes[at + 1..].iter().filter(|other| other["parent"] == node["parent"]) {
                let sides = sides(other);
                let is_apart = left >= sides[2] || sides[0] >= right || top >= sides[3] || sides[1] >= bottom;
                assert!(is_apart, "{node} overlaps {other}");
            }
        }
        for edge in drawing["edges"].as_array().unwrap() {
            let points = edge["points"].as_array().unwrap();
            for (end, point) in [("source", points.first()), ("target", points.last())] {
                let node = by_id[edge[end].as_str().unwrap()];
                assert!(is_at_border(sides(node), point.unwrap()), "{edge} does not end at {node}");
            }
        }
    }
}

#[tokio::test]
async fn the_graph_of_each_application_is_drawn_with_all_that_is_inside() {
    assert_drawn(&crate::writehere::texts().await, 12).await;
    assert_drawn(&crate::pocketflow::conversation().await, 10).await;
    assert_drawn(&crate::deepsearch::research().await, 30).await;
    let place = tempfile::tempdir().unwrap();
    let vaults = BTreeMap::from([("notes".to_owned(), crate::obsius::resources(place.path()))]);
    let server = obsius::add_to(Server::new(), vaults, Config::default()).unwrap();
    assert_drawn(&ThreadClient::new(server, "obsius").await, 12).await;
}
