//! Who wrote a work.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::text::one_line;

/// A person or a group that wrote a work.
///
/// ```
/// use graphloom_retrieval::literature::Author;
///
/// let author = Author::displayed("Ludwig van Beethoven").unwrap();
/// assert_eq!((author.family.as_deref(), author.given.as_deref()), (Some("van Beethoven"), Some("Ludwig")));
/// assert_eq!(Author::group("The BIG Consortium").unwrap().family, None);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct Author {
    /// The name as a reader writes it, given name first.
    pub name: String,
    /// The family name of a person, with its particle.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family: Option<String>,
    /// The given names of a person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given: Option<String>,
}

/// Words in lower case that belong to a family name.
const PARTICLES: &[&str] = &[
    "van", "von", "der", "den", "de", "del", "della", "di", "da", "dos", "du", "la", "le", "ter", "ten", "zu", "bin",
    "al", "el",
];

/// Words after a family name that are no names.
const SUFFIXES: &[&str] = &["jr", "sr", "ii", "iii", "iv"];

/// Words after the comma in the name of a company.
const COMPANIES: &[&str] =
    &["inc", "ltd", "llc", "llp", "corp", "co", "company", "limited", "plc", "gmbh", "ag", "sa", "bv", "pty ltd"];

impl Author {
    /// A person whose names a source tells apart. `None` without a family name.
    #[must_use]
    pub fn person(given: Option<&str>, family: &str) -> Option<Self> {
        let family = one_line(family);
        let given = given.map(one_line).filter(|given| !given.is_empty());
        if family.is_empty() {
            return None;
        }
        let name = given.as_ref().map_or_else(|| family.clone(), |given| format!("{given} {family}"));
        Some(Self { name, family: Some(family), given })
    }

    /// A group, such as a consortium. `None` without a name.
    #[must_use]
    pub fn group(name: &str) -> Option<Self> {
        let name = one_line(name);
        (!name.is_empty()).then_some(Self { name, family: None, given: None })
    }

    /// A person of whom a source gives one line, `Heather Piwowar` or `Piwowar, Heather`. The family name is the last
    /// word and the particles before it; a name of one word stays whole.
    #[must_use]
    pub fn displayed(name: &str) -> Option<Self> {
        let name = one_line(name);
        if let Some((family, given)) = name.split_once(',') {
            let after = given.trim().replace('.', "").to_lowercase();
            if COMPANIES.contains(&after.as_str()) {
                return Self::group(&name);
            }
            let is_suffix = SUFFIXES.contains(&after.as_str());
            if !family.trim().is_empty() && !is_suffix {
                return Self::person(Some(given), family);
            }
        }
        let words: Vec<&str> = name.split(' ').collect();
        let mut last = words.len().saturating_sub(1);
        if last > 1 && SUFFIXES.contains(&words[last].trim_end_matches('.').to_lowercase().as_str()) {
            last -= 1;
        }
        let mut first = last;
        while first > 1 && PARTICLES.contains(&words[first - 1]) {
            first -= 1;
        }
        if first == 0 {
            return Self::group(&name);
        }
        let person = Self::person(Some(&words[..first].join(" ")), &words[first..].join(" "))?;
        Some(Self { name, ..person })
    }

    /// The part of the name that lists are sorted and shortened by.
    #[must_use]
    pub fn short(&self) -> &str {
        self.family.as_deref().unwrap_or(&self.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart_as_far_as_they_can() {
        for (shown, family, given) in [
            ("Heather Piwowar", Some("Piwowar"), Some("Heather")),
            ("Piwowar, Heather A.", Some("Piwowar"), Some("Heather A.")),
            ("Maria de la Cruz", Some("de la Cruz"), Some("Maria")),
            ("Martin Luther King Jr.", Some("King Jr."), Some("Martin Luther")),
            ("Sammy Davis, Jr.", Some("Davis, Jr."), Some("Sammy")),
            ("Barnes and Noble, Inc.", None, None),
            ("Siemens, A.G.", None, None),
            ("Plato", None, None),
            ("山田太郎", None, None),
            ("van Gogh", Some("Gogh"), Some("van")),
        ] {
            let author = Author::displayed(shown).unwrap();
            assert_eq!((author.family.as_deref(), author.given.as_deref()), (family, given), "{shown}");
        }
        assert_eq!(Author::displayed(" \u{200b} "), None);
        assert_eq!(Author::person(Some(""), "Doe").unwrap().name, "Doe");
    }
}
