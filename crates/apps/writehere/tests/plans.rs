//! Plans as models write them: what is read, what is repaired, and what is refused when the planner shall be asked again.

use graphloom_writehere::TaskType;
use graphloom_writehere::plan::{
    ChainRules, Outer, Plan, PlanError, PlanForm, PlanRules, PlanStats, RawPlan, RepairKind, check_plan, read_plan,
    repair_plan,
};

fn outer<'a>() -> Outer<'a> {
    Outer { id: "", goal: "Report on tides", task_type: TaskType::Write, length: Some("900 words") }
}

fn read(reply: &str) -> RawPlan {
    read_plan(reply, "result").unwrap_or_else(|error| panic!("{error}\n{reply}"))
}

fn repaired(tasks: &str) -> Plan {
    repair_plan(&read(&format!("{{\"sub_tasks\": [{tasks}]}}")), outer(), &PlanRules::default())
}

fn kinds(plan: &Plan) -> Vec<RepairKind> {
    plan.repairs().iter().map(|repair| repair.kind).collect()
}

/// `id type[dependencies]`, task by task.
fn line(plan: &Plan) -> String {
    let tasks: Vec<String> = plan
        .tasks()
        .iter()
        .map(|task| format!("{} {}[{}]", task.id, task.task_type, task.dependency.join(",")))
        .collect();
    tasks.join(" ")
}

fn task(id: &str, task_type: &str, dependency: &str) -> String {
    let length = if task_type == "write" { ",\"length\":\"300 words\"" } else { "" };
    format!(
        "{{\"id\":{id},\"goal\":\"do {}\",\"task_type\":\"{task_type}\",\"dependency\":{dependency}{length}}}",
        id.replace('"', "")
    )
}

#[test]
fn both_forms_are_read_however_they_are_wrapped() {
    let json = r#"{"id":"","goal":"g","task_type":"write","dependency":[],"sub_tasks":[
        {"id":"1","goal":"find json files","task_type":"search","dependency":[]},
        {"id":"2","goal":"write","task_type":"write","length":"900 words","dependency":["1"],"sub_tasks":[]}]}"#;
    let xml = "<plan><task><id>1</id><goal>find json files</goal><task_type>search</task_type><dependency></dependency></task>\
               <task><id>2</id><goal>write</goal><task_type>write</task_type><dependency>1</dependency><length>900 words</length></task></plan>";
    let list = json[json.find("[\n").unwrap()..json.len() - 1].to_string();
    for (reply, form) in [
        (json.to_string(), PlanForm::Json),
        (format!("<think>\nmaybe {{\"sub_tasks\": []}}\n</think>\n<result>\n{json}\n</result>"), PlanForm::Json),
        (format!("<result>\n```json\n{json}\n```\n</result>"), PlanForm::Json),
        (format!("Here is the plan:\n```\n{json}\n```\nGood luck."), PlanForm::Json),
        (json.replace("[]}]}", "[],},],} // done"), PlanForm::Json),
        (json.replace("\"id\":\"\"", "\"id\":\"root\""), PlanForm::Json),
        (json.replace("sub_tasks", "tasks"), PlanForm::Json),
        (list, PlanForm::Json),
        (format!("{{\"plan\": {json}}}"), PlanForm::Json),
        (xml.to_string(), PlanForm::Xml),
        (format!("<result>\n{xml}\n</result>"), PlanForm::Xml),
        (xml.replace("</task>", "</TASK>\n<!-- <task> more </task> -->"), PlanForm::Xml),
        (xml.replace("</plan>", ""), PlanForm::Xml),
        (format!("```xml\n{xml}\n```"), PlanForm::Xml),
    ] {
        let plan = read(&reply);
        assert_eq!(plan.form, form, "{reply}");
        let ids: Vec<_> = plan.tasks.iter().map(|task| task.id.as_deref().unwrap()).collect();
        assert_eq!(ids, ["1", "2"], "{reply}");
        assert_eq!(plan.tasks[0].goal.as_deref(), Some("find json files"), "{reply}");
        assert_eq!(plan.tasks[1].dependency.as_deref(), Some(&["1".to_string()][..]), "{reply}");
        assert_eq!(plan.tasks[1].length.as_deref(), Some("900 words"), "{reply}");
    }
}

