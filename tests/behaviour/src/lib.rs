//! Behaviour, schedules and crashes of the runtime.
#![forbid(unsafe_code)]
