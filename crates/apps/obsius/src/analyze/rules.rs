//! A plan by rules, for when the model's plan cannot be used: by what the request wants done.

use super::intent::{Intents, estimated_complexity, keywords, title_of, wants_index};
use crate::assess::{Language, language};
use crate::state::{Criterion, PlanSource, Priority, SearchStrategy, Subtask, SubtaskKind, TaskPlan};

/// How many of the found notes are read before something is written about them.
pub(super) const READ: usize = 5;

/// The plan of a request by rules. It has between one and eight subtasks.
pub fn plan_by_rules(request: &str) -> TaskPlan {
    let intents = Intents::of(request);
    let keywords = keywords(request);
    let subject = if keywords.is_empty() { request.trim().chars().take(60).collect() } else { keywords.join(" ") };
    let title = Some(title_of(request)).filter(|title| !title.is_empty());
    let title = title.unwrap_or_else(|| subject.clone());
    let mut steps = Steps { japanese: language(request) == Language::Japanese, tasks: Vec::new() };
    let needs_search = intents.search
        || intents.organize
        || intents.modify
        || intents.delete
        || intents.rename
        || intents.ask
        // A new note rests on those that are there.
        || intents.create
        || wants_index(request)
        || !intents.changes_something();

    if needs_search {
        steps.search(&subject, SearchStrategy::Keyword);
        if intents.organize || wants_index(request) {
            steps.search(&subject, SearchStrategy::Tag);
            steps.search(&subject, SearchStrategy::Links);
        }
        if intents.organize || intents.modify || intents.ask || wants_index(request) {
            steps.add(
                SubtaskKind::Read,
                ("Read the best of them", "見つけたノートを読む"),
                vec![Criterion::FoundRead { count: READ }],
            );
        }
    }
    if intents.organize && !intents.create {
        let tag = tag_of(&keywords);
        steps.add(
            SubtaskKind::Organize,
            ("Give each of them the tag of the subject", "それぞれに主題のタグを付ける"),
            vec![Criterion::FoundTagged { tag }],
        );
    } else if intents.create {
        let note = || title.clone();
        if intents.organize {
            steps.add(
                SubtaskKind::Organize,
                ("Group them by what they have in common", "共通点でまとめる"),
                vec![Criterion::NoteExists { note: note() }],
            );
        }
        steps.add(
            SubtaskKind::Create,
            ("Write the note", "ノートを書く"),
            vec![Criterion::NoteExists { note: note() }, Criterion::FrontmatterParses { note: note() }],
        );
        if needs_search && (intents.organize || wants_index(request)) {
            steps.add(
                SubtaskKind::Link,
                ("Link every note that was found", "見つけたノートすべてにリンクする"),
                vec![Criterion::FoundLinkedFrom { note: note() }],
            );
        }
        steps.add(
            SubtaskKind::Verify,
            ("Check that every link leads somewhere", "すべてのリンクを確かめる"),
            vec![Criterion::LinksResolve { note: note() }],
        );
    }
    if intents.modify || intents.delete || intents.rename {
        steps.add(
            SubtaskKind::Update,
            ("Change the notes as asked", "頼まれたとおりにノートを変える"),
            vec![Criterion::Judged { question: format!("The pending changes do what was asked: {}", request.trim()) }],
        );
    }
    if !intents.changes_something() {
        steps.add(
            SubtaskKind::Answer,
            ("Answer from what was found", "見つけたことから答える"),
            vec![Criterion::Answered],
        );
    }
    let complexity = estimated_complexity(request);
    let mut plan = TaskPlan {
        original_request: request.to_owned(),
        decomposed_tasks: steps.tasks,
        priority: priority(complexity),
        estimated_complexity: complexity,
        keywords,
        title: intents.create.then_some(title),
        source: PlanSource::Rules,
        ..TaskPlan::default()
    };
    plan.required_tools = required_tools(&plan);
    plan
}

/// The priority of a complexity: high from 4, medium at 3, else low.
pub(super) fn priority(complexity: u32) -> Priority {
    match complexity {
        4.. => Priority::High,
        0..=2 => Priority::Low,
        3 => Priority::Medium,
    }
}