#[test]
fn deeper_layers_and_atoms_are_kept() {
    let plan = read(
        "<plan><task><id>1</id><goal>a &amp; b</goal><task_type>think</task_type><dependency/><atom>true</atom>\
         <sub_tasks><task><id>1.1</id><goal>inner</goal><task_type>think</task_type></task></sub_tasks></task>\
         <task><id>2</id><goal>w</goal><task_type>write</task_type><atom>false</atom></task></plan>",
    );
    assert_eq!(plan.tasks.len(), 2);
    assert!(plan.tasks[0].atom && !plan.tasks[1].atom);
    assert_eq!(plan.tasks[0].goal.as_deref(), Some("a & b"));
    assert_eq!(plan.tasks[0].sub_tasks.as_ref().unwrap()[0].id.as_deref(), Some("1.1"));
    let stats = PlanStats::of(&plan);
    assert_eq!((stats.tasks, stats.nested, stats.layers, stats.has_cycles), (2, 1, 2, false));
    assert_eq!(stats.task_types.get("think"), Some(&1));
}

#[test]
fn what_is_no_plan_says_why() {
    for (reply, part) in [
        ("", "no JSON"),
        ("I would first search, then write.", "no JSON"),
        ("{\"id\": \"1\"}", "no `sub_tasks`"),
        ("{\"sub_tasks\": 3}", "`sub_tasks` is a number"),
        ("<plan>nothing</plan>", "no `<task>`"),
    ] {
        let error = read_plan(reply, "result").unwrap_err().to_string();
        assert!(error.contains(part), "{reply}: {error}");
    }
}

