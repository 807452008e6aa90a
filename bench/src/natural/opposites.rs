//! Sentences in which one word is made its opposite, by the antonyms of `WordNet`.

use std::collections::BTreeMap;

/// Words that in running text are mostly something else than what `WordNet` has an opposite for: prepositions, helping
/// verbs, parts of other phrases.
const OTHER_USES: &[&str] = &[
    "away", "back", "being", "can", "down", "even", "ever", "far", "had", "has", "have", "having", "here", "home",
    "in", "just", "kind", "like", "live", "long", "mean", "now", "off", "on", "out", "over", "past", "so", "still",
    "there", "then", "under", "up", "well", "will",
];
/// The shortest word that is reversed.
const SHORTEST: usize = 3;

/// Words and one opposite of each.
#[derive(Debug, Default)]
pub(crate) struct Opposites(BTreeMap<String, String>);

impl Opposites {
    /// Reads files of `WordNet`, each with the letter of its part of speech.
    ///
    /// A line is `OFFSET FILE TYPE COUNT (WORD ID)… COUNT (SIGN OFFSET TYPE FROM-TO)… | …`; the count of words and FROM-TO
    /// are hexadecimal, and the sign `!` leads from a word to its opposite.
    pub(crate) fn read(files: &[(char, String)]) -> Self {
        let mut words: BTreeMap<(char, &str), Vec<&str>> = BTreeMap::new();
        let mut leads = Vec::new();
        for (letter, text) in files {
            for line in text.lines().filter(|line| line.starts_with(|c: char| c.is_ascii_digit())) {
                let Some((key, own, pointers)) = synset(line) else { continue };
                for pointer in pointers.chunks_exact(4).filter(|pointer| pointer[0] == "!") {
                    let (Some(from), Some(to)) = (ends(pointer[3], 0), ends(pointer[3], 2)) else { continue };
                    if let Some(word) = from.checked_sub(1).and_then(|at| own.get(at)) {
                        let kind = pointer[2].replace('s', "a");
                        leads.push((*word, (kind.chars().next().unwrap_or('n'), pointer[1]), to));
                    }
                }
                words.insert((*letter, key), own);
            }
        }
        let mut found: BTreeMap<String, String> = BTreeMap::new();
        for (word, key, to) in leads {
            let opposite = words.get(&key).and_then(|words| to.checked_sub(1).and_then(|at| words.get(at)));
            let plain = |word: &str| word.len() >= SHORTEST && word.bytes().all(|b| b.is_ascii_lowercase());
            if let Some(opposite) = opposite.filter(|opposite| plain(opposite) && plain(word))
                && !OTHER_USES.contains(&word)
            {
                found.entry(word.to_owned()).or_insert_with(|| (*opposite).to_owned());
            }
        }
        Self(found)
    }

    /// How many words have an opposite.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The sentence with its first word that has an opposite reversed; none where there is none. A capital within the
    /// sentence makes a name, which has no opposite.
    pub(crate) fn reverse(&self, sentence: &str) -> Option<String> {
        let words: Vec<&str> = sentence.split(' ').collect();
        words.iter().enumerate().find_map(|(at, word)| {
            let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
            let capital = bare.starts_with(char::is_uppercase);
            if bare.is_empty() || capital && at > 0 || words.iter().filter(|other| *other == word).count() > 1 {
                return None;
            }
            let opposite = self.of(&bare.to_lowercase())?;
            let opposite = if capital { capitalised(&opposite) } else { opposite };
            let mut changed = words.clone();
            let put = word.replacen(bare, &opposite, 1);
            changed[at] = &put;
            Some(changed.join(" "))
        })
    }

    /// The opposite of a word, or of the verb that it is a form of with `-s`.
    fn of(&self, word: &str) -> Option<String> {
        if let Some(opposite) = self.0.get(word) {
            return Some(opposite.clone());
        }
        let opposite = self.0.get(word.strip_suffix('s')?)?;
        Some(format!("{opposite}{}", if opposite.ends_with(['s', 'h', 'x', 'z']) { "es" } else { "s" }))
    }
}

/// The offset, the words and the pointers of a line; none for a line of another form.
fn synset(line: &str) -> Option<(&str, Vec<&str>, Vec<&str>)> {
    let (data, _) = line.split_once(" | ")?;
    let fields: Vec<&str> = data.split(' ').collect();
    let count = usize::from_str_radix(fields.get(3)?, 16).ok()?;
    let words = fields.get(4..4 + 2 * count)?;
    // An adjective may say where it stands: `afraid(p)`.
    let words = words.iter().step_by(2).map(|word| word.split('(').next().unwrap_or(word)).collect();
    let pointers: usize = fields.get(4 + 2 * count)?.parse().ok()?;
    let from = 5 + 2 * count;
    Some((fields[0], words, fields.get(from..from + 4 * pointers)?.to_vec()))
}

/// One end of `FROMTO`, each two hexadecimal digits; counted from 1, 0 for all words.
fn ends(field: &str, at: usize) -> Option<usize> {
    usize::from_str_radix(field.get(at..at + 2)?, 16).ok()
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_reversed_by_the_pointers_of_the_file() {
        let adjectives = "  1 a line of the head\n\
            00000001 00 a 02 loud 0 noisy(p) 1 002 ! 00000002 a 0102 = 00000009 n 0000 | not quiet\n\
            00000002 00 a 02 calm 0 silent 0 001 ! 00000001 a 0201 | without noise\n\
            broken line\n";
        let verbs = "00000007 30 v 01 grow 0 001 ! 00000008 v 0101 01 + 01 00 | become more\n\
            00000008 30 v 01 fetch 0 001 ! 00000007 v 0101 01 + 01 00 | made up\n";
        let found = Opposites::read(&[('a', adjectives.to_owned()), ('v', verbs.to_owned())]);
        assert_eq!(found.len(), 4);
        assert_eq!(
            found.reverse("The Loud hall was loud, and empty."),
            Some("The Loud hall was silent, and empty.".into())
        );
        assert_eq!(found.reverse("Silent nights grow."), Some("Loud nights grow.".into()));
        assert_eq!(found.reverse("The heap grows."), Some("The heap fetches.".into()));
        assert_eq!(found.reverse("A Noisy thing."), None);
    }
}
