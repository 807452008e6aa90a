//! The field table of a dynamic state.

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::error_text::debug_is_text;
use crate::nearest::suggestion;
use crate::state::json::field::{FieldError, JsonField, JsonReducer};
use crate::state::json::shape::Shape;
use crate::state::json::value::Slot;
use crate::state::{Field, FieldKind, JsonForm, Op, StateError, Stored};

/// The fields of a [`JsonState`](crate::json::JsonState), in a fixed order. Cloning it is cheap.
///
/// ```
/// use graphloom_core_graph::json::{JsonField, JsonLayout, JsonReducer};
///
/// let layout = JsonLayout::new([
///     JsonField::new("topic"),
///     JsonField::new("notes").reducer(JsonReducer::Append),
/// ])?;
/// assert_eq!(layout.fields().len(), 2);
/// # Ok::<_, graphloom_core_graph::json::LayoutErrors>(())
/// ```
#[derive(Clone, Default)]
pub struct JsonLayout(Arc<LayoutParts>);

#[derive(Default)]
struct LayoutParts {
    declared: Vec<JsonField>,
    fields: Vec<Field>,
    columns: Vec<Column>,
}

/// A field as it is folded.
pub(super) struct Column {
    pub(super) reducer: JsonReducer,
    pub(super) shape: Option<Shape>,
    pub(super) initial: Slot,
}

/// All mistakes of a layout.
#[derive(Clone, PartialEq, Eq)]
pub struct LayoutErrors {
    /// The mistakes, at least one.
    pub errors: Vec<FieldError>,
}

/// What a key of an update means: a field, and whether it is replaced or folded.
pub(super) struct Meant {
    pub(super) field: usize,
    pub(super) op: Op,
}

/// What begins the key of an update that replaces a field with a reducer.
pub(super) const REPLACE: &str = "replace_";

impl JsonLayout {
    /// A layout of these fields.
    ///
    /// # Errors
    /// All mistakes together: names that are empty, reserved or used twice, schemas that would not be checked, and
    /// initial values that do not fit their field.
    pub fn new(fields: impl IntoIterator<Item = JsonField>) -> Result<Self, LayoutErrors> {
        let declared: Vec<JsonField> = fields.into_iter().collect();
        let mut errors = Vec::new();
        let mut inner = LayoutParts::default();
        for (at, field) in declared.iter().enumerate() {
            let mut refuse = |reason: String| errors.push(FieldError { field: field.name.clone(), reason });
            if let Some(reason) = bad_name(&field.name) {
                refuse(reason.to_owned());
            }
            if declared[..at].iter().any(|other| other.name == field.name) {
                refuse("two fields have this name; rename one".to_owned());
            }
            let replaced = field.name.strip_prefix(REPLACE);
            if let Some(other) = declared.iter().find(|other| replaced == Some(&other.name)) {
                refuse(format!("an update of this name replaces `{}`; rename one", other.name));
            }
            if field.ephemeral && field.untracked {
                refuse("it is `ephemeral` and `untracked`; it can be one of them".to_owned());
            }
            match Column::of(field) {
                Ok(column) => inner.columns.push(column),
                Err(reason) => refuse(reason),
            }
            inner.fields.push(described(field));
        }
        if !errors.is_empty() {
            return Err(LayoutErrors { errors });
        }
        inner.declared = declared;
        Ok(Self(Arc::new(inner)))
    }

    /// A layout of last values of any kind, for a state that is read without its own.
    pub(super) fn of_names(names: impl Iterator<Item = String>) -> Self {
        let declared: Vec<_> = names.map(JsonField::new).collect();
        let fields = declared.iter().map(described).collect();
        let column =
            || Column { reducer: JsonReducer::Last, shape: None, initial: Slot::of(JsonReducer::Last, Value::Null) };
        let columns = declared.iter().map(|_| column()).collect();
        Self(Arc::new(LayoutParts { declared, fields, columns }))
    }

    /// The fields as they were declared.
    pub fn fields(&self) -> &[JsonField] {
        &self.0.declared
    }