#[test]
fn broken_plans_are_repaired_and_every_repair_is_listed() {
    use RepairKind as K;
    let w = |id: &str, deps: &str| task(id, "write", deps);
    let t = |id: &str, deps: &str| task(id, "think", deps);
    let cases: Vec<(&str, Vec<String>, &str, Vec<RepairKind>)> = vec![
        ("sound", vec![t("\"1\"", "[]"), w("\"2\"", "[\"1\"]")], "1 think[] 2 write[1]", vec![]),
        (
            "self dependency",
            vec![t("\"1\"", "[\"1\"]"), w("\"2\"", "[]")],
            "1 think[] 2 write[]",
            vec![K::DependencyOnItself],
        ),
        (
            "write depends on a later write",
            vec![w("\"1\"", "[\"2\"]"), w("\"2\"", "[]"), w("\"3\"", "[]")],
            "1 write[] 2 write[] 3 write[]",
            vec![K::DependencyCircle],
        ),
        (
            "think depends on a later think",
            vec![t("\"1\"", "[\"2\"]"), t("\"2\"", "[]"), w("\"3\"", "[]")],
            "1 think[] 2 think[] 3 write[]",
            vec![K::DependencyCircle],
        ),
        (
            "a circle of two kinds",
            vec![task("\"1\"", "search", "[\"2\"]"), t("\"2\"", "[\"1\"]"), w("\"3\"", "[]")],
            "1 search[] 2 think[1] 3 write[]",
            vec![K::DependencyCircle],
        ),
        (
            "a later search is no circle",
            vec![t("\"1\"", "[\"2\"]"), task("\"2\"", "search", "[]"), w("\"3\"", "[]")],
            "1 think[2] 2 search[] 3 write[]",
            vec![],
        ),
        (
            "duplicate id",
            vec![t("\"1\"", "[]"), t("\"1\"", "[]"), w("\"2\"", "[\"1\"]")],
            "1 think[] 2 think[] 3 write[2]",
            vec![K::IdRepeated],
        ),
        (
            "numbers as ids",
            vec![t("1", "[]"), w("2", "[1]")],
            "1 think[] 2 write[1]",
            vec![K::IdIsNumber, K::IdIsNumber, K::DependencyIsNumber],
        ),
        (
            "text as dependencies",
            vec![t("\"1\"", "\"\""), t("\"2\"", "[]"), w("\"3\"", "\"1,2\"")],
            "1 think[] 2 think[] 3 write[1,2]",
            vec![K::DependencyIsText],
        ),
        ("null", vec![t("\"1\"", "null"), w("\"2\"", "[]")], "1 think[] 2 write[]", vec![K::DependencyNull]),
        (
            "unknown and cross-layer ids",
            vec![t("\"1\"", "[\"0.4\",\"x\"]"), w("\"2\"", "[\"1\"]")],
            "1 think[] 2 write[1]",
            vec![K::DependencyUnknown, K::DependencyUnknown],
        ),
        (
            "no number at the end of an id",
            vec![t("\"a\"", "[]"), w("\"b\"", "[\"a\"]")],
            "1 think[] 2 write[1]",
            vec![K::IdNotNumbered, K::IdNotNumbered],
        ),
        (
            "an unknown type",
            vec![task("\"1\"", "ponder", "[]"), w("\"2\"", "[]")],
            "1 think[] 2 write[]",
            vec![K::TypeUnknown],
        ),
        (
            "other words for types",
            vec![task("\"1\"", "Analysis", "[]"), task("\"2\"", "RETRIEVAL", "[]"), w("\"3\"", "[]")],
            "1 think[] 2 search[] 3 write[]",
            vec![],
        ),
        (
            "no write task",
            vec![t("\"1\"", "[]"), t("\"2\"", "[]")],
            "1 think[] 2 think[] 3 write[1,2]",
            vec![K::NoWrite],
        ),
        (
            "last is no write task",
            vec![w("\"1\"", "[]"), w("\"2\"", "[]"), t("\"3\"", "[\"2\"]"), w("\"0\"", "[]")],
            "1 write[] 3 think[] 0 write[] 4 write[3]",
            vec![K::LastNotWrite, K::ThinkAfterWrite],
        ),
        (
            "thinking between writes",
            vec![w("\"1\"", "[]"), t("\"2\"", "[]"), w("\"3\"", "[\"2\"]")],
            "1 write[] 2 think[] 3 write[2]",
            vec![K::ThinkAfterWrite],
        ),
        (
            "numeric order of ids",
            vec![w("\"10\"", "[]"), w("\"9\"", "[\"10\"]"), w("\"11\"", "[]")],
            "10 write[] 9 write[] 11 write[]",
            vec![K::DependencyCircle],
        ),
    ];
    for (name, tasks, expected, repairs) in cases {
        let raw = read(&format!("{{\"sub_tasks\": [{}]}}", tasks.join(",")));
        let plan = repair_plan(&raw, Outer { length: None, ..outer() }, &PlanRules::default());
        assert_eq!(line(&plan), expected, "{name}");
        assert_eq!(kinds(&plan), repairs, "{name}: {:?}", plan.repairs());
    }
}

#[test]
fn ids_are_those_of_tasks_right_inside_the_planned_one() {
    let ids = |first: &str, second: &str, outer_id: &str| {
        let (first, second) = (
            task(&format!("\"{first}\""), "think", "[]"),
            task(&format!("\"{second}\""), "write", &format!("[\"{first}\"]")),
        );
        let outer = Outer { id: outer_id, length: None, ..outer() };
        let plan = repair_plan(&read(&format!("{{\"sub_tasks\": [{first},{second}]}}")), outer, &PlanRules::default());
        (line(&plan), kinds(&plan))
    };
    use RepairKind::{IdForeign, IdWithoutOuter};
    for (first, second, outer_id, found, kind) in [
        ("2.1", "2.2", "2", "2.1 think[] 2.2 write[2.1]", None),
        ("1", "2", "2", "2.1 think[] 2.2 write[2.1]", Some(IdWithoutOuter)),
        ("0.1", "0.2", "", "1 think[] 2 write[1]", Some(IdWithoutOuter)),
        // The plan of a task inside another one, taken out of a larger reply.
        ("3.4.1", "3.4.2", "", "1 think[] 2 write[1]", Some(IdForeign)),
        ("2.3.1", "2.3.2", "2", "2.1 think[] 2.2 write[2.1]", Some(IdForeign)),
    ] {
        let expected = (found.to_string(), kind.into_iter().flat_map(|kind| [kind, kind]).collect());
        assert_eq!(ids(first, second, outer_id), expected, "{first} inside `{outer_id}`");
    }
    assert!(IdForeign.is_fault() && !IdWithoutOuter.is_fault());
}

