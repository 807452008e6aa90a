//! What every program does with its runs: list and find runs, follow a run, resume a run with its former options.
//!
//! - [`AppRuns`] lists, finds and forks the runs of a program. It opens no model and no documents.
//! - [`Origin`] holds the options a run began with, for the command that resumes the run.
//! - [`Watcher`] shows the events of a run while the run goes on; [`follow_run`] drives a run to its end, and
//!   [`ProgramResult`] is the result that a program prints.
//! - [`prepare`] and [`write`](fn@write) are for the files of a result.

mod files;
mod follow;
mod origin;
mod runs;
mod watch;

pub use files::{prepare, write};
pub use follow::{ProgramResult, announce, follow_run, note_resumable, stopped_result, waiting_result};
pub use origin::Origin;
pub use runs::{AppRuns, go_back};
pub use watch::Watcher;
