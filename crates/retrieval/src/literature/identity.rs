//! The two identifiers that tell works apart across sources: DOI and arXiv id.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The registrant of arXiv's own DOIs, which say nothing more than the arXiv id does.
const ARXIV_DOI: &str = "10.48550/arxiv.";

/// A DOI in its one normal form: lower case, without an address or a `doi:` before it.
///
/// ```
/// use graphloom_retrieval::literature::Doi;
///
/// let doi = Doi::parse("https://doi.org/10.7717/PeerJ.4375").unwrap();
/// assert_eq!(doi.as_str(), "10.7717/peerj.4375");
/// assert_eq!(Doi::parse("11.1000/182"), None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct Doi(String);

impl Doi {
    /// Reads a DOI as sources and people write it. `None` when it is none.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let lower = text.trim().to_lowercase();
        let mut rest = lower.as_str();
        for prefix in ["https://", "http://", "dx.doi.org/", "www.doi.org/", "doi.org/", "doi:"] {
            rest = rest.strip_prefix(prefix).unwrap_or(rest).trim_start();
        }
        let (registrant, suffix) = rest.strip_prefix("10.")?.split_once('/')?;
        let registrant_fits = registrant.len() >= 4
            && registrant.chars().all(|c| c.is_ascii_digit() || c == '.')
            && registrant.len() < 20;
        let suffix_fits =
            !suffix.is_empty() && suffix.len() < 400 && !suffix.chars().any(|c| c.is_whitespace() || c.is_control());
        (registrant_fits && suffix_fits).then(|| Self(rest.to_owned()))
    }

    /// The DOI, as `10.7717/peerj.4375`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The address that leads to the work.
    #[must_use]
    pub fn url(&self) -> String {
        let mut url = String::from("https://doi.org/");
        for c in self.0.chars() {
            // The characters that would end or change an address.
            match c {
                '%' | '#' | '?' | '"' | '<' | '>' | '{' | '}' | '|' | '\\' | '^' | '`' | '[' | ']' => {
                    let mut bytes = [0; 4];
                    for byte in c.encode_utf8(&mut bytes).bytes() {
                        url.push_str(&format!("%{byte:02X}"));
                    }
                }
                _ => url.push(c),
            }
        }
        url
    }

    /// The arXiv id, when the DOI is one that arXiv registered for a preprint.
    #[must_use]
    pub fn arxiv(&self) -> Option<ArxivId> {
        self.0.strip_prefix(ARXIV_DOI).and_then(ArxivId::parse)
    }
}

impl fmt::Display for Doi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<Doi> for String {
    fn from(doi: Doi) -> Self {
        doi.0
    }
}

impl TryFrom<String> for Doi {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).ok_or_else(|| format!("`{text}` is no DOI; one looks like `10.7717/peerj.4375`"))
    }
}

/// The id of a preprint at arXiv, without its version, so that all versions are one work.
///
/// ```
/// use graphloom_retrieval::literature::ArxivId;
///
/// assert_eq!(ArxivId::parse("http://arxiv.org/abs/1605.08386v2"), ArxivId::parse("arXiv:1605.08386"));
/// assert_eq!(ArxivId::parse("math.GT/0309136v1").unwrap().as_str(), "math/0309136");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
pub struct ArxivId(String);

impl ArxivId {
    /// Reads an id or the address of an abstract or a PDF, in the form since 2007 or the one before. `None` when it is
    /// neither.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let lower = text.trim().to_lowercase();
        let mut rest = lower.as_str();
        for prefix in ["https://", "http://", "www.", "export.", "arxiv.org/", "abs/", "pdf/", "arxiv:"] {
            rest = rest.strip_prefix(prefix).unwrap_or(rest).trim_start();
        }
        let rest = rest.strip_suffix(".pdf").unwrap_or(rest);
        let rest = without_version(rest);
        let digits = |text: &str, least: usize, most: usize| {
            (least..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
        };
        if let Some((month, number)) = rest.split_once('.')
            && digits(month, 4, 4)
            && digits(number, 4, 5)
        {
            return Some(Self(rest.to_owned()));
        }
        let (archive, number) = rest.split_once('/')?;
        // The part after the dot is a subject class, which is no part of the id.
        let archive = archive.split_once('.').map_or(archive, |(archive, _)| archive);
        let named = !archive.is_empty() && archive.chars().all(|c| c.is_ascii_lowercase() || c == '-');
        (named && digits(number, 7, 7)).then(|| Self(format!("{archive}/{number}")))
    }

    /// The id, as `1605.08386` or `math/0309136`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The address of the abstract.
    #[must_use]
    pub fn url(&self) -> String {
        format!("https://arxiv.org/abs/{}", self.0)
    }

    /// The address of the full text, which is open.
    #[must_use]
    pub fn pdf(&self) -> String {
        format!("https://arxiv.org/pdf/{}", self.0)
    }
}

fn without_version(id: &str) -> &str {
    match id.rsplit_once('v') {
        Some((id, version)) if !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit()) => id,
        _ => id,
    }
}

impl fmt::Display for ArxivId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<ArxivId> for String {
    fn from(id: ArxivId) -> Self {
        id.0
    }
}

impl TryFrom<String> for ArxivId {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text).ok_or_else(|| format!("`{text}` is no arXiv id; one looks like `1605.08386`"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dois_have_one_form() {
        for (text, expected) in [
            ("10.1093/OBO/9780199830060-0238", Some("10.1093/obo/9780199830060-0238")),
            (" doi: 10.1000/182 ", Some("10.1000/182")),
            ("http://dx.doi.org/10.1000/182", Some("10.1000/182")),
            ("10.1002/(SICI)1097-4628(19980103)67:1<1::AID", Some("10.1002/(sici)1097-4628(19980103)67:1<1::aid")),
            ("10.1000/", None),
            ("10.1/x", None),
            ("10.1000/a b", None),
            ("https://example.org/10.1000/182", None),
            ("", None),
        ] {
            assert_eq!(Doi::parse(text).as_ref().map(Doi::as_str), expected, "{text}");
        }
        let odd = Doi::parse("10.1002/a<1>#b").unwrap();
        assert_eq!(odd.url(), "https://doi.org/10.1002/a%3C1%3E%23b");
    }

    #[test]
    fn arxiv_ids_lose_their_version_and_their_address() {
        for (text, expected) in [
            ("1605.08386v12", Some("1605.08386")),
            ("https://arxiv.org/pdf/0704.0001v1.pdf", Some("0704.0001")),
            ("astro-ph/0601001v3", Some("astro-ph/0601001")),
            ("arXiv:hep-th/9901001", Some("hep-th/9901001")),
            ("1605.083", None),
            ("1605.0838612", None),
            ("https://arxiv.org/api/errors#incorrect_id_format_for_abc", None),
            ("v1", None),
        ] {
            assert_eq!(ArxivId::parse(text).as_ref().map(ArxivId::as_str), expected, "{text}");
        }
        let doi = Doi::parse("10.48550/arXiv.1605.08386").unwrap();
        assert_eq!(doi.arxiv(), ArxivId::parse("1605.08386"));
        assert_eq!(Doi::parse("10.1000/182").unwrap().arxiv(), None);
    }
}
