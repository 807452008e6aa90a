//! The derive macro of `graphloom-core-graph`: it makes a struct the state of a graph.
//!
//! - It writes the update type, its builder methods and the field table.
//! - It writes how each field is folded, stored and read back.
//! - It refuses what cannot be a state, at the place of the mistake and with the way out.
//!
//! Use it through `graphloom-core-graph`, which exports it beside the trait `State`.
//!
//! ```
//! use graphloom_core_graph::fields::FieldSet;
//! use graphloom_core_graph::{Log, State};
//! use schemars::JsonSchema;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(State, Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
//! struct Trip {
//!     city: String,
//!     #[state(append)]
//!     ideas: Log<String>,
//!     #[state(add)]
//!     cost: f64,
//! }
//!
//! let mut trip = Trip::default();
//! for update in [Trip::update().city("Lisbon").cost(30.0), Trip::update().ideas(["Walk the hills"]).cost(12.5)] {
//!     trip.apply(&(), update, &mut FieldSet::default());
//! }
//! assert_eq!((trip.city.as_str(), trip.ideas.len(), trip.cost), ("Lisbon", 1, 42.5));
//! ```

#![forbid(unsafe_code)]

/// The examples of the file that registries show.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod attributes;
mod expand;
mod model;
mod state;
mod update;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Makes a struct with named fields the state of a graph, and writes its update type: `TripUpdate` for `Trip`.
///
/// `Trip::update()` starts an update. A method per field, named after it, says what to write; a field with a reducer
/// has a `replace_` method as well, which drops what the update held for the field and sets it as a whole.
///
/// | attribute of a field | what it means | what the method takes |
/// | --- | --- | --- |
/// | none | the last value stays; two writers in a super-step are an error; not for a `Log` or a `Table` | a value |
/// | `append` | entries are appended to a `Log<T>` | entries |
/// | `merge` | entries are inserted into a `Table<K, V>`, or replace those of their keys | pairs of key and value |
/// | `add` | primitive numbers are added; sums of integers stop at the limits of their type | a difference |
/// | `max`, `min` | the greatest or the least stays; an `Option<T>` is filled by the first | one value, a `T` for an `Option<T>`; call it again for more |
/// | `any` | the last value in commit order stays, whoever writes it | a value |
/// | `reduce_with = path` | the function `fn(&mut T, T)` folds, and must be deterministic | one change; call it again for more |
/// | `update = U` | with `reduce_with`: the function is `fn(&mut T, U)` | |
/// | `stored = deltas` | with `reduce_with`: the store keeps changes and a periodic snapshot | |
/// | `ephemeral` | the value is visible for one super-step | |
/// | `untracked` | the field is never stored, and need not be serialisable | |
///
/// A field is stored by the `Serialize` of its type: `#[serde(with = …)]` and the like on the field do not count there.
/// A reset field takes its value from the struct's `Default`.
///
/// `#[state(crate = path)]` on the struct says where the core crate is, if not at `::graphloom_core_graph`. Type
/// parameters must be what a state asks of its fields; the derive adds those bounds.
#[proc_macro_derive(State, attributes(state))]
pub fn derive_state(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::expand(&input).unwrap_or_else(syn::Error::into_compile_error).into()
}
