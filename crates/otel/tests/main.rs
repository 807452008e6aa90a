//! Spans of a server in a process of its own, as a collector gets them.

mod collector;
mod outage;
mod process;
mod restart;
mod traces;
