//! The plain truth about the built-in model.

use super::{Chosen, Reason};

const TRUTH: &str = "\
It runs every step of the work offline and repeatably, and that is what it is for: \
its plans are shallow, its prose is unreliable, and it invents facts. Trust a statement only where a source is cited. \
For results worth reading name a stronger model, such as one of a local server: \
`--model compatible:NAME@http://127.0.0.1:PORT/v1`.";

/// What a user is told once before the built-in model answers.
pub(super) fn notice(chosen: &Chosen) -> String {
    let beginning = match chosen.reason {
        Reason::NothingElse => {
            "No model was named and no model server was found on this machine, so the built-in model of 135 million \
             parameters answers."
        }
        _ => "The built-in model of 135 million parameters answers.",
    };
    format!("{beginning} {TRUTH}")
}
