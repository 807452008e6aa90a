//! Checking the citations of a finished text.

use std::collections::BTreeSet;

use super::HEADING;
use super::marks::{Part, is_number, split};

/// A fault of a finished text's citations.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CiteFault {
    /// A citation without an entry in the list.
    #[error("the citation `[{number}]` has no entry under `## References`")]
    Unresolved {
        /// The number.
        number: String,
    },
    /// An entry that nothing cites.
    #[error("the reference `[{number}]` is not cited in the text")]
    Uncited {
        /// The number.
        number: String,
    },
    /// A mark that was never numbered.
    #[error("the mark `[reference:{id}]` was never numbered")]
    Unnumbered {
        /// The id.
        id: String,
    },
}

/// Checks that every citation of a finished text resolves and every reference is cited.
pub fn verify(text: &str) -> Vec<CiteFault> {
    let at = text.rfind(&format!("\n{HEADING}")).or_else(|| text.starts_with(HEADING).then_some(0));
    let (body, list) = text.split_at(at.unwrap_or(text.len()));
    let listed: BTreeSet<&str> = list
        .lines()
        .filter_map(|line| line.strip_prefix('[')?.split_once(']'))
        .map(|(number, _)| number)
        .filter(|number| is_number(number))
        .collect();
    let mut cited = BTreeSet::new();
    let mut faults = Vec::new();
    for part in split(body) {
        match part {
            Part::Number(number) => {
                if !listed.contains(number) && cited.insert(number) {
                    faults.push(CiteFault::Unresolved { number: number.to_string() });
                }
                cited.insert(number);
            }
            Part::Mark(ids) => faults.extend(ids.into_iter().map(|id| CiteFault::Unnumbered { id })),
            Part::Text(_) => {}
        }
    }
    let uncited = listed.iter().filter(|number| !cited.contains(*number));
    faults.extend(uncited.map(|number| CiteFault::Uncited { number: (*number).to_string() }));
    faults
}
