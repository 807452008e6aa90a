//! What every program does with its runs: find and show them, follow one, draw the graph, go on as before.
//!
//! - [`AppRuns`] lists, finds and forks the runs of a program, and opens nothing that a run would need: no model, no
//!   documents.
//! - [`Origin`] is what a run began with, and takes again when it goes on.
//! - [`Watcher`] shows what every run tells; [`announce`], [`follow_run`], [`waiting`] and [`stopped`] are the words around
//!   a run.
//! - [`prepare`] and [`write`](fn@write) are for the files of a result.

mod files;
mod follow;
mod origin;
mod runs;
mod watch;

pub use files::{prepare, write};
pub use follow::{Told, announce, follow_run, kept, stopped, waiting};
pub use origin::Origin;
pub use runs::{AppRuns, go_back};
pub use watch::Watcher;
