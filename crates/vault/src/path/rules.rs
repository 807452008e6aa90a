//! Which names a file of a vault may have.

/// The most bytes a file name may have: the limit of the usual file systems, with room for a temporary suffix.
pub(crate) const NAME_LIMIT: usize = 200;
/// The most bytes a whole path may have.
pub(crate) const PATH_LIMIT: usize = 900;

/// Characters that Windows forbids in names.
const ILLEGAL_ON_WINDOWS: &[char] = &['*', '"', '\\', '<', '>', ':', '|', '?'];
/// Characters that have a meaning inside a wikilink.
const BREAKS_LINKS: &[char] = &['#', '^', '[', ']'];

const RESERVED: &[&str] = &[
    "con", "prn", "aux", "nul", "com0", "com1", "com2", "com3", "com4", "com5", "com6", "com7", "com8", "com9", "lpt0",
    "lpt1", "lpt2", "lpt3", "lpt4", "lpt5", "lpt6", "lpt7", "lpt8", "lpt9",
];

/// Whether a name may not hold this character.
pub(crate) fn is_illegal(c: char) -> bool {
    c == '/' || c.is_control() || is_invisible(c) || ILLEGAL_ON_WINDOWS.contains(&c) || BREAKS_LINKS.contains(&c)
}

/// Characters that cannot be seen and can turn the direction of the text: a name with them is not what it looks like.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200B}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
        || matches!(c, '\u{2028}' | '\u{2029}')
}

/// What keeps a file that is there from being named at all, in words. Only what leads elsewhere, is hidden, or cannot stand
/// in a line of text: a file that another program made may have any other name.
pub(crate) fn unnameable(part: &str) -> Option<String> {
    if part.is_empty() {
        return Some("it has an empty part; write one `/` between folders and none at the ends".to_owned());
    }
    if part == "." || part == ".." {
        return Some(format!("`{part}` would lead elsewhere; write the path from the vault's root"));
    }
    if part.starts_with('.') {
        return Some(format!("`{part}` is hidden, and hidden files belong to other programs; leave out the first `.`"));
    }
    if let Some(c) = part.chars().find(|c| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}')) {
        return Some(format!("it holds the control character U+{:04X}; give it another name", u32::from(c)));
    }
    // There these are no characters of a name: they lead to another folder, drive or stream.
    let leads_elsewhere = |c: char| cfg!(windows) && matches!(c, '\\' | ':');
    part.contains(leads_elsewhere).then(|| "it holds `\\` or `:`, which lead elsewhere on this system".to_owned())
}

/// Whether the name, without its ending, is a device on Windows.
pub(crate) fn is_reserved(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name).trim_end();
    RESERVED.iter().any(|reserved| stem.eq_ignore_ascii_case(reserved))
}

/// The rule for new names that one part of a path breaks, in words.
pub(crate) fn broken_rule(part: &str) -> Option<String> {
    if let Some(reason) = unnameable(part) {
        return Some(reason);
    }
    if let Some(c) = part.chars().find(|c| is_illegal(*c)) {
        return Some(if c.is_control() || is_invisible(c) {
            format!("it holds the invisible character U+{:04X}; leave it out", u32::from(c))
        } else {
            format!("it holds `{c}`, which breaks links or is forbidden on some systems; leave it out")
        });
    }
    if part.ends_with('.') || part.ends_with(' ') || part.starts_with(' ') {
        return Some(format!("`{part}` starts with a space, or ends with a space or a dot; leave it out"));
    }
    if is_reserved(part) {
        return Some(format!("`{part}` is the name of a device on Windows; choose another"));
    }
    if part.len() > NAME_LIMIT {
        return Some(format!("a name has {} bytes, more than {NAME_LIMIT}; choose a shorter one", part.len()));
    }
    None
}