/// The tools that the kinds of a plan's subtasks need.
pub(super) fn required_tools(plan: &TaskPlan) -> Vec<String> {
    let mut tools: Vec<&str> = Vec::new();
    for task in &plan.decomposed_tasks {
        tools.extend(match task.kind {
            SubtaskKind::Search => &["search_notes"][..],
            SubtaskKind::Read | SubtaskKind::Answer => &["read_note"],
            SubtaskKind::Create => &["create_note"],
            SubtaskKind::Update | SubtaskKind::Link | SubtaskKind::Organize => &["read_note", "update_note"],
            SubtaskKind::Verify => &[],
        });
    }
    tools.sort_unstable();
    tools.dedup();
    tools.into_iter().map(str::to_owned).collect()
}

/// The tag of a subject: its words joined by `-`, in lower case.
pub(crate) fn tag_of(keywords: &[String]) -> String {
    let joined = keywords.iter().map(|word| word.to_lowercase()).collect::<Vec<_>>().join("-");
    let tag: String = joined.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect();
    // A tag of digits only is none.
    if tag.chars().any(char::is_alphabetic) { tag } else { format!("topic-{tag}") }
}

struct Steps {
    japanese: bool,
    tasks: Vec<Subtask>,
}

impl Steps {
    fn search(&mut self, subject: &str, strategy: SearchStrategy) {
        let goal = match (strategy, self.japanese) {
            (SearchStrategy::Tag, false) => format!("Find notes by the tags of {subject}"),
            (SearchStrategy::Tag, true) => format!("{subject}のタグでノートを探す"),
            (SearchStrategy::Links, false) => "Follow the links of what was found".to_owned(),
            (SearchStrategy::Links, true) => "見つけたノートのリンクをたどる".to_owned(),
            (_, false) => format!("Find notes about {subject}"),
            (_, true) => format!("{subject}についてのノートを探す"),
        };
        self.push(SubtaskKind::Search, goal, vec![Criterion::Searched { strategy }]);
    }

    fn add(&mut self, kind: SubtaskKind, (english, japanese): (&str, &str), criteria: Vec<Criterion>) {
        let goal = if self.japanese { japanese } else { english };
        self.push(kind, goal.to_owned(), criteria);
    }

    fn push(&mut self, kind: SubtaskKind, goal: String, criteria: Vec<Criterion>) {
        let depends_on = self.tasks.last().map(|task| task.id.clone()).into_iter().collect();
        let id = (self.tasks.len() + 1).to_string();
        self.tasks.push(Subtask { id, goal, kind, depends_on, criteria });
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn kinds(plan: &TaskPlan) -> Vec<SubtaskKind> {
        plan.decomposed_tasks.iter().map(|task| task.kind).collect()
    }

    #[test]
    fn the_example_request_becomes_eight_subtasks() {
        use SubtaskKind::{Create, Link, Organize, Read, Search, Verify};
        let plan = plan_by_rules("Organize all my machine learning notes and create a comprehensive index");
        assert_eq!(kinds(&plan), [Search, Search, Search, Read, Organize, Create, Link, Verify]);
        assert_eq!(plan.title.as_deref(), Some("Machine Learning Index"));
        assert!(plan.success_criteria().count() >= 8);
    }

    #[test]
    fn requests_get_the_subtasks_they_need() {
        use SubtaskKind::{Answer, Create, Organize, Read, Search, Update, Verify};
        for (request, expected) in [
            ("Update all the notes on tides", vec![Search, Read, Update]),
            ("Organize my tide notes", vec![Search, Search, Search, Read, Organize]),
            ("Write a detailed note about tides", vec![Search, Create, Verify]),
            ("What do all my notes say about tides?", vec![Search, Read, Answer]),
            ("機械学習のノートをすべて見せて", vec![Search, Read, Answer]),
        ] {
            assert_eq!(kinds(&plan_by_rules(request)), expected, "{request}");
        }
    }

    proptest! {
        #[test]
        fn any_request_gets_a_sound_plan(request in "\\PC{0,80}") {
            let plan = plan_by_rules(&request);
            prop_assert!((1..=8).contains(&plan.decomposed_tasks.len()));
            prop_assert!(plan.decomposed_tasks.iter().all(|task| !task.criteria.is_empty()));
        }
    }
}
