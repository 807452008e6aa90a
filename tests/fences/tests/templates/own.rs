//! What prompts show outside of a fence, and why it is not text from outside: the words of the person who runs the program,
//! numbers, and words out of lists that the program holds.

use graphloom_fences::UnfencedVariable;

/// A variable that may stand outside of a fence.
#[derive(Debug)]
pub(crate) struct Own {
    /// The template, or the beginning of its name and `*`.
    template: &'static str,
    /// The variable, or the beginning of its path and `*`.
    variable: &'static str,
    /// Why it is the program's or the person's own.
    pub(crate) why: &'static str,
}

impl Own {
    pub(crate) fn covers(&self, shown: &UnfencedVariable) -> bool {
        let fits = |pattern: &str, name: &str| match pattern.strip_suffix('*') {
            Some(begin) => name.starts_with(begin),
            None => name == pattern,
        };
        fits(self.template, &shown.template) && fits(self.variable, &shown.variable)
    }
}

const fn own(template: &'static str, variable: &'static str, why: &'static str) -> Own {
    Own { template, variable, why }
}

const PERSON: &str = "the words of the person who runs the program, which are its task";
const NUMBER: &str = "a number of the program";
const DATE: &str = "the date of the run";
const TOOLS: &str = "the program's tools, as its code describes them";

pub(crate) const AGENTS: &[Own] = &[
    own("result", "omitted", NUMBER),
    own("tools", "tools[].*", TOOLS),
    own("result", "instructions", "a skill, whose folder the person who runs the program named"),
    own("task", "task", PERSON),
    own("summary", "words", NUMBER),
    own("earlier", "messages", NUMBER),
];

pub(crate) const WRITEHERE: &[Own] = &[
    own("*", "to_run_root_question", PERSON),
    own("report/*", "today_date", DATE),
    own("*", "share.*", NUMBER),
    own("shorten", "words", NUMBER),
    own("report/search", "max_turns", NUMBER),
    own("report/search", "queries_per_turn", NUMBER),
    own("report/search", "turn", NUMBER),
    own("*", "id", "numbers and dots: the plan's repair counts ids anew"),
    own("*", "task_type", "one of `write`, `think` and `search`"),
    own("small/plan", "slots", "words out of `write`, `think` and `search`"),
];

pub(crate) const OBSIUS: &[Own] = &[
    own("*", "request", PERSON),
    own("*", "feedback", PERSON),
    own("*", "today", DATE),
    own("*", "vault.name", "the name that the person gave the vault's folder"),
    own("*", "vault.notes", NUMBER),
    own("*", "language", "one of the languages that the program tells apart"),
    own("analyze", "max_subtasks", NUMBER),
    own("execute", "tools[].*", TOOLS),
    own("execute", "most", NUMBER),
    own("*", "unlisted", NUMBER),
    own("small/group", "ways", "the ways to group notes that the code has"),
];

pub(crate) const POCKETFLOW: &[Own] =
    &[own("small/quotes", "part", "the name of a part of a proposal, which the code has")];

pub(crate) const DEEPSEARCH: &[Own] = &[
    own("small/*", "query", PERSON),
    own("feedback/*", "query", PERSON),
    own("feedback/*", "instruction", PERSON),
    own("feedback/compose", "language", "one of the two languages of reports"),
    own("*", "today", DATE),
    own("*", "max_section_num", NUMBER),
    own("*", "max_step_num", NUMBER),
    own("*", "max_plan_num", NUMBER),
    own("*", "plan_executed_num", NUMBER),
    own("*", "section_idx", "a number: the outline's repair counts sections anew"),
    own("*", "relationships", "the kinds of dependency that the code has"),
    own("*", "documents[].scores.*", NUMBER),
    own("sub_report_markdown", "documents[].number", NUMBER),
    own("sub_report_markdown", "words", NUMBER),
    own("classify_doc_infos", "top_k", NUMBER),
    own("collector", "remaining_steps", NUMBER),
    own("collector", "tools[]", "the names of the program's two tools for searching"),
    own("collector_*", "number_queries", NUMBER),
    own("collector_supervisor", "round", NUMBER),
    own("collector_supervisor", "max_rounds", NUMBER),
    own("charts/data", "fewest", NUMBER),
    own("charts/*", "most", NUMBER),
    own("trace/*", "most", NUMBER),
];
