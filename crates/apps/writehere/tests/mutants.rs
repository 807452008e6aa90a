//! Plans with mistakes of writing: cut at either end, letters lost, doubled, swapped or wrong. A plan that lost a task by
//! it says so, and is a fault where the planner can be asked again.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use graphloom_writehere::TaskType;
use graphloom_writehere::plan::{Outer, PlanRules, RawTask, check_plan, read_plan, repair_plan};
use serde_json::{Value, json};

const MUTANTS_OF_A_KIND: u64 = 400;

/// A plan of a story with designs of two layers, as a strong model writes it.
fn story() -> Value {
    let think = |id: &str, goal: &str, needs: Value, inner: Value| json!({"id": id, "task_type": "think", "goal": goal, "dependency": needs, "sub_tasks": inner});
    let write = |id: &str, goal: &str, words: u32, needs: Value| json!({"id": id, "task_type": "write", "goal": goal, "length": format!("{words} words"), "dependency": needs, "sub_tasks": []});
    let people = json!([
        think("1.1", "Decide what the keeper of the light wants, and what she hides", json!([]), json!([])),
        think("1.2", "Decide who comes with the supply boat (a pilot? a child?)", json!(["1.1"]), json!([])),
    ]);
    let places = json!([
        think("2.1", "Lay out the island: the tower, the store, the reef [north side]", json!([]), json!([])),
        think("2.2", "Find three sounds that come back", json!(["2.1"]), json!([])),
        think("2.3", "Choose the weather of each part", json!(["2.1", "2.2"]), json!([])),
    ]);
    json!({
        "id": "", "task_type": "write", "goal": "Write about a keeper who counts ships", "dependency": [], "length": "2000 words",
        "sub_tasks": [
            think("1", "Design the people and what they want from each other", json!([]), people),
            think("2", "Design the place: \"a light at the end of the world\"", json!(["1"]), places),
            write("3", "Tell how the counting began", 600, json!(["1", "2"])),
            write("4", "Tell of the night with one ship too many", 900, json!(["1", "2"])),
            write("5", "Tell how she stops counting", 500, json!(["1"])),
        ],
    })
}

/// The same layer in tags.
fn tags() -> String {
    let mut text = String::from("<plan>\n");
    for (id, kind, goal, needs) in [
        ("1", "search", "Find how tides are measured", ""),
        ("2", "search", "Find what the moon has to do with it", ""),
        ("3", "think", "Order what was found", "1, 2"),
        ("4", "write", "Explain the measuring", "3"),
        ("5", "write", "Explain the moon's part", "3"),
    ] {
        text.push_str(&format!(
            "  <task>\n    <id>{id}</id>\n    <goal>{goal}</goal>\n    <task_type>{kind}</task_type>\n    <dependency>{needs}</dependency>\n    <atom>false</atom>\n  </task>\n"
        ));
    }
    text.push_str("</plan>");
    text
}

fn replies() -> Vec<String> {
    let whole = story();
    let pretty = serde_json::to_string_pretty(&whole).unwrap();
    let list = serde_json::to_string_pretty(&whole["sub_tasks"]).unwrap();
    vec![
        format!("<think>\nFirst the people, then the place.\n</think>\n\n<result>\n{pretty}\n</result>"),
        format!("<result>{whole}</result>"),
        format!("Here is the plan:\n\n```json\n{pretty}\n```\n"),
        format!("<result>\n{list}\n</result>"),
        format!("<think>two parts</think>\n<result>\n{}\n</result>", tags()),
        tags(),
    ]
}

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap_or_default() % end.max(1)
    }
}

fn mutants(reply: &str) -> Vec<String> {
    let letters: Vec<char> = reply.chars().collect();
    let text = |letters: &[char]| letters.iter().collect::<String>();
    let odd: Vec<char> = "{}[]\",:<>/x1 \n".chars().collect();
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    let mut made = Vec::new();
    for _ in 0..MUTANTS_OF_A_KIND {
        let at = numbers.below(letters.len() - 1);
        made.push(text(&letters[at..]));
        made.push(text(&letters[..=at]));
        // One mistake, and then a second one in the same text.
        let mut letters = letters.clone();
        for _ in 0..2 {
            let at = numbers.below(letters.len() - 1);
            match numbers.below(4) {
                0 => drop(letters.remove(at)),
                1 => letters.swap(at, at + 1),
                2 => letters[at] = odd[numbers.below(odd.len())],
                _ => letters.insert(at, letters[at]),
            }
            made.push(text(&letters));
        }
    }
    made
}

fn count(tasks: &[RawTask]) -> usize {
    tasks.iter().map(|task| 1 + count(task.sub_tasks.as_deref().unwrap_or_default())).sum()
}

#[test]
fn no_plan_loses_a_task_in_silence() {
    let rules = PlanRules::default();
    let outer = Outer { id: "", goal: "Write about the sea", task_type: TaskType::Write, length: Some("2000 words") };
    let (mut all, mut lost, mut refused) = (0, 0, 0);
    for reply in replies() {
        let whole = read_plan(&reply, "result").unwrap();
        assert_eq!(whole.repairs, [], "{reply}");
        let tasks = count(&whole.tasks);
        let layer = check_plan(&whole, outer, &rules).unwrap().tasks().len();
        for mutant in mutants(&reply) {
            all += 1;
            let Ok(raw) = read_plan(&mutant, "result") else {
                refused += 1;
                continue;
            };
            let plan = repair_plan(&raw, outer, &rules);
            if count(&raw.tasks) < tasks || plan.tasks().len() < layer {
                lost += 1;
                assert!(!plan.repairs().is_empty(), "{} of {tasks} tasks, and no repair:\n{mutant}", count(&raw.tasks));
                assert!(check_plan(&raw, outer, &rules).is_err(), "{:?}\n{mutant}", plan.repairs());
            }
        }
    }
    assert!(
        lost > all / 8 && refused > 0 && refused < all / 4,
        "{all} mutants, {lost} lost tasks, {refused} were refused"
    );
}

#[test]
fn what_writers_do_without_losing_anything_is_no_fault() {
    let rules = PlanRules::default();
    let outer = Outer { id: "", goal: "Write about the sea", task_type: TaskType::Write, length: Some("2000 words") };
    let whole = story().to_string();
    for reply in [
        format!("{},]}} // so far", whole.strip_suffix("]}").unwrap()),
        whole.replace('"', "'").replace("'a light at the end of the world\\'", "a light"),
        whole.replace("sub_tasks", "subtasks"),
        format!("This is my [first] plan.\n{whole}\nI hope that it helps!"),
        format!("<result>{whole}"),
        tags().replace("<atom>false</atom>", "<!-- <task> later </task> -->"),
        tags().replace("<dependency></dependency>", "<dependency/>"),
    ] {
        let raw = read_plan(&reply, "result").unwrap_or_else(|error| panic!("{error}\n{reply}"));
        let faults = check_plan(&raw, outer, &rules);
        assert!(faults.is_ok(), "{}\n{reply}", faults.unwrap_err());
    }
}
