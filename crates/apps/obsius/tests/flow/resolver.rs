//! What a link leads to, by the rules in the guide, written anew for the tests: nothing of the crate is used.

use std::collections::BTreeSet;

/// How a target is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Wiki,
    DoubleQuoted,
    SingleQuoted,
    Percent,
    Angle,
    Json,
    Card,
    CardSingleQuoted,
}

/// The names of these tests with their accents composed.
pub(crate) fn composed(text: &str) -> String {
    text.replace("e\u{301}", "é").replace("E\u{301}", "É").replace("か\u{3099}", "が")
}

/// The target that some characters stand for.
pub(crate) fn decoded(form: Form, written: &str) -> String {
    match form {
        Form::Wiki => written.to_owned(),
        Form::SingleQuoted | Form::CardSingleQuoted => written.replace("''", "'"),
        Form::DoubleQuoted | Form::Json | Form::Card => written.replace("\\\"", "\"").replace("\\\\", "\\"),
        Form::Percent | Form::Angle => {
            let (mut bytes, mut rest) = (Vec::new(), written.as_bytes());
            while let [first, more @ ..] = rest {
                let code = more.get(..2).filter(|_| *first == b'%').and_then(|hex| std::str::from_utf8(hex).ok());
                match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
                    Some(byte) => {
                        bytes.push(byte);
                        rest = &more[2..];
                    }
                    None => {
                        bytes.push(*first);
                        rest = more;
                    }
                }
            }
            String::from_utf8(bytes).unwrap()
        }
    }
}

/// The file that a target in a note of a folder leads to.
pub(crate) fn resolve(files: &BTreeSet<String>, folder: &str, target: &str, form: Form) -> Option<String> {
    let target = composed(target);
    let at = |path: &str| {
        let wanted = [path.to_lowercase(), format!("{}.md", path.to_lowercase())];
        let same = |wanted: &str| files.iter().find(|file| file.to_lowercase() == wanted).cloned();
        same(&wanted[0]).or_else(|| same(&wanted[1]))
    };
    if matches!(form, Form::Card | Form::CardSingleQuoted) {
        return files.iter().find(|file| file.to_lowercase() == target.to_lowercase()).cloned();
    }
    if let Some(rest) = target.strip_prefix('/') {
        return at(rest);
    }
    let explicit = target.starts_with("./") || target.starts_with("../");
    if explicit || matches!(form, Form::Percent | Form::Angle) {
        let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
        let mut inside = true;
        for part in target.split('/') {
            match part {
                "." | "" => {}
                ".." => inside &= parts.pop().is_some(),
                part => parts.push(part),
            }
        }
        let found = if inside { at(&parts.join("/")) } else { None };
        if explicit || found.is_some() {
            return found;
        }
    }
    if target.contains('/')
        && let Some(found) = at(&target)
    {
        return Some(found);
    }
    // Every file whose path ends so: one at the root first, then those below the folder, then the shortest.
    for wanted in [target.to_lowercase(), format!("{}.md", target.to_lowercase())] {
        let ends = |file: &&String| {
            let file = file.to_lowercase();
            file == wanted || file.ends_with(&format!("/{wanted}"))
        };
        let below = |file: &str| folder.is_empty() || file.starts_with(&format!("{folder}/"));
        let mut found: Vec<&String> = files.iter().filter(ends).collect();
        found.sort_by_key(|file| (file.contains('/'), !below(file), file.chars().count(), file.as_str()));
        if let Some(first) = found.first() {
            return Some((*first).clone());
        }
    }
    None
}
