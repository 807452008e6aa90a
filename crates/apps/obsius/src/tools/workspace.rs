//! What the tools of a run work on.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use graphloom_agents::ToolError;
use graphloom_vault::{Changes, ContentHash, LinkIndex, NotePath, Notes, Overlay, VaultError};

use crate::index::VaultIndex;

/// How often a change is made again because another call changed the notes meanwhile.
const TRIES: usize = 8;

/// What the tools of a run work on: the vault with the run's changes, its index, and which notes were read in which
/// state. Clones share it.
///
/// A change is made on a copy and takes effect in one step when it is whole; a call that is dropped has changed nothing.
#[derive(Clone)]
pub struct Workspace {
    index: Arc<VaultIndex>,
    state: Arc<Mutex<State>>,
}

struct State {
    overlay: Overlay,
    /// Counts changes.
    version: u64,
    read: BTreeMap<NotePath, ContentHash>,
}

/// What a change came to: what it says of itself, and the notes after it.
pub(super) struct AppliedChange<T> {
    pub(super) value: T,
    pub(super) overlay: Overlay,
    pub(super) links: Arc<LinkIndex>,
}

/// The notes as a change finds them.
pub(super) struct NotesView<'a> {
    pub(super) overlay: &'a mut Overlay,
    pub(super) index: &'a VaultIndex,
    read: &'a BTreeMap<NotePath, ContentHash>,
}

impl Workspace {
    /// A workspace with the changes of a run so far.
    pub fn new(index: Arc<VaultIndex>, changes: Changes) -> Self {
        let overlay = Overlay::new(Arc::clone(index.vault()), changes);
        let state = State { overlay, version: 0, read: BTreeMap::new() };
        Self { index, state: Arc::new(Mutex::new(state)) }
    }

    /// The same with the notes that were read before, as [`read`](Self::read) gave them.
    #[must_use]
    pub fn having_read(self, read: BTreeMap<NotePath, ContentHash>) -> Self {
        self.lock().read = read;
        self
    }

    /// The index.
    pub fn index(&self) -> &Arc<VaultIndex> {
        &self.index
    }

    /// The vault with the changes so far.
    pub fn overlay(&self) -> Overlay {
        self.lock().overlay.clone()
    }

    /// The changes so far.
    pub fn changes(&self) -> Changes {
        self.lock().overlay.changes().clone()
    }

    /// Goes back, or on, to these changes. What was read stays known.
    pub fn reset(&self, changes: Changes) {
        let mut state = self.lock();
        state.overlay = Overlay::new(Arc::clone(self.index.vault()), changes);
        state.version += 1;
    }

    /// Changes the notes by the program's own hand: all that `edit` does, or nothing. It blocks.
    ///
    /// # Errors
    /// Those of `edit`.
    pub fn edit<T, E>(&self, edit: impl FnOnce(&mut Overlay) -> Result<T, E>) -> Result<T, E> {
        let mut state = self.lock();
        let mut overlay = state.overlay.clone();
        let value = edit(&mut overlay)?;
        state.take(&overlay);
        Ok(value)
    }

    /// The notes that were read or written through the workspace, with the hash of the text that was seen.
    pub fn read(&self) -> BTreeMap<NotePath, ContentHash> {
        self.lock().read.clone()
    }

    /// All links of the notes as they are to be.
    ///
    /// # Errors
    /// The work was stopped.
    pub async fn links(&self) -> Result<Arc<LinkIndex>, ToolError> {
        let overlay = self.overlay();
        blocking(move || Ok(overlay.links())).await
    }

    /// Looks at the notes, on a thread for blocking work.
    pub(super) async fn look<T: Send + 'static>(
        &self,
        look: impl FnOnce(&Overlay, &VaultIndex) -> Result<T, ToolError> + Send + 'static,
    ) -> Result<T, ToolError> {
        let (overlay, index) = (self.overlay(), Arc::clone(&self.index));
        blocking(move || look(&overlay, &index)).await
    }

    /// Notes that a note was seen in this state.
    pub(super) fn saw(&self, path: NotePath, hash: ContentHash) {
        self.lock().read.insert(path, hash);
    }

    /// Changes the notes: all that `change` does, or nothing.
    pub(super) async fn change<T: Send + 'static>(
        &self,
        change: impl Fn(&mut NotesView<'_>) -> Result<T, ToolError> + Send + Sync + 'static,
    ) -> Result<AppliedChange<T>, ToolError> {
        let change = Arc::new(change);
        for _ in 0..TRIES {
            let (mut overlay, version, read) = {
                let state = self.lock();
                (state.overlay.clone(), state.version, state.read.clone())
            };
            let (index, change) = (Arc::clone(&self.index), Arc::clone(&change));
            let changed = blocking(move || {
                let value = change(&mut NotesView { overlay: &mut overlay, index: &index, read: &read })?;
                let links = overlay.links();
                Ok(AppliedChange { value, overlay, links })
            })
            .await?;
            let mut state = self.lock();
            if state.version == version {
                state.take(&changed.overlay);
                return Ok(changed);
            }
        }
        Err(ToolError::unavailable("the notes are being changed by other calls; try again"))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take(&mut self, overlay: &Overlay) {
        // Whoever changes a note knows its text, unless it was somebody else's before.
        for (path, change) in overlay.changes().iter() {
            let before = self.overlay.changes().get(path);
            if before == Some(change) {
                continue;
            }
            match &change.after {
                Some(text) if self.read.contains_key(path) || change.before.is_none() => {
                    self.read.insert(path.clone(), ContentHash::of(text.as_bytes()));
                }
                Some(_) => {}
                None => {
                    self.read.remove(path);
                }
            }
        }
        self.overlay = overlay.clone();
        self.version += 1;
    }
}

impl NotesView<'_> {
    /// Refuses to change a note that the settings of the vault exclude, and one that is not what was read of it. One that
    /// was never read may be changed: what it was made from is checked when the changes are applied.
    pub(super) fn check_seen(&self, path: &NotePath) -> Result<(), ToolError> {
        if self.index.settings().excluded.has(path) {
            return Err(ToolError::refused(format!(
                "`{path}` is an excluded file by the settings of this vault, and no run changes it; say so to the person"
            )));
        }
        let Some(seen) = self.read.get(path) else { return Ok(()) };
        let note = self.overlay.expect(path).map_err(|error| tool_error(&error))?;
        if note.hash() == seen {
            return Ok(());
        }
        Err(ToolError::unavailable(format!("`{path}` changed since it was read; read it again before changing it")))
    }
}

impl fmt::Debug for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.lock();
        f.debug_struct("Workspace")
            .field("vault", &self.index.vault().root())
            .field("changes", &state.overlay.changes().len())
            .field("read", &state.read.len())
            .finish_non_exhaustive()
    }
}

/// An error of the vault as the error of a tool, which the model reads.
pub(super) fn tool_error(error: &VaultError) -> ToolError {
    if error.is_retryable() { ToolError::unavailable(error.to_string()) } else { ToolError::failed(error.to_string()) }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(ToolError::failed(format!("the tool stopped unexpectedly: {error}"))))
}
