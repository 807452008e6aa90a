//! Charts, and what sources state about their data, at the public boundary.

mod charts;
mod stated;
