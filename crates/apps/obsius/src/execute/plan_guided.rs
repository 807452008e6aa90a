//! The actions of a plan for a small model: what to do follows from the criteria that do not hold yet; the model makes small
//! choices. What is listed and what is said comes from the notes that were found.

use graphloom_agents::{AgentError, Exchange};
use graphloom_vault::{Note, NotePath, Notes};
use serde_json::{Value, json};

use super::answer::{answer, quoted_from_found};
use super::calls::{append, create_note, planned, read_note, set_frontmatter};
use crate::analyze::Intents;
use crate::ask::agent;
use crate::probe::find_note;
use crate::resources::Setup;
use crate::state::{Criterion, ExecutionPlan, Finding, PlannedAction, SubtaskKind, WorkflowState};
use crate::write::{Grouping, IndexEntry, Quoted, entry_line, groupings, index_text};

/// How many notes a choice of grouping shows.
const SHOWN: usize = 8;

/// The next actions for the criteria in `unmet`, and the calls of models that were made for them.
///
/// # Errors
/// Those of the models.
pub async fn plan_guided<N: Notes + Sync>(
    setup: &Setup,
    state: &WorkflowState,
    notes: &N,
    unmet: &[Finding],
    iteration: u32,
) -> Result<(ExecutionPlan, Vec<Exchange>), AgentError> {
    let mut planner =
        GuidedPlanner { setup, state, notes, iteration, plan: ExecutionPlan::default(), exchanges: Vec::new() };
    for finding in unmet {
        planner.plan_for(finding).await?;
    }
    Ok((planner.plan, planner.exchanges))
}

/// Collects the actions for unmet criteria.
struct GuidedPlanner<'a, N> {
    setup: &'a Setup,
    state: &'a WorkflowState,
    notes: &'a N,
    iteration: u32,
    plan: ExecutionPlan,
    exchanges: Vec<Exchange>,
}

