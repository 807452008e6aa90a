//! What tasks see of the tree.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use graphloom_state_machine::{FailurePolicy, NodeKey, TaskAction, TaskTree, TreeChange};
use graphloom_writehere::context::{
    ContextRules, article_of, article_text, article_window, full_plan, outer_dependencies, plan_within, prompt_args,
    same_graph_dependencies, target_write_tasks, writing_outline,
};
use graphloom_writehere::plan::{Outer, PlanRules, RawPlan, read_plan, repair_plan};
use graphloom_writehere::{ActionResult, Task, TaskChange, Tree, plan_to_graph};
use serde_json::{Value, json};

fn key(text: &str) -> NodeKey {
    text.parse().unwrap()
}

fn plan(tree: &mut Tree, at: &str, tasks: &Value) {
    let at = key(at);
    let task = (*tree.node(&at).unwrap().payload).clone();
    let raw = if tasks.is_null() {
        RawPlan::of_tasks(Vec::new())
    } else {
        read_plan(&json!({ "sub_tasks": tasks }).to_string(), "x").unwrap()
    };
    let rules = PlanRules::default();
    let info = &task.info;
    let outer = Outer { id: &info.id, goal: &info.goal, task_type: info.task_type, length: info.length.as_deref() };
    let children = plan_to_graph(&repair_plan(&raw, outer, &rules), &task, rules.chains);
    tree.try_apply(TreeChange::planned(at.clone(), children)).unwrap();
    tree.try_apply(TreeChange::acted(at, TaskAction::PriorReflect)).unwrap();
}

fn update(tree: &mut Tree, at: &str) {
    tree.try_apply(TreeChange::acted(key(at), TaskAction::Update)).unwrap();
}

/// Carries out an atomic task: plan, execute, aggregate.
fn atomic(tree: &mut Tree, at: &str, text: &str) {
    plan(tree, at, &Value::Null);
    let child = key(at).child(0);
    let done = |action| TaskChange::Result { action, result: ActionResult::new("test", text) };
    for (node, action) in [
        (child.clone(), TaskAction::Execute),
        (child, TaskAction::ExecutePostReflect),
        (key(at), TaskAction::FinalAggregate),
        (key(at), TaskAction::PlanningPostReflect),
    ] {
        let stored = matches!(action, TaskAction::Execute | TaskAction::FinalAggregate);
        let acted = TreeChange::acted(node.clone(), action);
        let change = if stored { TreeChange::changed(node, done(action)).and(acted) } else { acted };
        tree.try_apply(change).unwrap();
    }
}

/// A report: 1 think, 2 search after 1, 3 write, 4 write broken into 4.1 think and 4.2 write, 5 write.
fn report() -> Tree {
    let mut tree = TaskTree::new(Task::root("Tides", Some("900 words".into())), FailurePolicy::Degrade);
    plan(
        &mut tree,
        "root",
        &json!([
            {"id": "1", "goal": "outline", "task_type": "think", "dependency": []},
            {"id": "2", "goal": "moon facts", "task_type": "search", "dependency": ["1"]},
            {"id": "3", "goal": "opening", "task_type": "write", "length": "300 words", "dependency": ["2"]},
            {"id": "4", "goal": "the middle", "task_type": "write", "length": "300 words", "dependency": ["2"]},
            {"id": "5", "goal": "the end", "task_type": "write", "length": "300 words", "dependency": []},
        ]),
    );
    atomic(&mut tree, "1", "OUTLINE");
    update(&mut tree, "2");
    atomic(&mut tree, "2", "MOON [reference:a#1]");
    update(&mut tree, "3");
    atomic(&mut tree, "3", "First part.\n\nIts end.");
    update(&mut tree, "4");
    plan(
        &mut tree,
        "4",
        &json!([
            {"id": "4.1", "goal": "order of the middle", "task_type": "think", "dependency": []},
            {"id": "4.2", "goal": "write the middle", "task_type": "write", "length": "300 words", "dependency": ["4.1"]},
        ]),
    );
    tree
}

