//! How wide the terminal is.

use std::io::IsTerminal;

/// The columns of the terminal that an output goes to. None where it goes elsewhere, so that nothing is shortened there;
/// the variable `COLUMNS` sets another number.
pub(crate) fn columns(output: &impl IsTerminal) -> Option<usize> {
    let stated = std::env::var("COLUMNS").ok().and_then(|columns| columns.trim().parse().ok());
    let terminal = || output.is_terminal().then(terminal_size::terminal_size).flatten();
    stated.or_else(|| terminal().map(|(width, _)| usize::from(width.0))).filter(|columns| *columns > 0)
}