#[test]
fn a_misspelt_list_is_read_at_any_layer_and_told() {
    let plan = read(
        r#"{"id":"","goal":"g","task_type":"write","seb_tasks":[
            {"id":"1","goal":"a","task_type":"think","dependency":[],"sub_taks":[{"id":"1.1","goal":"b","task_type":"think"}]},
            {"id":"2","goal":"c","task_type":"write","dependency":["1"],"sub_tasks":{"id":"2.1"}}]}"#,
    );
    assert_eq!((plan.tasks.len(), plan.tasks[0].sub_tasks.as_ref().map(Vec::len)), (2, Some(1)));
    let told: Vec<String> = plan.repairs.iter().map(|repair| format!("{:?} {}", repair.kind, repair.place)).collect();
    assert_eq!(told, ["ListMisnamed seb_tasks", "ListMisnamed sub_taks", "NotATask seb_tasks[1].sub_tasks"]);
}

#[test]
fn words_for_types_come_from_the_rules_too() {
    let mut rules = PlanRules::default();
    rules.words.insert("paint".into(), TaskType::Write);
    let plan = repair_plan(&read(&format!("{{\"sub_tasks\": [{}]}}", task("\"1\"", "Paint", "[]"))), outer(), &rules);
    assert_eq!((plan.tasks()[0].task_type, plan.repairs().len()), (TaskType::Write, 0));
}

