//! The derive macro of `graphloom-core-graph`: it makes a struct the state of a graph.
//!
//! - It writes the update type, its builder methods and the field table.
//! - It writes how each field is folded, stored and read back.
//! - It refuses what cannot be a state, at the place of the mistake and with the way out.
//!
//! Use it through `graphloom-core-graph`, whose `State` trait documents the attributes with examples.
//!
//! | attribute of a field | what it means |
//! | --- | --- |
//! | `append` | a reducer that appends to a `Log<T>` |
//! | `merge` | a reducer that inserts into a `Table<K, V>`, or replaces by key |
//! | `add` | a reducer that adds numbers; sums of integers stop at the type's limits |
//! | `reduce_with = path` | a reducer of your own, `fn(&mut T, U)`, with `U` the field's type |
//! | `update = U` | the type that `reduce_with` takes instead |
//! | `stored = deltas` | a field with `reduce_with` is stored as its updates and a periodic snapshot |
//! | `ephemeral` | the value is visible for one super-step |
//! | `untracked` | the field is never stored |
//!
//! `#[state(crate = path)]` on the struct names the core crate where it is not `::graphloom_core_graph`.

#![forbid(unsafe_code)]

mod attributes;
mod expand;
mod model;
mod state;
mod update;

use proc_macro::TokenStream;
use syn::{DeriveInput, parse_macro_input};

/// Makes a struct with named fields the state of a graph, and writes its update type.
///
/// The crate's page lists the attributes; `graphloom_core_graph::State` documents what is written.
#[proc_macro_derive(State, attributes(state))]
pub fn derive_state(input: TokenStream) -> TokenStream {
    let input = parse_macro_input!(input as DeriveInput);
    expand::expand(&input).unwrap_or_else(|error| error.into_compile_error()).into()
}
