//! A state whose fields are known only at run time.

mod field;
mod fold;
mod layout;
mod shape;
mod update;
mod value;

pub use field::{FieldError, JsonField, JsonReducer};
pub use layout::{JsonLayout, LayoutErrors};
pub use update::JsonUpdate;
pub use value::JsonState;

pub(crate) use shape::Shape;
