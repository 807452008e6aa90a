//! From plans to nodes: the rules of the original, and what must hold for any plan.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use graphloom_state_machine::{
    DependencyGraph, FailurePolicy, NewNode, NodeKey, NodeType, TaskAction, TaskTree, TreeChange, TreeStatus,
};
use graphloom_writehere::plan::{Outer, PlanRules, PlanShape, PlanStats, RawPlan, plan_schema, read_plan, repair_plan};
use graphloom_writehere::{Task, TaskType, plan_to_graph};
use proptest::prelude::*;
use serde_json::{Value, json};

fn root() -> Task {
    Task::root("Report on tides", Some("900 words".into()))
}

fn outer() -> Outer<'static> {
    Outer { id: "", goal: "Report on tides", task_type: TaskType::Write, length: Some("900 words") }
}

fn graph_of(raw: &RawPlan) -> Vec<NewNode<Task>> {
    let rules = PlanRules::default();
    plan_to_graph(&repair_plan(raw, outer(), &rules), &root(), rules.chains)
}

fn raw(tasks: &Value) -> RawPlan {
    read_plan(&json!({ "sub_tasks": tasks }).to_string(), "result").unwrap()
}

/// `id<-parents` of each node, `*` for execute nodes.
fn shape(nodes: &[NewNode<Task>]) -> String {
    let star = |node: &NewNode<Task>| if node.node_type == NodeType::Execute { "*" } else { "" };
    let lines: Vec<String> =
        nodes.iter().map(|node| format!("{}{}<-{}", node.nid, star(node), node.dependencies.join(","))).collect();
    lines.join(" ")
}

#[test]
fn chains_come_on_top_of_what_the_plan_says() {
    let write = |id: &str, deps: Value| json!({"id": id, "goal": id, "task_type": "write", "dependency": deps, "length": "450 words"});
    let think = |id: &str, deps: Value| json!({"id": id, "goal": id, "task_type": "think", "dependency": deps});
    let search = |id: &str| json!({"id": id, "goal": id, "task_type": "search", "dependency": []});
    for (name, tasks, expected) in [
        (
            "a flat report",
            json!([think("1", json!([])), search("2"), write("3", json!(["1", "2"])), write("4", json!(["1", "2"]))]),
            "1<- 2<- 3<-1,2 4<-1,2,3",
        ),
        (
            "thinks form a chain and sort their parents",
            json!([
                think("1", json!([])),
                search("2"),
                think("3", json!(["2"])),
                think("4", json!([])),
                write("5", json!([])),
                write("6", json!([]))
            ]),
            "1<- 2<- 3<-1,2 4<-1,3 5<- 6<-5",
        ),
        (
            "searches stay free of each other",
            json!([search("1"), search("2"), write("3", json!(["2"])), write("4", json!([]))]),
            "1<- 2<- 3<-2 4<-3",
        ),
        ("numbers decide, not places", json!([write("10", json!([])), write("9", json!([]))]), "10<-9 9<-"),
        (
            "a nested plan stays a reference",
            json!([{"id":"1","goal":"g","task_type":"write","dependency":[],"sub_tasks":[think("1.1", json!([]))]}]),
            "1<-",
        ),
        (
            "atoms are execute nodes",
            json!([{"id":"1","goal":"g","task_type":"search","dependency":[],"atom":true}, write("2", json!(["1"])), write("3", json!([]))]),
            "1*<- 2<-1 3<-2",
        ),
        ("no plan, one execute child", json!([]), "0*<-"),
    ] {
        assert_eq!(shape(&graph_of(&raw(&tasks))), expected, "{name}");
    }
}

#[test]
fn nodes_carry_what_the_plan_says_and_nothing_of_the_chains() {
    let nodes = graph_of(&raw(&json!([
        {"id": "1", "goal": "find\nout", "task_type": "analysis", "dependency": [], "length": "5 words"},
        {"id": "2", "goal": "a", "task_type": "write", "dependency": ["1"], "sub_tasks": []},
        {"id": "3", "goal": "b", "task_type": "write", "dependency": []},
    ])));
    assert_eq!(nodes[0].payload.info.goal, "find;out");
    assert_eq!((nodes[0].payload.info.task_type, nodes[0].payload.info.length.as_deref()), (TaskType::Think, None));
    assert_eq!(nodes[1].payload.candidate_plan, Some(Vec::new()));
    assert_eq!(nodes[2].payload.candidate_plan, None);
    assert_eq!(
        (nodes[2].dependencies.as_slice(), nodes[2].payload.info.dependency.as_slice()),
        (&["2".to_string()][..], &[][..])
    );
    let child = &graph_of(&raw(&json!([])))[0];
    assert_eq!(child.payload.info.length.as_deref(), Some("900 words"));
    assert_eq!(child.payload.info.goal, "Report on tides");
}

#[test]
fn statistics_describe_the_plan_as_it_was_written() {
    let stats = PlanStats::of(&raw(&json!([
        {"id": "1", "goal": "a", "task_type": "analysis", "dependency": ["2"]},
        {"id": "2", "goal": "b", "task_type": "think", "dependency": ["1"]},
        {"id": "3", "goal": "c", "task_type": "paint", "dependency": ["1", "2"]},
    ])));
    let types: Vec<(&str, usize)> = stats.task_types.iter().map(|(word, n)| (word.as_str(), *n)).collect();
    assert_eq!(types, [("paint", 1), ("think", 2)]);
    assert_eq!(stats.dependency_counts.into_iter().collect::<Vec<_>>(), [(1, 2), (2, 1)]);
    assert!(stats.has_cycles);
}

