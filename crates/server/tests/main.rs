//! Tests.

mod messages;
