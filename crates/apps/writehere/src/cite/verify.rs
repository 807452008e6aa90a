//! Checking the citations of a finished text.

use std::collections::BTreeSet;

use graphloom_text::Language;

use super::heading;
use super::marks::{Part, is_number, split};

/// A fault of a finished text's citations.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CiteFault {
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

/// Checks that every mark of a finished text was numbered and every reference is cited.
///
/// A number in brackets without an entry is no fault: it is the text's own, as in `x[0]`, and [`resolve`](super::resolve)
/// gives no reference such a number.
pub fn verify(text: &str) -> Vec<CiteFault> {
    let (body, list) = text.split_at(list_of(text).unwrap_or(text.len()));
    let listed = list
        .lines()
        .filter_map(|line| line.strip_prefix('[')?.split_once(']'))
        .map(|(number, _)| number)
        .filter(|number| is_number(number));
    let mut cited = BTreeSet::new();
    let mut faults = Vec::new();
    for part in split(body) {
        match part {
            Part::Number(number) => {
                cited.insert(number.trim_matches(['[', ']']));
            }
            Part::Mark(ids) => faults.extend(ids.into_iter().map(|id| CiteFault::Unnumbered { id })),
            Part::Text(_) => {}
        }
    }
    let uncited = listed.collect::<BTreeSet<_>>().into_iter().filter(|number| !cited.contains(number));
    faults.extend(uncited.map(|number| CiteFault::Uncited { number: number.to_string() }));
    faults
}

/// Where the list of references of a finished text begins: at the last heading that names one in a language of texts.
fn list_of(text: &str) -> Option<usize> {
    let headings = Language::ALL.into_iter().map(heading);
    let last = headings.filter_map(|heading| {
        let at = text.rfind(&format!("\n{heading}\n"));
        at.or_else(|| text.starts_with(&format!("{heading}\n")).then_some(0))
    });
    last.max()
}
