//! Claims, marks and verdicts at the public boundary.

mod corpus;
mod marks;
mod planted;
mod sentences;
mod traps;
mod verdicts;
