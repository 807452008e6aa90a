//! Drawings that were made are kept: a diagram does not change while it is served.

use std::sync::{Arc, Mutex, PoisonError};

use graphloom_core_graph::diagram::Diagram;

use super::drawing::{Direction, Drawing};
use super::open::OpenSubgraphs;

/// So many drawings of one graph are kept.
const MOST: usize = 16;

type Key = (OpenSubgraphs, Direction);

/// The drawings of one graph, those that were asked for last at the end.
#[derive(Debug, Default)]
pub(crate) struct Drawings(Mutex<Vec<(Key, Arc<Drawing>)>>);

impl Drawings {
    /// The drawing with these subgraphs open, which is made where it is not kept. Making it may take a second.
    pub(crate) fn get(&self, diagram: &Diagram, open: OpenSubgraphs, direction: Direction) -> Arc<Drawing> {
        let key = (open, direction);
        if let Some(kept) = self.kept(&key) {
            return kept;
        }
        let drawing = Arc::new(Drawing::of(diagram, &key.0, direction));
        self.keep(key, &drawing);
        drawing
    }

    fn kept(&self, key: &Key) -> Option<Arc<Drawing>> {
        let mut drawings = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = drawings.iter().position(|(known, _)| known == key)?;
        let found = drawings.remove(at);
        let drawing = Arc::clone(&found.1);
        drawings.push(found);
        Some(drawing)
    }

    fn keep(&self, key: Key, drawing: &Arc<Drawing>) {
        let mut drawings = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        drawings.retain(|(known, _)| *known != key);
        if drawings.len() == MOST {
            drawings.remove(0);
        }
        drawings.push((key, Arc::clone(drawing)));
    }

    #[cfg(test)]
    pub(super) fn count(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}