fn any_task() -> impl Strategy<Value = Value> {
    let id = prop_oneof![
        (0u8..6).prop_map(|n| json!(n.to_string())),
        (0u8..6).prop_map(|n| json!(n)),
        (0u8..4).prop_map(|n| json!(format!("1.{n}"))),
        Just(json!("x")),
        Just(Value::Null),
    ];
    let dependency = prop_oneof![
        prop::collection::vec((0u8..6).prop_map(|n| json!(n.to_string())), 0..4).prop_map(Value::Array),
        Just(json!("1,2")),
        Just(json!([1, null, "3"])),
        Just(Value::Null),
    ];
    let word = prop_oneof![Just("write"), Just("think"), Just("search"), Just("analysis"), Just("?"), Just("")];
    let length = prop_oneof![Just(Value::Null), Just(json!("300 words")), Just(json!(50)), Just(json!("long"))];
    (id, dependency, word, length, any::<bool>()).prop_map(|(id, dependency, word, length, atom)| {
        json!({"id": id, "goal": "g", "task_type": word, "dependency": dependency, "length": length, "atom": atom})
    })
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "\\PC{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        let key = prop_oneof![
            Just("sub_tasks".to_string()),
            Just("tasks".into()),
            Just("id".into()),
            Just("goal".into()),
            Just("task_type".into()),
            Just("dependency".into()),
            Just("plan".into()),
            "[a-z]{1,3}",
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            prop::collection::vec((key, inner), 0..6).prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

/// Everything that must hold for the nodes of any plan of a write task.
fn check(nodes: &[NewNode<Task>]) -> Result<(), TestCaseError> {
    let rows = nodes.iter().map(|node| (node.nid.clone(), node.dependencies.clone()));
    let graph = DependencyGraph::build(rows);
    prop_assert!(graph.is_ok(), "{:?}: {}", graph.err(), shape(nodes));
    prop_assert!(nodes.len() <= 8);
    if nodes.len() > 1 || nodes[0].nid != "0" {
        let number = |node: &NewNode<Task>| node.nid.rsplit('.').next().and_then(|n| n.parse::<u64>().ok()).unwrap();
        let last = nodes.iter().max_by_key(|node| number(node)).unwrap();
        prop_assert_eq!(last.payload.info.task_type, TaskType::Write);
    }
    Ok(())
}

/// Carries a tree out, always taking the first ready task, and returns the numbers of the write tasks as they finish.
fn carry_out(nodes: Vec<NewNode<Task>>) -> (TreeStatus, Vec<u64>) {
    let mut tree = TaskTree::new(root(), FailurePolicy::Degrade);
    tree.try_apply(TreeChange::planned(NodeKey::root(), nodes)).unwrap();
    let mut written = Vec::new();
    while let Some(next) = tree.next_in_level_order() {
        let node = tree.node(&next.node).unwrap();
        let task = Task::clone(&node.payload);
        if next.action == TaskAction::Execute && task.info.task_type == TaskType::Write {
            let owner = if node.is_atomic_execution() { tree.node(&node.outer().unwrap()).unwrap() } else { node };
            written.push(owner.nid.rsplit('.').next().and_then(|n| n.parse().ok()).unwrap_or(0));
        }
        let change = if next.action == TaskAction::Plan {
            let atomic = repair_plan(&RawPlan::of_tasks(Vec::new()), outer(), &PlanRules::default());
            TreeChange::planned(next.node, plan_to_graph(&atomic, &task, PlanRules::default().chains))
        } else {
            TreeChange::acted(next.node, next.action)
        };
        tree.try_apply(change).unwrap();
    }
    (tree.status(), written)
}

proptest! {
    #[test]
    fn any_list_of_tasks_becomes_a_graph_that_can_be_carried_out(tasks in prop::collection::vec(any_task(), 0..14)) {
        let nodes = graph_of(&raw(&Value::Array(tasks)));
        check(&nodes)?;
        let (status, written) = carry_out(nodes);
        prop_assert_eq!(status, TreeStatus::Done);
        prop_assert!(!written.is_empty());
        prop_assert!(written.is_sorted(), "writes in the order of their numbers: {:?}", written);
    }

    #[test]
    fn any_json_is_read_or_refused(value in any_json()) {
        if let Ok(raw) = read_plan(&value.to_string(), "result") {
            check(&graph_of(&raw))?;
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(\\PC|<(/)?(plan|task|id|goal|sub_tasks|result|think)>|[\\[\\]{}\",:]|\n){0,60}") {
        if let Ok(raw) = read_plan(&text, "result") {
            check(&graph_of(&raw))?;
        }
    }

    #[test]
    fn every_plan_the_schema_admits_needs_no_repair(words in 50u32..3000, search in any::<bool>(), picks in prop::collection::vec(any::<prop::sample::Index>(), 16)) {
        let shape = PlanShape::for_task(TaskType::Write, Some(words), search, 120);
        let schema = plan_schema(&shape, "");
        let slots = schema["properties"]["sub_tasks"]["prefixItems"].as_array().unwrap();
        let tasks: Vec<Value> = slots.iter().enumerate().map(|(n, slot)| {
            let choose = |field: &str, pick: &prop::sample::Index| pick.get(slot["properties"][field]["enum"].as_array().unwrap()).clone();
            json!({
                "id": slot["properties"]["id"]["const"],
                "goal": format!("a goal of task {n}"),
                "task_type": choose("task_type", &picks[n]),
                "dependency": choose("dependency", &picks[n + 8]),
            })
        }).collect();
        let plan = repair_plan(&raw(&Value::Array(tasks)), outer(), &PlanRules::default());
        let faults: Vec<String> = plan.repairs().iter().filter(|repair| repair.kind.is_fault()).map(ToString::to_string).collect();
        prop_assert!(faults.is_empty(), "{:?}", faults);
    }
}