impl<N: Notes + Sync> GuidedPlanner<'_, N> {
    fn add_action(&mut self, subtask: &str, call: (&str, Value)) {
        let is_there = |action: &PlannedAction| action.tool == call.0 && action.arguments == call.1;
        if self.plan.actions.iter().any(is_there) {
            return;
        }
        let id = format!("{}.a{}", self.iteration, self.plan.actions.len() + 1);
        self.plan.actions.push(planned(id, subtask, Vec::new(), call));
    }

    /// Adds the actions that make one criterion hold.
    async fn plan_for(&mut self, finding: &Finding) -> Result<(), AgentError> {
        let subtask = finding.subtask.as_str();
        match &finding.criterion {
            // Searching is the search phase's.
            Criterion::Searched { .. } => {}
            Criterion::FoundRead { count } => {
                for found in self.state.findings.notes.iter().take(*count) {
                    self.add_action(subtask, read_note(&found.path));
                }
            }
            Criterion::NoteExists { note } => self.create(subtask, note).await?,
            Criterion::FoundLinkedFrom { note } => match find_note(self.notes, note) {
                Some(there) => self.link_missing(subtask, &there),
                None => self.create(subtask, note).await?,
            },
            Criterion::FoundTagged { tag } => {
                for found in &self.state.findings.notes {
                    if let Some(note) = find_note(self.notes, &found.path) {
                        self.tag(subtask, &note, tag);
                    }
                }
            }
            Criterion::TagPresent { note, tag } => {
                if let Some(note) = find_note(self.notes, note) {
                    self.tag(subtask, &note, tag);
                }
            }
            Criterion::NoteContains { note, text } => {
                if let Some(note) = find_note(self.notes, note) {
                    self.add_action(subtask, append(note.path().as_str(), text));
                }
            }
            Criterion::NoteChanged { note } => {
                if let Some(note) = find_note(self.notes, note) {
                    self.add_quoted(subtask, &note);
                }
            }
            Criterion::Answered => self.answer().await?,
            Criterion::Judged { .. } => self.update(subtask),
            // These hold of what is written here; links are mended after the actions.
            Criterion::LinksResolve { .. } | Criterion::FrontmatterParses { .. } => {}
        }
        Ok(())
    }

    /// A note that is to be there: an index of what was found where the plan links it, else what the found notes say.
    async fn create(&mut self, subtask: &str, title: &str) -> Result<(), AgentError> {
        let is_there = |action: &PlannedAction| action.tool == "create_note" && action.arguments["title"] == *title;
        if self.plan.actions.iter().any(is_there) {
            return Ok(());
        }
        let links_found = self.state.task_plan.as_ref().is_some_and(|plan| {
            plan.success_criteria()
                .any(|criterion| matches!(criterion, Criterion::FoundLinkedFrom { note } if note == title))
        });
        let entries = self.entries();
        let quoted = self.quoted(None);
        let content = if links_found && !entries.is_empty() {
            let grouping = self.grouping(&entries).await?;
            index_text(&quoted.text, &entries, grouping, &self.notes.paths())
        } else {
            quoted.joined() + "\n"
        };
        self.add_action(subtask, create_note(title, &content));
        Ok(())
    }

    fn entries(&self) -> Vec<IndexEntry> {
        self.state.findings.notes.iter().filter_map(IndexEntry::of).collect()
    }

    /// How an index is grouped: the model chooses among what divides the notes.
    async fn grouping(&mut self, entries: &[IndexEntry]) -> Result<Grouping, AgentError> {
        let ways = groupings(entries);
        if let [only] = ways.as_slice() {
            return Ok(*only);
        }
        let options: Vec<String> = ways.iter().map(|way| way.text().to_owned()).collect();
        let names: Vec<&str> =
            entries.iter().take(SHOWN).map(|entry| entry.path.as_str().trim_end_matches(".md")).collect();
        let args = json!({ "notes": names, "ways": options });
        let chosen = agent(self.setup, "group", "notes")?.choose(&args, &options).await?;
        self.exchanges.push(chosen.exchange);
        Ok(ways.get(chosen.value.index).copied().unwrap_or_default())
    }

    /// What the notes that were found say on the request, those at `but` apart.
    fn quoted(&self, but: Option<&NotePath>) -> Quoted {
        quoted_from_found(self.state, self.notes, but)
    }

    fn link_missing(&mut self, subtask: &str, note: &Note) {
        let all = self.notes.paths();
        let linked = |path: &NotePath| {
            note.links()
                .iter()
                .any(|link| find_note(self.notes, &link.target).is_some_and(|target| target.path() == path))
        };
        let lines: Vec<String> = self
            .entries()
            .iter()
            .filter(|entry| entry.path != *note.path() && !linked(&entry.path))
            .map(|entry| entry_line(entry, &all))
            .collect();
        if !lines.is_empty() {
            self.add_action(subtask, append(note.path().as_str(), &lines.join("\n")));
        }
    }

    fn tag(&mut self, subtask: &str, note: &Note, tag: &str) {
        let names = note.tag_names();
        if names.iter().any(|name| name.eq_ignore_ascii_case(tag)) || note.frontmatter().problem().is_some() {
            return;
        }
        // Only tags of the frontmatter are repeated there.
        let own = note.tags().iter().filter(|tag| tag.span.is_none()).map(|tag| tag.name.clone());
        let tags: Vec<String> = own.chain([tag.to_owned()]).collect();
        self.add_action(subtask, set_frontmatter(note.path().as_str(), "tags", json!(tags)));
    }

    /// Changes what was found as asked: what other notes say is added, nothing is edited.
    fn update(&mut self, subtask: &str) {
        let intents = Intents::of(&self.state.session.original_request);
        let is_update = self.state.task_plan.as_ref().is_some_and(|plan| plan.has(SubtaskKind::Update));
        if !is_update || intents.delete || intents.rename {
            return;
        }
        let notes: Vec<Note> =
            self.state.findings.notes.iter().filter_map(|found| find_note(self.notes, &found.path)).collect();
        for note in notes {
            self.add_quoted(subtask, &note);
        }
    }

    /// Adds to a note what others that were found say.
    fn add_quoted(&mut self, subtask: &str, note: &Note) {
        if self.state.changes.get(note.path()).is_some() {
            return;
        }
        let others = self.quoted(Some(note.path())).text;
        if !others.is_empty() {
            self.add_action(subtask, append(note.path().as_str(), &others));
        }
    }

    async fn answer(&mut self) -> Result<(), AgentError> {
        if self.plan.answer.is_some() {
            return Ok(());
        }
        let (answer, exchange) = answer(self.setup, self.state, self.notes).await?;
        self.exchanges.extend(exchange);
        self.plan.answer = Some(answer);
        Ok(())
    }
}