#[test]
fn results_come_by_distance_and_writes_never() {
    let mut tree = report();
    let ids = |groups: &graphloom_writehere::context::Dependencies<'_>| -> Vec<(usize, Vec<String>)> {
        groups.groups.iter().map(|(d, nodes)| (*d, nodes.iter().map(|node| node.nid.clone()).collect())).collect()
    };
    let before = tree.clone();
    let four = same_graph_dependencies(&before, &key("4"));
    assert_eq!(ids(&four), [(2, vec!["1".to_string()]), (1, vec!["2".to_string()])], "farthest first, task 3 left out");
    assert_eq!(four.render(1000).0, "【outline】:\n OUTLINE\n\n【moon facts】:\n MOON [reference:a#1]");

    atomic(&mut tree, "4.1", "ORDER");
    update(&mut tree, "4.2");
    plan(&mut tree, "4.2", &Value::Null);
    let child = key("4.2.0");
    assert_eq!(ids(&same_graph_dependencies(&tree, &child)), [(1, vec!["4.1".to_string()])], "the plan node stands in");
    let outer = outer_dependencies(&tree, &child, 3);
    assert_eq!(outer.len(), 2, "the root and task 4");
    assert_eq!(ids(&outer[1]), ids(&four));
    assert_eq!(ids(&outer_dependencies(&tree, &child, 1)[1]), [(1, vec!["2".to_string()])]);
}

#[test]
fn the_first_visit_sets_the_distance() {
    let mut tree = TaskTree::new(Task::root("Tides", None), FailurePolicy::Degrade);
    plan(
        &mut tree,
        "root",
        &json!([
            {"id": "1", "goal": "b", "task_type": "search", "dependency": []},
            {"id": "2", "goal": "a", "task_type": "search", "dependency": ["1"]},
            {"id": "3", "goal": "w", "task_type": "write", "dependency": ["2", "1"]},
        ]),
    );
    let found = same_graph_dependencies(&tree, &key("3"));
    let distances: Vec<(usize, &str)> =
        found.groups.iter().flat_map(|(d, nodes)| nodes.iter().map(|n| (*d, n.nid.as_str()))).collect();
    assert_eq!(distances, [(2, "1"), (1, "2")], "task 1 is a direct dependency, but was met behind task 2 first");
}

#[test]
fn the_outline_marks_what_is_to_be_written_now() {
    let mut tree = report();
    atomic(&mut tree, "4.1", "ORDER");
    update(&mut tree, "4.2");
    plan(&mut tree, "4.2", &Value::Null);
    let expected = "【1】.300 words: opening :**FINISHED**\n\
                    【2】.300 words: the middle :**DOING**\n\
                    \t【2.1】.300 words: write the middle :**You Need To Write**\n\
                    【3】.300 words: the end :**Not Started Yet, You should avoid content related to this part**";
    assert_eq!(writing_outline(&tree, &key("4.2.0"), true), expected);
    assert_eq!(writing_outline(&tree, &key("4.2.0"), false), expected.rsplit_once('\n').unwrap().0);
}

#[test]
fn the_plan_view_ends_one_layer_below_the_task() {
    let mut tree = report();
    atomic(&mut tree, "4.1", "ORDER");
    let view = full_plan(&tree, &key("2.0"));
    assert_eq!(view["sub_tasks"][1]["is_current_to_plan_task"], json!(true), "the plan node of the execute child");
    assert_eq!(view["sub_tasks"][1].get("sub_tasks"), None, "execute children are left out");
    assert_eq!(view["sub_tasks"][3]["sub_tasks"][1]["dependency"], json!(["4.1"]));
    assert_eq!(view["sub_tasks"][3]["dependency"], json!(["2"]), "write tasks are no dependencies here");
    assert_eq!(view["sub_tasks"][2]["finish"], json!(true));
    assert_eq!(full_plan(&tree, &key("root"))["sub_tasks"][3].get("sub_tasks"), None, "cut below the first layer");
}

#[test]
fn a_large_plan_is_shown_around_the_task() {
    let mut tree = report();
    atomic(&mut tree, "4.1", "ORDER");
    let (whole, note) = plan_within(&tree, &key("4.2"), 8);
    assert_eq!((whole, note), (full_plan(&tree, &key("4.2")), None), "eight tasks are shown");
    let (near, note) = plan_within(&tree, &key("3"), 3);
    assert_eq!(note.as_deref(), Some("of the plan's more than 3 tasks, the 6 around this one were shown"));
    assert_eq!(near["sub_tasks"].as_array().map(Vec::len), Some(5));
    assert_eq!(near["sub_tasks"][3]["sub_tasks_not_shown"], json!(2), "task 4 is not on the way");
    assert_eq!(near["sub_tasks"][2]["is_current_to_plan_task"], json!(true));
}

