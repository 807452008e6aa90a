//! The options that programs share, in groups by need.
//!
//! A program has [`BaseArgs`] at its root. Each of its commands flattens the groups that it reads, so that it offers no
//! option that it does not serve. The options of a group may stand before a command and behind it.

mod base;
mod groups;
mod offer;
mod programs;

pub use base::BaseArgs;
pub use groups::{ConsentArgs, ModelArgs, OutputArgs, ParameterArgs, PromptArgs, RunArgs, SourceArgs, ThreadArgs};
pub(crate) use offer::{Offer, only_served_options};
pub(crate) use programs::APPLICATIONS;
pub use programs::OptionGroup;
