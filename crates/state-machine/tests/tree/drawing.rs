//! Pictures of a tree.

use std::borrow::Cow;

use graphloom_state_machine::{FailurePolicy, NewNode, NodeKey, Payload, TaskAction, TaskTree, TreeChange};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
struct Work {
    goal: String,
    task_type: String,
    length: Option<u32>,
}

impl Payload for Work {
    type Change = String;

    fn change(&mut self, goal: String) {
        self.goal = goal;
    }

    fn title(&self) -> Cow<'_, str> {
        Cow::Borrowed(&self.goal)
    }

    fn kind_label(&self) -> Cow<'_, str> {
        match self.length {
            Some(length) => Cow::Owned(format!("{}.{length} words", self.task_type)),
            None => Cow::Borrowed(&self.task_type),
        }
    }

    fn listed_as_dependency(&self) -> bool {
        self.task_type != "write"
    }
}

fn work(goal: &str, task_type: &str, length: Option<u32>) -> Work {
    Work { goal: goal.into(), task_type: task_type.into(), length }
}

fn tree() -> TaskTree<Work> {
    let mut tree = TaskTree::new(work("How \"tides\" work", "write", Some(300)), FailurePolicy::Degrade);
    let search = NewNode::plan("1", [""; 0], work("Find\n sources #1", "search", None));
    let first = NewNode::plan("2", ["1"], work("Write <part> 1", "write", Some(100)));
    let second = NewNode::plan("3", ["1", "2"], work("Write part 2", "write", Some(200)));
    tree.try_apply(TreeChange::planned(NodeKey::root(), vec![search, first, second])).unwrap();
    tree.try_apply(TreeChange::acted(NodeKey::root(), TaskAction::PriorReflect)).unwrap();
    let one: NodeKey = "1".parse().unwrap();
    tree.try_apply(TreeChange::planned(one.clone(), vec![NewNode::execution(work("Find", "search", None))])).unwrap();
    tree.try_apply(TreeChange::acted(one, TaskAction::PriorReflect)).unwrap();
    tree.try_apply(TreeChange::failed("1.0".parse().unwrap(), TaskAction::Execute, "no corpus")).unwrap();
    tree
}

#[test]
fn as_text() {
    insta::assert_snapshot!(tree().to_text(), @r###"
【write.300 words】.(How "tides" work).          : DOING
  1【search】.(Find sources #1).          : FAILED (inner task `1.0` failed)
    0*【search】.(Find).          : FAILED (action `execute` failed: no corpus)
  2【write.100 words】.(Write <part> 1).1         : NEED_UPDATE
  3【write.200 words】.(Write part 2).1         : NOT_READY
"###);
}

#[test]
fn as_mermaid() {
    insta::assert_snapshot!(tree().to_mermaid(), @r###"
flowchart TD
  n_root["root write.300 words: How #quot;tides#quot; work<br/>DOING"]:::open
  n_1["1 search: Find sources #35;1<br/>FAILED"]:::failed
  n_1_0(["0 search: Find<br/>FAILED"]):::failed
  n_2["2 write.100 words: Write #lt;part#gt; 1<br/>NEED_UPDATE"]:::ready
  n_3["3 write.200 words: Write part 2<br/>NOT_READY"]:::waiting
  n_root -.- n_1
  n_root -.- n_2
  n_root -.- n_3
  n_1 -.- n_1_0
  n_1 --> n_2
  n_1 --> n_3
  n_2 --> n_3
  classDef failed fill:#f8d7da,stroke:#b71c1c
  classDef open fill:#fff4cc,stroke:#b8860b
  classDef ready fill:#d6e6ff,stroke:#1a5fb4
  classDef waiting fill:#eeeeee,stroke:#999999
"###);
}

#[test]
fn as_dot() {
    insta::assert_snapshot!(tree().to_dot(), @r###"
digraph tasks {
  rankdir=TB;
  node [style=filled, fontname="sans-serif"];
  "root" [label="root write.300 words: How \"tides\" work\nDOING", shape=box, fillcolor="#fff4cc"];
  "1" [label="1 search: Find sources #1\nFAILED", shape=box, fillcolor="#f8d7da"];
  "1.0" [label="0 search: Find\nFAILED", shape=ellipse, fillcolor="#f8d7da"];
  "2" [label="2 write.100 words: Write <part> 1\nNEED_UPDATE", shape=box, fillcolor="#d6e6ff"];
  "3" [label="3 write.200 words: Write part 2\nNOT_READY", shape=box, fillcolor="#eeeeee"];
  "root" -> "1" [style=dashed, arrowhead=none];
  "root" -> "2" [style=dashed, arrowhead=none];
  "root" -> "3" [style=dashed, arrowhead=none];
  "1" -> "1.0" [style=dashed, arrowhead=none];
  "1" -> "2";
  "1" -> "3";
  "2" -> "3";
}
"###);
}

#[test]
fn as_json() {
    let tree = tree();
    let json = tree.to_json();
    let search = &json["inner_graph"]["node_list"][0];
    assert_eq!(search["inner_graph"]["node_list"][0]["node_type"], "EXECUTE_NODE");
    assert_eq!(search["node_graph_info"]["outer_node"], "root");
    let expected: serde_json::Value = serde_json::from_str(
        r###"
{
  "hashkey": "2",
  "inner_graph": {
    "graph_edges": {},
    "nid_list": [],
    "node_list": [],
    "outer_node": "2",
    "topological_task_queue": []
  },
  "nid": "2",
  "node_graph_info": {
    "layer": 1,
    "outer_node": "root",
    "parent_nodes": [
      "1"
    ],
    "root_node": "root"
  },
  "node_type": "PLAN_NODE",
  "result": {},
  "status": "NEED_UPDATE",
  "status_list": {
    "activate": [
      "READY",
      "NEED_UPDATE",
      "FINAL_TO_FINISH",
      "NEED_POST_REFLECT",
      "PLAN_DONE"
    ],
    "silence": [
      "FINISH",
      "FAILED"
    ],
    "suspend": [
      "NOT_READY",
      "DOING"
    ]
  },
  "task_info": {
    "goal": "Write <part> 1",
    "length": 100,
    "task_type": "write"
  }
}
"###,
    )
    .unwrap();
    assert_eq!(tree.node_json(tree.find("2").unwrap()), expected);
}
