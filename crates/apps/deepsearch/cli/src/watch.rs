//! Progress while a run goes on: sections, plans, steps, documents, words, tokens.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use graphloom_cli::Progress;
use graphloom_cli::frame::Watcher;
use graphloom_core_graph::{Event, EventKind};
use graphloom_deepsearch::SearchContext;
use graphloom_deepsearch::stream::{MessageEvent, SECTION_END, StreamMessage, message_of};
use graphloom_llm::layers::Ledger;

/// Shows the progress of a run.
pub(crate) struct Watch {
    watcher: Watcher,
    ledger: Arc<Ledger>,
    node: String,
    title: String,
    sections: BTreeMap<String, SectionProgress>,
}

/// The progress of a section.
#[derive(Default)]
struct SectionProgress {
    title: String,
    plan: String,
    step: String,
    agent: String,
    documents: usize,
    words: usize,
    ended: bool,
}

impl Watch {
    /// A watcher of a run whose first `notes` notes were shown before.
    pub(crate) fn new(progress: Progress, ledger: Arc<Ledger>, notes: usize) -> Self {
        let (node, title) = (String::new(), String::new());
        Self { watcher: Watcher::new(progress, notes), ledger, node, title, sections: BTreeMap::new() }
    }

    pub(crate) fn observe(&mut self, event: &Event) {
        if let Some(message) = message_of(event) {
            self.observe_message(&message);
            return;
        }
        self.watcher.observe(event);
        match &event.kind {
            EventKind::TaskStarted { node, .. } if event.ns.is_empty() => {
                self.node.clone_from(node);
                self.show();
            }
            EventKind::Values { payload } => {
                if let Some(state) = payload.get::<SearchContext>() {
                    self.count(state);
                }
            }
            _ => {}
        }
    }

    fn observe_message(&mut self, message: &StreamMessage) {
        let place = &message.place;
        if place.section_idx.is_empty() {
            return;
        }
        let seen = self.sections.entry(place.section_idx.clone()).or_default();
        seen.agent.clone_from(&message.agent);
        if !place.plan_idx.is_empty() {
            seen.plan.clone_from(&place.plan_idx);
        }
        seen.step.clone_from(&place.step_idx);
        if message.content == SECTION_END {
            seen.ended = true;
        } else if message.event == MessageEvent::Start && message.agent == "sub_reporter" {
            seen.words = 0;
        } else if message.event == MessageEvent::Message {
            let is_document = message.content.starts_with('{') && message.content.contains("\"url\"");
            if is_document {
                seen.documents += 1;
            } else if message.agent == "sub_reporter" {
                seen.words += message.content.split_whitespace().count();
            }
        }
        self.show();
    }

    fn count(&mut self, state: &SearchContext) {
        self.watcher.show_notes(state.notes.iter());
        if let Some(outline) = &state.current_outline {
            self.title.clone_from(&outline.title);
            for section in &outline.sections {
                self.sections.entry(section.id.clone()).or_default().title.clone_from(&section.title);
            }
        }
        self.show();
    }

    fn show(&self) {
        let ended = self.sections.values().filter(|section| section.ended).count();
        let sum = |of: fn(&SectionProgress) -> usize| self.sections.values().map(of).sum::<usize>();
        let mut phase = self.node.clone();
        if !self.sections.is_empty() {
            let _ = write!(
                phase,
                ": {ended} of {} sections, {} documents, {} words",
                self.sections.len(),
                sum(|section| section.documents),
                sum(|section| section.words)
            );
        }
        if self.watcher.progress().is_live() {
            // Plain lines carry no counts that change with time, so that the same run tells the same.
            let spent = self.ledger.spent();
            let seconds = self.watcher.seconds();
            let _ = write!(phase, ", {}, {seconds} s", spent.text());
            self.watcher.progress().tree(self.tree());
        }
        self.watcher.progress().phase(phase);
    }

    fn tree(&self) -> String {
        let mut text = format!("{}\n", self.title);
        for (id, section) in &self.sections {
            let state = if section.ended { "done" } else { section.agent.as_str() };
            let mut place = String::new();
            if !section.plan.is_empty() {
                let _ = write!(place, ", plan {}", section.plan);
            }
            if !section.step.is_empty() {
                let _ = write!(place, ", step {}", section.step);
            }
            let _ = writeln!(
                text,
                "  {id}. {}  {state}{place}, {} documents, {} words",
                section.title, section.documents, section.words
            );
        }
        text
    }
}
