//! What is stable stands first: a system message of a prompt file is the same in every call of a run, so that a provider
//! that caches what it has read finds it again. What differs from call to call stands in the messages behind it.

use std::collections::BTreeSet;
use std::path::Path;

use graphloom_fences::Files;
use minijinja::Environment;

/// What is settled for a whole run, or for a whole conversation with a model.
const SETTLED: &[&str] = &[
    "today",
    "language",
    "tools",
    "vault",
    "most",
    "fewest",
    "top_k",
    "number_queries",
    "max_rounds",
    "max_step_num",
    "max_plan_num",
    "max_section_num",
    "max_subtasks",
    "dependencies",
    "relationships",
    "remaining_steps",
];

/// What differs within a run and stands in a system message all the same, after its first sentences: the message is then
/// cached for the calls of one section or round.
const OF_A_PART: &[(&str, &[&str])] = &[
    ("collector_supervisor", &["round"]),
    ("dep_driving_planner", &["section_idx", "plan_executed_num"]),
    ("feedback/compose", &["is_new"]),
    ("planner", &["plan_executed_num"]),
    ("sub_report_markdown", &["background", "section_iscore", "words"]),
    ("sub_section_outline", &["section_idx", "report_template"]),
];

/// The system messages of a template, with its parts in their places.
fn system_texts(files: &Files, source: &str) -> Vec<String> {
    let mut texts = Vec::new();
    for section in source.split("{# system #}").skip(1) {
        let end = ["{# user #}", "{# assistant #}"].iter().filter_map(|mark| section.find(mark)).min();
        texts.push(with_parts(files, &section[..end.unwrap_or(section.len())], 0));
    }
    texts
}

fn with_parts(files: &Files, text: &str, depth: usize) -> String {
    let mut whole = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("{% include \"") {
        let (name, after) = after.split_once("\" %}").expect("an include ends");
        let part = files.source(name).unwrap_or_else(|| panic!("`{name}` is no part"));
        assert!(depth < 8, "`{name}` includes itself");
        whole.push_str(before);
        whole.push_str(&with_parts(files, part, depth + 1));
        rest = after;
    }
    whole + rest
}

#[test]
fn system_messages_are_the_same_in_every_call_of_a_run() {
    let (mut seen, mut differ) = (0, Vec::new());
    for folder in ["agents", "apps/deepsearch", "apps/obsius", "apps/pocketflow", "apps/writehere"] {
        let place = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates").join(folder).join("prompts");
        let files = Files::below(&place).expect("prompt files");
        for (name, source) in files.templates() {
            for text in system_texts(&files, source) {
                seen += 1;
                assert!(!text.contains("fenced("), "{folder}: `{name}` has material in its system message");
                let mut environment = Environment::new();
                environment.add_template("t", &text).unwrap_or_else(|error| panic!("{folder}: `{name}`: {error:#}"));
                let used = environment.get_template("t").expect("it was added").undeclared_variables(false);
                let of_a_part = OF_A_PART.iter().find(|(known, _)| *known == name).map_or(&[][..], |(_, names)| names);
                let allowed =
                    |variable: &String| SETTLED.contains(&variable.as_str()) || of_a_part.contains(&variable.as_str());
                let gone = of_a_part.iter().find(|variable| !used.contains(**variable));
                assert_eq!(gone, None, "{folder}: `{name}` differs with it no more");
                let others: BTreeSet<_> = used.into_iter().filter(|variable| !allowed(variable)).collect();
                if !others.is_empty() {
                    differ.push(format!("{folder}: the system message of `{name}` differs with {others:?}"));
                }
            }
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
    assert!(seen > 50, "{seen} system messages");
}
