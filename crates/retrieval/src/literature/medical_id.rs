//! The identifiers of works of medicine and biology: PubMed's and PubMed Central's.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The number of a work in PubMed.
///
/// ```
/// use graphloom_retrieval::literature::Pmid;
///
/// assert_eq!(Pmid::parse("https://pubmed.ncbi.nlm.nih.gov/29456894"), Pmid::parse("PMID: 29456894"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Pmid(u32);

impl Pmid {
    /// Reads a number, alone or in an address. `None` when it is none.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        number_of(text, &["pubmed.ncbi.nlm.nih.gov/", "pmid:"]).map(Self)
    }

    /// The address of the work.
    #[must_use]
    pub fn url(self) -> String {
        format!("https://pubmed.ncbi.nlm.nih.gov/{self}/")
    }
}

impl fmt::Display for Pmid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// The number of a full text in PubMed Central, which is shown with `PMC` before it.
///
/// ```
/// use graphloom_retrieval::literature::Pmcid;
///
/// assert_eq!(Pmcid::parse("pmc3257301").unwrap().to_string(), "PMC3257301");
/// assert_eq!(Pmcid::parse("https://www.ncbi.nlm.nih.gov/pmc/articles/3257301"), Pmcid::parse("PMC3257301"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Pmcid(u32);

impl Pmcid {
    /// Reads a number, alone or in an address. `None` when it is none.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        number_of(text, &["www.", "ncbi.nlm.nih.gov/pmc/articles/", "pmc"]).map(Self)
    }
}

impl fmt::Display for Pmcid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PMC{}", self.0)
    }
}

fn number_of(text: &str, before: &[&str]) -> Option<u32> {
    let lower = text.trim().to_ascii_lowercase();
    let mut rest = lower.as_str();
    for prefix in ["https://", "http://"].iter().chain(before) {
        rest = rest.strip_prefix(prefix).unwrap_or(rest).trim_start();
    }
    let digits = rest.trim_end_matches('/');
    // Nine digits fit; a sign does not belong there.
    let fits = (1..=9).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit());
    fits.then(|| digits.parse().ok()).flatten().filter(|number| *number > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_and_nothing_else() {
        for (text, expected) in [
            ("29456894", Some(29_456_894)),
            (" https://pubmed.ncbi.nlm.nih.gov/29456894/ ", Some(29_456_894)),
            ("PMID:7", Some(7)),
            ("0", None),
            ("-1", None),
            ("29456894012", None),
            ("10.1000/182", None),
            ("", None),
        ] {
            assert_eq!(Pmid::parse(text), expected.map(Pmid), "{text}");
        }
        assert_eq!(Pmcid::parse("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC3257301/"), Some(Pmcid(3_257_301)));
        assert_eq!(Pmcid::parse("PMCX"), None);
    }
}