    /// The JSON schema of the state: an object of the fields.
    pub fn schema(&self) -> Value {
        let schema_of = |field: &JsonField| field.schema.clone().unwrap_or(Value::Bool(true));
        let properties: Map<_, _> =
            self.0.declared.iter().map(|field| (field.name.clone(), schema_of(field))).collect();
        json!({"type": "object", "properties": properties, "additionalProperties": false})
    }

    pub(super) fn table(&self) -> &[Field] {
        &self.0.fields
    }

    pub(super) fn columns(&self) -> &[Column] {
        &self.0.columns
    }

    pub(super) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    pub(crate) fn position(&self, name: &str) -> Option<usize> {
        self.0.declared.iter().position(|field| field.name == name)
    }

    /// The names of the fields, for people.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.declared.iter().map(|field| field.name.as_str())
    }

    /// What a key of an update means.
    pub(super) fn meant(&self, key: &str) -> Option<Meant> {
        if let Some(field) = self.position(key) {
            let last = matches!(self.0.columns[field].reducer, JsonReducer::Last | JsonReducer::Any);
            return Some(Meant { field, op: if last { Op::Set } else { Op::Fold } });
        }
        let field = self.position(key.strip_prefix(REPLACE)?)?;
        Some(Meant { field, op: Op::Set })
    }

    /// Why a key of an update means nothing.
    pub(super) fn unknown(&self, key: &str) -> StateError {
        let known: Vec<_> = self.names().map(|name| format!("`{name}`")).collect();
        let message = format!("it is no field{}; fields: {}", suggestion(key, self.names()), known.join(", "));
        StateError { field: key.to_owned(), action: "updated", message }
    }
}

/// Two layouts are equal when their fields are.
impl PartialEq for JsonLayout {
    fn eq(&self, other: &Self) -> bool {
        self.0.declared == other.0.declared
    }
}

impl Column {
    fn of(field: &JsonField) -> Result<Self, String> {
        let shape = field.schema.as_ref().map(Shape::parse).transpose()?;
        let empty = match field.reducer {
            JsonReducer::Append => json!([]),
            JsonReducer::Merge => json!({}),
            JsonReducer::Add => json!(0),
            _ => Value::Null,
        };
        let column = Self { reducer: field.reducer, shape, initial: Slot::of(field.reducer, empty) };
        let Some(initial) = &field.initial else { return Ok(column) };
        column.check(Op::Set, initial).map_err(|message| format!("its initial value does not fit: {message}"))?;
        Ok(Self { initial: Slot::of(field.reducer, initial.clone()), ..column })
    }
}

fn described(field: &JsonField) -> Field {
    let stored = match field.reducer {
        _ if field.untracked => Stored::Never,
        JsonReducer::Append if !field.ephemeral => Stored::Additions,
        JsonReducer::Merge if !field.ephemeral => Stored::Deltas,
        _ => Stored::Whole,
    };
    let kind = if field.reducer == JsonReducer::Last { FieldKind::Last } else { FieldKind::Reducer };
    let sure = kind == FieldKind::Last;
    let json = match field.reducer {
        JsonReducer::Last | JsonReducer::Any => JsonForm::Set,
        JsonReducer::Append | JsonReducer::Add => JsonForm::Fold,
        JsonReducer::Merge => JsonForm::FoldEntries,
        JsonReducer::Max | JsonReducer::Min => JsonForm::FoldOne,
    };
    Field { name: field.name.clone().into(), kind, stored, ephemeral: field.ephemeral, sure, json }
}

fn bad_name(name: &str) -> Option<&'static str> {
    if name.is_empty() {
        Some("its name is empty")
    } else if name.contains(['.', '#']) || name.chars().any(char::is_control) {
        // Dots divide paths, and stores keep the frontier beside the fields under a name with `#`.
        Some("`.`, `#` and control characters are reserved")
    } else {
        None
    }
}

impl fmt::Debug for JsonLayout {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.0.declared).finish()
    }
}

impl fmt::Display for LayoutErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the layout of the state cannot be used:")?;
        self.errors.iter().try_for_each(|error| write!(f, "\n  - {error}"))
    }
}

impl std::error::Error for LayoutErrors {}

debug_is_text!(LayoutErrors);
