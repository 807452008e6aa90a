//! The same steps on LangGraph, whose saver keeps them in the same database. It has no workers: its tasks are done in place.

use std::path::Path;
use std::process::Command;

use crate::Outcome;

/// Runs so many threads at a time, each of so many steps, and tells of it in the columns of the table.
pub(crate) fn steps(python: &str, url: &str, in_flight: u64, length: u64) -> Outcome<String> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("langgraph_steps.py");
    let output = Command::new(python).arg(script).args([url, &in_flight.to_string(), &length.to_string()]).output()?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    let told = String::from_utf8(output.stdout)?;
    let numbers = told.split_whitespace().map(str::parse).collect::<Result<Vec<f64>, _>>()?;
    let [second, half, most] = numbers.as_slice() else { return Err(format!("it says {told}").into()) };
    Ok(format!("{second:>10.0} {half:>12.2} {most:>12.2}"))
}
