//! The ten ways in which a claim is made of a sentence.

use super::{Document, Kind};

/// Words and others of the same meaning, for texts about programs.
const SYNONYMS: &[(&str, &str)] = &[
    ("whether", "if"),
    ("begins", "starts"),
    ("starts", "begins"),
    ("must", "has to"),
    ("several", "multiple"),
    ("multiple", "several"),
    ("often", "frequently"),
    ("large", "big"),
    ("small", "little"),
    ("quickly", "rapidly"),
    ("fast", "quick"),
    ("shows", "displays"),
    ("returns", "gives back"),
    ("provides", "offers"),
    ("contains", "holds"),
    ("uses", "employs"),
    ("requires", "needs"),
    ("needs", "requires"),
    ("allows", "lets"),
    ("creates", "makes"),
    ("makes", "creates"),
    ("removes", "deletes"),
    ("deletes", "removes"),
    ("entire", "whole"),
    ("whole", "entire"),
    ("because", "since"),
    ("however", "yet"),
    ("also", "too"),
    ("keeps", "retains"),
    ("happens", "occurs"),
    ("works", "functions"),
    ("usually", "normally"),
    ("similar", "comparable"),
    ("simple", "plain"),
    ("error", "failure"),
    ("bigger", "larger"),
    ("chosen", "selected"),
    ("choose", "select"),
    ("use", "employ"),
    ("need", "require"),
    ("get", "obtain"),
    ("provide", "offer"),
    ("every", "each"),
    ("when", "whenever"),
    ("instead of", "rather than"),
];

/// Units and what they are changed to.
const UNITS: &[(&str, &str)] = &[
    ("ms", "minutes"),
    ("milliseconds", "minutes"),
    ("seconds", "hours"),
    ("second", "hour"),
    ("minutes", "days"),
    ("hours", "weeks"),
    ("days", "years"),
    ("bytes", "megabytes"),
    ("KB", "GB"),
    ("KiB", "GiB"),
    ("MB", "TB"),
    ("MiB", "TiB"),
    ("GB", "KB"),
    ("GiB", "KiB"),
    ("bits", "gigabytes"),
    ("bit", "gigabyte"),
    ("ns", "seconds"),
    ("s", "ms"),
    ("%", "ms"),
    ("percent", "seconds"),
    ("µs", "hours"),
];

/// Behind these a sentence can be denied.
const VERBS: &[&str] = &[
    " is ",
    " are ",
    " was ",
    " were ",
    " can ",
    " will ",
    " must ",
    " should ",
    " does ",
    " has been ",
    " have been ",
];

