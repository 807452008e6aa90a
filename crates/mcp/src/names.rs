//! Names that every provider takes.

use std::collections::BTreeSet;

/// The longest name of a tool: providers take 64 characters.
pub(crate) const LONGEST: usize = 64;
/// How many letters of a hash tell shortened names apart.
const HASH: usize = 8;

/// A name of letters, digits, `_` and `-` alone, no longer than [`LONGEST`]: anything else becomes `_`, and a long name
/// ends with a hash of the whole.
pub(crate) fn fitted(name: &str) -> String {
    let mut fit = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_ascii_alphanumeric() || matches!(c, '_' | '-') {
            fit.push(c);
        } else if !fit.ends_with('_') {
            fit.push('_');
        }
    }
    if fit.chars().all(|c| c == '_') {
        fit = format!("tool_{}", hash(name));
    }
    // Some providers want a letter first.
    if !fit.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        fit = format!("tool_{fit}");
    }
    if fit.len() > LONGEST {
        fit.truncate(LONGEST - HASH - 1);
        fit = format!("{fit}_{}", hash(name));
    }
    fit
}

fn hash(name: &str) -> String {
    blake3::hash(name.as_bytes()).to_hex()[..HASH].to_owned()
}

/// Gives each (server, name) the name that the model calls. Names that clash with each other or with `taken` get the
/// server's name in front; what still clashes gets a number.
pub(crate) fn distinct(tools: &[(&str, &str)], taken: &BTreeSet<String>) -> Vec<String> {
    let plain: Vec<String> = tools.iter().map(|(_, name)| fitted(name)).collect();
    let clashes = |name: &String| taken.contains(name) || plain.iter().filter(|other| *other == name).count() > 1;
    let mut used = taken.clone();
    used.extend(plain.iter().filter(|name| !clashes(name)).cloned());
    let mut names = Vec::with_capacity(tools.len());
    for ((server, original), plain) in tools.iter().zip(&plain) {
        if !clashes(plain) {
            names.push(plain.clone());
            continue;
        }
        let wanted = fitted(&format!("{server}_{original}"));
        let mut name = wanted.clone();
        let mut number = 2_u32;
        while !used.insert(name.clone()) {
            let end = format!("_{number}");
            name = format!("{}{end}", &wanted[..wanted.len().min(LONGEST - end.len())]);
            number += 1;
        }
        names.push(name);
    }
    names
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_keep_what_providers_take() {
        for (name, expected) in [
            ("get-sum", "get-sum"),
            ("read_file", "read_file"),
            ("files/read.all", "files_read_all"),
            ("a  b", "a_b"),
            ("plan__step", "plan__step"),
            ("größe", "gr_e"),
            ("2fa_list", "tool_2fa_list"),
            ("-x", "tool_-x"),
        ] {
            assert_eq!(fitted(name), expected, "{name}");
        }
        assert_ne!(fitted("工具"), fitted("工作"));
        let long = "x".repeat(200);
        assert_eq!(fitted(&long).len(), LONGEST);
        assert_ne!(fitted(&long), fitted(&format!("{long}y")));
    }

    #[test]
    fn clashing_names_get_their_server_in_front() {
        let taken = BTreeSet::from(["search".to_owned()]);
        let tools = [("a", "read"), ("b", "read"), ("b", "write"), ("b", "search"), ("b", "x/y"), ("b", "x.y")];
        assert_eq!(distinct(&tools, &taken), ["a_read", "b_read", "write", "b_search", "b_x_y", "b_x_y_2"]);
    }

    proptest! {
        #[test]
        fn names_are_fit_and_distinct(tools in prop::collection::vec(("[a-c]{1,2}", ".{0,80}"), 0..30)) {
            let tools: Vec<(&str, &str)> = tools.iter().map(|(server, name)| (server.as_str(), name.as_str())).collect();
            let taken = BTreeSet::from(["a".to_owned(), "b_a".to_owned()]);
            let names = distinct(&tools, &taken);
            prop_assert_eq!(names.len(), tools.len());
            prop_assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len());
            for name in &names {
                prop_assert!(!name.is_empty() && name.len() <= LONGEST && !taken.contains(name), "{}", name);
                prop_assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-'), "{}", name);
            }
        }
    }
}
