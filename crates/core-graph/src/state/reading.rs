//! A state that is being read, whatever its type.

use crate::state::{FieldChange, FieldSet, State, StateError};

/// A state that is being read, whatever its type.
pub(crate) trait ReadFields {
    /// Replaces a field by an encoded value.
    fn load(&mut self, field: usize, bytes: &[u8]) -> Result<(), StateError>;

    /// Sets a field to its initial value.
    fn reset(&mut self, field: usize);

    /// Folds changes into the state.
    fn fold(&mut self, changes: &[FieldChange]) -> Result<(), StateError>;

    /// Whether a change can be read.
    fn is_readable(&self, change: &FieldChange) -> bool;
}

/// A state with what is known of its fields only at run time.
pub(crate) struct ReadState<'l, S: State> {
    pub(crate) state: S,
    pub(crate) layout: &'l S::Layout,
}

impl<'l, S: State> ReadState<'l, S> {
    /// The initial state.
    pub(crate) fn new(layout: &'l S::Layout) -> Self {
        Self { state: S::initial(layout), layout }
    }
}

impl<S: State> ReadFields for ReadState<'_, S> {
    fn load(&mut self, field: usize, bytes: &[u8]) -> Result<(), StateError> {
        self.state.load(self.layout, field, bytes)
    }

    fn reset(&mut self, field: usize) {
        self.state.reset(self.layout, field);
    }

    fn fold(&mut self, changes: &[FieldChange]) -> Result<(), StateError> {
        let update = S::decode_update(self.layout, changes)?;
        self.state.apply(self.layout, update, &mut FieldSet::default());
        Ok(())
    }

    fn is_readable(&self, change: &FieldChange) -> bool {
        S::decode_update(self.layout, std::slice::from_ref(change)).is_ok()
    }
}
