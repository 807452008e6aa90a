//! TeX in the titles that sources give: mathematics, accents, and characters with a backslash before them.

use unicode_normalization::UnicodeNormalization;

/// A part of a title.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// Words, in Unicode: `Poincar{\'e}` is `Poincaré`.
    Text(String),
    /// Mathematics, with its dollars.
    Math(String),
}

/// Takes a title apart. What is no TeX that is understood stays text as it is.
pub(super) fn parts(title: &str) -> Vec<Part> {
    let mut parts = Vec::new();
    let (mut text, mut rest) = (String::new(), title);
    while let Some(first) = rest.chars().next() {
        if let Some(length) = math(rest) {
            parts.push(Part::Text(std::mem::take(&mut text)));
            parts.push(Part::Math(rest[..length].to_owned()));
            rest = &rest[length..];
        } else if let Some((meant, length)) = command(rest) {
            text.push_str(&meant);
            rest = &rest[length..];
        } else {
            text.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    parts.push(Part::Text(text));
    parts.retain(|part| *part != Part::Text(String::new()));
    parts
}

/// The length of the formula that a text begins with. A dollar before a space or a digit is money.
fn math(text: &str) -> Option<usize> {
    let inside = text.strip_prefix('$')?;
    let length = inside.find('$')?;
    let (formula, behind) = (&inside[..length], &inside[length + 1..]);
    let spaced =
        formula.is_empty() || formula.starts_with(char::is_whitespace) || formula.ends_with(char::is_whitespace);
    let money = behind.starts_with(|c: char| c.is_ascii_digit());
    // What TeX or BibTeX would stumble over.
    let strange = |c: char| c.is_control() || "%#&~\"@".contains(c);
    let fits = !spaced && !money && !formula.contains(strange) && !formula.ends_with('\\') && balanced(formula);
    fits.then_some(length + 2)
}

/// Whether each brace of a formula has its other one, also when those after a backslash count, as they do for BibTeX.
fn balanced(formula: &str) -> bool {
    let mut depth = 0_usize;
    for c in formula.chars() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => return false,
            '}' => depth -= 1,
            _ => {}
        }
    }
    depth == 0
}

/// The character that a text begins with as a command, such as `\&`, `\'e` or `{\ss}`, and the length of the command.
fn command(text: &str) -> Option<(String, usize)> {
    if let Some(group) = text.strip_prefix('{') {
        let (meant, length) = bare(group)?;
        return group[length..].starts_with('}').then_some((meant, length + 2));
    }
    bare(text)
}

fn bare(text: &str) -> Option<(String, usize)> {
    let name = text.strip_prefix('\\')?;
    let first = name.chars().next()?;
    if "&%$#_".contains(first) {
        return Some((first.to_string(), 2));
    }
    if let Some(mark) = mark(first).filter(|_| !first.is_ascii_alphabetic()) {
        let (letter, length) = letter(&name[1..])?;
        return Some(([letter, mark].into_iter().nfc().collect(), 2 + length));
    }
    let length = name.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(name.len());
    if let Some(letter) = letter_of(&name[..length]) {
        // A space behind the name of a letter only ends the name.
        let space = usize::from(name[length..].starts_with(' '));
        return Some((letter.to_owned(), 1 + length + space));
    }
    let mark = mark(first).filter(|_| length == 1)?;
    let behind = &name[1..];
    let space = usize::from(behind.starts_with(' '));
    let (letter, more) = letter(&behind[space..])?;
    Some(([letter, mark].into_iter().nfc().collect(), 2 + space + more))
}

/// A letter, with or without braces around it; `\i` and `\j` stand for their letters with a dot.
fn letter(text: &str) -> Option<(char, usize)> {
    if let Some(group) = text.strip_prefix('{') {
        let (letter, length) = letter(group)?;
        return group[length..].starts_with('}').then_some((letter, length + 2));
    }
    for (dotless, letter) in [("\\i", 'i'), ("\\j", 'j')] {
        if text.strip_prefix(dotless).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphabetic())) {
            return Some((letter, 2));
        }
    }
    let letter = text.chars().next().filter(char::is_ascii_alphabetic)?;
    Some((letter, 1))
}

/// The mark that a command puts on a letter.
fn mark(command: char) -> Option<char> {
    Some(match command {
        '`' => '\u{300}',
        '\'' => '\u{301}',
        '^' => '\u{302}',
        '~' => '\u{303}',
        '=' => '\u{304}',
        'u' => '\u{306}',
        '.' => '\u{307}',
        '"' => '\u{308}',
        'r' => '\u{30a}',
        'H' => '\u{30b}',
        'v' => '\u{30c}',
        'c' => '\u{327}',
        'k' => '\u{328}',
        _ => return None,
    })
}

fn letter_of(command: &str) -> Option<&'static str> {
    Some(match command {
        "ss" => "ß",
        "ae" => "æ",
        "AE" => "Æ",
        "oe" => "œ",
        "OE" => "Œ",
        "o" => "ø",
        "O" => "Ø",
        "aa" => "å",
        "AA" => "Å",
        "l" => "ł",
        "L" => "Ł",
        "i" => "ı",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mathematics_accents_and_what_is_neither() {
        let text = |text: &str| Part::Text(text.to_owned());
        let math = |text: &str| Part::Math(text.to_owned());
        for (title, expected) in [
            ("An $\\alpha$-stable law", vec![text("An "), math("$\\alpha$"), text("-stable law")]),
            ("Poincar{\\'e} and Erd\\H{o}s \\& G\\\"odel", vec![text("Poincaré and Erdős & Gödel")]),
            ("\\v{C}ech, Stra{\\ss}e, na\\\"{\\i}ve, \\c c", vec![text("Čech, Straße, naïve, ç")]),
            ("From $5 to $10 a day", vec![text("From $5 to $10 a day")]),
            ("Between $5$10", vec![text("Between $5$10")]),
            ("Sets {x | x in A", vec![text("Sets {x | x in A")]),
            ("Odd $x_{1$ and \\foo", vec![text("Odd $x_{1$ and \\foo")]),
        ] {
            assert_eq!(parts(title), expected, "{title}");
        }
    }
}