#[test]
fn missing_fields_are_filled_in() {
    let plan = repaired(r#"{"task_type":"think"},{"id":"2","task_type":"write"}, "and so on""#);
    assert_eq!(line(&plan), "1 think[] 2 write[]");
    for kind in [RepairKind::IdMissing, RepairKind::GoalMissing, RepairKind::DependencyMissing, RepairKind::NotATask] {
        assert!(kinds(&plan).contains(&kind), "{kind:?}: {:?}", plan.repairs());
    }
    assert!(plan.tasks().iter().all(|task| !task.goal.is_empty()));
    assert_eq!(plan.tasks().last().map(|task| task.task_type), Some(TaskType::Write));
}

#[test]
fn goals_stand_on_one_line_and_keep_their_words() {
    let plan = repaired("{\"id\":\"1\",\"goal\":\"read json\\nand xml\",\"task_type\":\"write\",\"dependency\":[]}");
    assert_eq!(plan.tasks()[0].goal, "read json;and xml");
}

#[test]
fn lengths_add_up_to_the_outer_length() {
    let write = |id: &str, length: &str| {
        let length = if length.is_empty() { String::new() } else { format!(",\"length\":\"{length}\"") };
        format!("{{\"id\":\"{id}\",\"goal\":\"part {id}\",\"task_type\":\"write\",\"dependency\":[]{length}}}")
    };
    for (name, tasks, expected, kind) in [
        ("the only write inherits", vec![write("1", "")], vec!["900 words"], None),
        (
            "two without",
            vec![write("1", ""), write("2", "")],
            vec!["450 words", "450 words"],
            Some(RepairKind::LengthMissing),
        ),
        (
            "one of three without",
            vec![write("1", "300 words"), write("2", ""), write("3", "200 words")],
            vec!["300 words", "400 words", "200 words"],
            Some(RepairKind::LengthMissing),
        ),
        (
            "far too long",
            vec![write("1", "1000 words"), write("2", "2000 words")],
            vec!["300 words", "600 words"],
            Some(RepairKind::LengthSum),
        ),
        ("near enough", vec![write("1", "500"), write("2", "500 words")], vec!["500", "500 words"], None),
    ] {
        let plan = repaired(&tasks.join(","));
        let lengths: Vec<&str> = plan.tasks().iter().filter_map(|task| task.length.as_deref()).collect();
        assert_eq!(lengths, expected, "{name}");
        assert_eq!(kinds(&plan).first().copied(), kind, "{name}");
    }
}

#[test]
fn too_many_tasks_are_merged_without_losing_any() {
    let tasks: Vec<String> =
        (1..=11).map(|n| task(&format!("\"{n}\""), if n % 3 == 1 { "search" } else { "write" }, "[]")).collect();
    let plan = repaired(&tasks.join(","));
    assert_eq!(plan.tasks().len(), 8);
    assert!(kinds(&plan).contains(&RepairKind::TooManyTasks));
    let goals: String = plan.tasks().iter().map(|task| format!("{}; ", task.goal)).collect();
    for n in 1..=11 {
        assert!(goals.contains(&format!("do {n};")), "{n} in {goals}");
    }
    assert_eq!(plan.tasks().iter().max_by_key(|task| task.number()).unwrap().task_type, TaskType::Write);
}

#[test]
fn types_stay_inside_what_the_outer_task_allows() {
    let tasks =
        format!("{},{},{}", task("\"1\"", "write", "[]"), task("\"2\"", "search", "[]"), task("\"3\"", "think", "[]"));
    let raw = read(&format!("{{\"sub_tasks\": [{tasks}]}}"));
    let types = |task_type, rules: &PlanRules| -> Vec<TaskType> {
        let plan = repair_plan(&raw, Outer { task_type, ..outer() }, rules);
        plan.tasks().iter().map(|task| task.task_type).collect()
    };
    use TaskType::{Search, Think, Write};
    let mut no_search = PlanRules::default();
    no_search.allowed = vec![Write, Think];
    assert_eq!(types(Think, &PlanRules::default()), [Think, Search, Think]);
    assert_eq!(types(Search, &PlanRules::default()), [Search, Search, Search]);
    assert_eq!(types(Write, &no_search), [Think, Think, Write], "the write task moves to the end");
}

#[test]
fn the_task_itself_as_its_plan_means_atomic() {
    for reply in [
        r#"{"id":"","goal":"Report on tides","task_type":"write","dependency":[]}"#,
        r#"{"id":"root","goal":"other words","task_type":"write","length":"900 words"}"#,
        r#"{"sub_tasks":[{"id":"1","goal":"Report on tides","task_type":"write","dependency":[]}]}"#,
        r#"{"sub_tasks":[]}"#,
        "<plan></plan>",
    ] {
        assert!(repair_plan(&read(reply), outer(), &PlanRules::default()).is_atomic(), "{reply}");
    }
    let other = read(r#"{"id":"1","goal":"Write about the moon","task_type":"write","dependency":[]}"#);
    assert_eq!(repair_plan(&other, outer(), &PlanRules::default()).tasks().len(), 1);
}

#[test]
fn a_strict_reading_refuses_faults_and_tolerates_looseness() {
    let raw = |tasks: &str| read(&format!("{{\"sub_tasks\": [{tasks}]}}"));
    let loose = format!("{},{}", task("1", "think", "null"), task("2", "write", "\"1\""));
    assert!(check_plan(&raw(&loose), outer(), &PlanRules::default()).is_ok());
    let faulty = format!("{},{}", task("\"1\"", "think", "[\"1\"]"), task("\"2\"", "think", "[]"));
    let error = check_plan(&raw(&faulty), outer(), &PlanRules::default()).unwrap_err();
    let PlanError::Faulty { faults } = &error else { panic!("{error}") };
    assert_eq!(faults.len(), 2);
    assert_eq!(
        error.to_string(),
        "the plan has faults: task `1`: it depends on itself; the plan of a write task has no write task, so nothing would be written"
    );
}

#[test]
fn a_repair_reads_as_a_sentence_with_its_place() {
    let plan = repaired(&format!("{},{}", task("\"1\"", "think", "[\"9\"]"), task("\"2\"", "write", "[]")));
    assert_eq!(
        plan.repairs()[0].to_string(),
        "task `1`: it depends on `9`, which is not in this plan; dropped (at `sub_tasks[0].dependency`)"
    );
}

#[test]
fn without_chains_circles_are_judged_by_what_is_written() {
    let mut rules = PlanRules::default();
    rules.chains = ChainRules { think: false, write: true };
    let tasks = format!(
        "{},{},{}",
        task("\"1\"", "think", "[\"2\"]"),
        task("\"2\"", "think", "[]"),
        task("\"3\"", "write", "[]")
    );
    let plan = repair_plan(&read(&format!("{{\"sub_tasks\": [{tasks}]}}")), outer(), &rules);
    assert_eq!(line(&plan), "1 think[2] 2 think[] 3 write[]");
}