#[test]
fn of_many_earlier_parts_the_nearest_are_named() {
    let keys: Vec<NodeKey> = (1..=50).map(|place| NodeKey::root().child(place)).collect();
    let goals: Vec<String> = (1..=50).map(|place| format!("part {place}")).collect();
    let mut tree = TaskTree::new(Task::root("Tides", None), FailurePolicy::Degrade);
    let tasks: Vec<Value> = goals
        .iter()
        .enumerate()
        .map(|(at, goal)| json!({"id": (at + 1).to_string(), "goal": goal, "task_type": "write", "dependency": []}))
        .collect();
    let mut rules = PlanRules::default();
    rules.max_tasks = 50;
    let raw = read_plan(&json!({ "sub_tasks": tasks }).to_string(), "x").unwrap();
    let outer = Outer { id: "", goal: "Tides", task_type: graphloom_writehere::TaskType::Write, length: None };
    let children =
        plan_to_graph(&repair_plan(&raw, outer, &rules), &Task::clone(&tree.root().unwrap().payload), rules.chains);
    tree.try_apply(TreeChange::planned(NodeKey::root(), children)).unwrap();
    tree.try_apply(TreeChange::acted(NodeKey::root(), TaskAction::PriorReflect)).unwrap();
    for (at, key) in keys.iter().enumerate() {
        if at > 0 {
            update(&mut tree, &key.to_string());
        }
        atomic(&mut tree, &key.to_string(), "Five words of some text.");
    }
    let (window, _) = article_window(&article_of(&tree, &NodeKey::root()), 5);
    assert!(window.starts_with("[19 more parts before these]\n[earlier part, not shown in full: part 20]"), "{window}");
    assert_eq!(window.lines().count(), 1 + 30 + 1, "{window}");
}

#[test]
fn a_search_hears_who_will_use_it() {
    let tree = report();
    assert_eq!(target_write_tasks(&tree, &key("2.0")), ["opening (300 words)", "the middle (300 words)"]);
    assert_eq!(target_write_tasks(&tree, &key("4.1")), ["write the middle (300 words)"]);
    assert_eq!(
        target_write_tasks(&tree, &key("1")),
        ["Tides (900 words)"],
        "the outer task when no write depends on it"
    );
}

#[test]
fn the_article_is_what_was_written_in_order() {
    let mut tree = report();
    atomic(&mut tree, "4.1", "ORDER");
    update(&mut tree, "4.2");
    atomic(&mut tree, "4.2", "Second part with six words here.");
    let pieces = article_of(&tree, &NodeKey::root());
    assert_eq!(article_text(&pieces), "First part.\n\nIts end.\n\nSecond part with six words here.");
    assert_eq!(article_text(&article_of(&tree, &key("4"))), "Second part with six words here.");
    let (window, cut) = article_window(&pieces, 8);
    assert_eq!(window, "[earlier part, not shown in full: opening]\nIts end.\n\nSecond part with six words here.");
    assert_eq!(cut.as_deref(), Some("of the 2 parts written so far, the last 8 words were shown"));
    assert_eq!(article_window(&pieces, 10).1, None);
}

#[test]
fn prompt_arguments_carry_all_of_it() {
    let mut tree = report();
    atomic(&mut tree, "4.1", "ORDER ".repeat(400).trim());
    update(&mut tree, "4.2");
    let mut rules = ContextRules::default();
    rules.result_words = 100;
    let args = prompt_args(&tree, &key("4.2"), &rules, "2026-01-02").unwrap();
    assert_eq!(args.to_run_root_question, "Tides");
    assert_eq!(
        (args.goal.as_str(), args.length.as_str(), args.id.as_str(), args.layer),
        ("write the middle", "300 words", "4.2", 2)
    );
    assert_eq!(args.to_run_article, "First part.\n\nIts end.");
    assert!(args.to_run_outer_graph_dependent.contains("MOON"));
    assert_eq!(args.to_run_same_graph_dependent.matches("ORDER").count(), 100);
    assert_eq!(args.cuts, ["of the result of task `4.1`, the first 100 words were shown"]);
    let task: Value = serde_json::from_str(&args.to_run_task).unwrap();
    assert_eq!(task["dependency"], json!(["4.1"]));
    assert!(task.get("candidate_plan").is_none());
    assert!(prompt_args(&tree, &key("9"), &rules, "").is_none());
}
