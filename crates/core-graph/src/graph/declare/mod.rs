//! Graphs from a description: what a [`StateGraph`](crate::StateGraph) is in Rust, as data.

mod build;
mod condition;
mod description;
mod function;
mod policies;
mod registry;
mod routes;

pub use condition::When;
pub use description::{
    Description, DescriptionError, JoinDescription, NodeDescription, RouteCase, RouteDescription, SendDescription,
};
pub use policies::{RetryDescription, TimeoutDescription};
pub use registry::Registry;
