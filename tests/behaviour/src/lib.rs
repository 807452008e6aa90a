//! Random graphs, simulated schedules of them, and a program that is killed: what the proofs of the runtime run on.
//!
//! - **[`drawn`]** makes a graph of a seed, and says what it must have done when it is done.
//! - **[`schedules`]** runs such a graph through deaths and failures of its store, and says what is wrong.
//! - **[`killed`]** is the graph of the program `victim`, which writes down outside its store what it did.
//!
//! The cases of `docs/semantics.md` are in `tests/cases/`.
//!
//! ```
//! let summary = graphloom_behaviour::schedules::run(7)?;
//! assert!(summary.tasks > 0);
//! # Ok::<(), String>(())
//! ```

#![forbid(unsafe_code)]

pub mod drawn;
pub mod killed;
pub mod random;
pub mod schedules;
pub mod tally;