const MONTHS: &[&str] = &[
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// Names to put in the place of others.
const NAMES: &[&str] = &["Fortran", "Kerberos", "Zanzibar", "Tokelau", "Brunhilde", "Xerxes"];

/// A claim of a kind and its source, where the sentence allows it.
pub(super) fn make(kind: Kind, sentence: &str, place: usize, documents: &[Document]) -> Option<(String, Document)> {
    let own = documents.get(place)?;
    let same = |claim: String| Some((claim, own.clone()));
    match kind {
        Kind::Verbatim => same(sentence.to_owned()),
        Kind::Paraphrase => same(paraphrase(sentence)?),
        Kind::NumberChanged => same(number(sentence, own)?),
        Kind::UnitChanged => same(unit(sentence)?),
        Kind::DateChanged => same(date(sentence, own)?),
        Kind::Negated => same(negate(sentence)?),
        Kind::EntitySwapped => same(swap(sentence, own)?),
        Kind::WrongSource => {
            let others = documents.iter().cycle().skip(place + 1).take(documents.len().saturating_sub(1));
            // What many documents say word for word, as licences do, has no wrong source.
            let stands =
                |other: &Document| other.text.split_whitespace().collect::<Vec<_>>().join(" ").contains(sentence);
            let other = others.into_iter().find(|other| other.title != own.title && !stands(other))?;
            Some((sentence.to_owned(), other.clone()))
        }
        Kind::Truncated => {
            // Sentences over several lines are found by their first words.
            let head: String = sentence.split_whitespace().take(4).collect::<Vec<_>>().join(" ");
            let at = own.text.find(sentence).or_else(|| own.text.find(&head))?;
            let before = own.text[..at].to_owned();
            (before.split_whitespace().count() >= 30)
                .then(|| (sentence.to_owned(), Document::new(own.title.clone(), before)))
        }
        Kind::Duplicate => {
            let words: Vec<&str> = own.text.split_whitespace().collect();
            // Set in narrow lines, with curly quotes, under another title.
            let lines: Vec<String> = words.chunks(7).map(|words| words.join(" ")).collect();
            let text = lines.join("\n").replace('\'', "’").replace("--", "—");
            Some((sentence.to_owned(), Document::new("As reported elsewhere", text)))
        }
    }
}

/// The sentence with up to two words replaced; none when it has no word to replace.
fn paraphrase(sentence: &str) -> Option<String> {
    let mut reworded = sentence.to_owned();
    let mut done = 0;
    for (word, other) in SYNONYMS {
        let (from, to) = (format!(" {word} "), format!(" {other} "));
        if done < 2 && reworded.contains(&from) {
            reworded = reworded.replacen(&from, &to, 1);
            done += 1;
        }
    }
    (done > 0).then_some(reworded)
}

/// The first whole number of two digits or more that stands alone, replaced. The day of a date becomes another day.
fn number(sentence: &str, own: &Document) -> Option<String> {
    let words: Vec<&str> = sentence.split(' ').collect();
    for (at, word) in words.iter().enumerate() {
        let digits = word.trim_matches(|c: char| matches!(c, ',' | '.' | '(' | ')' | ';' | ':'));
        let Ok(value) = digits.parse::<u64>() else { continue };
        if digits.len() < 2 || digits.starts_with('0') {
            continue;
        }
        let beside = [at.checked_sub(1), Some(at + 1)].into_iter().flatten().filter_map(|near| words.get(near));
        let day = value <= 31 && beside.into_iter().any(|word| MONTHS.contains(word));
        let next = |step: u64| if day { 10 + (value + step * 7) % 19 } else { value + step * 17 + 3 };
        let fits = |new: &u64| *new != value && !own.text.contains(&new.to_string());
        let new = (1..9).map(next).find(fits)?.to_string();
        let mut changed: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        changed[at] = word.replacen(digits, &new, 1);
        return Some(changed.join(" "));
    }
    None
}

/// The year of the first date, or behind "in", replaced.
fn date(sentence: &str, own: &Document) -> Option<String> {
    let words: Vec<&str> = sentence.split(' ').collect();
    let place = (1..words.len()).find(|&at| {
        let digits = words[at].trim_end_matches(['.', ',', ')', ';', ':']);
        let year = digits.len() == 4 && digits.parse::<u32>().is_ok_and(|year| (1700..2050).contains(&year));
        // "March 2020", "March 3, 2020", "in 2020"
        let month = (1..=3).any(|back| at >= back && MONTHS.contains(&words[at - back]));
        year && (words[at - 1] == "in" || month)
    })?;
    let year: u32 = words[place].get(..4)?.parse().ok()?;
    let new = (1..9).map(|step| year - step * 7).find(|new| !own.text.contains(&new.to_string()))?;
    let mut changed: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
    changed[place] = words[place].replacen(&year.to_string(), &new.to_string(), 1);
    Some(changed.join(" "))
}

/// The unit behind a number, replaced.
fn unit(sentence: &str) -> Option<String> {
    let words: Vec<&str> = sentence.split(' ').collect();
    for (index, pair) in words.windows(2).enumerate() {
        let number = !pair[0].is_empty() && pair[0].bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b','));
        let name = pair[1].trim_end_matches(['.', ',', ')', ';', ':']);
        let Some((_, other)) = UNITS.iter().find(|(unit, _)| *unit == name).filter(|_| number) else { continue };
        let mut changed: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        changed[index + 1] = pair[1].replacen(name, other, 1);
        return Some(changed.join(" "));
    }
    None
}

/// The sentence denied behind its first verb; none when it denies something already.
fn negate(sentence: &str) -> Option<String> {
    let lower = format!(" {} ", sentence.to_lowercase().trim_end_matches('.'));
    let denies =
        [" not ", " no ", "n't ", " never ", " without ", " nor ", " neither ", " none ", " cannot ", " only "];
    if denies.iter().any(|word| lower.contains(word)) {
        return None;
    }
    let (at, verb) = VERBS.iter().filter_map(|verb| sentence.find(verb).map(|at| (at, *verb))).min()?;
    let first = verb.trim_start().split(' ').next().unwrap_or_default().len() + 1;
    let end = at + first;
    Some(format!("{} not{}", &sentence[..end], &sentence[end..]))
}

/// A name within the sentence, replaced.
fn swap(sentence: &str, own: &Document) -> Option<String> {
    for word in sentence.split_whitespace().skip(1) {
        let name = word.trim_matches(|c: char| !c.is_alphanumeric());
        let is_name = name.len() >= 3
            && name.chars().all(|c| c.is_ascii_alphabetic())
            && name.starts_with(|c: char| c.is_uppercase())
            && !own.text.contains(&format!(" {} ", name.to_lowercase()));
        if is_name {
            let other = NAMES.iter().find(|other| !own.text.contains(**other))?;
            return Some(sentence.replacen(name, other, 1));
        }
    }
    None
}
