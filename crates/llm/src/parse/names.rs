//! The name of a tool as a model writes it.

/// The name in what a model writes in the place of one, without spaces around it and without what its template has left of
/// its marks: `clock<|channel|>commentary`, `<|channel|>commentary to=functions.clock <|constrain|>json`.
pub fn tool_name(written: &str) -> &str {
    let written = written.trim();
    if !written.contains("<|") {
        return written;
    }
    let addressed = written.split_once("to=").map(|(_, name)| name);
    let until_mark = |text: &str| text.find("<|").unwrap_or(text.len());
    if let Some(name) = addressed {
        let name = &name[..until_mark(name)];
        return name.split_whitespace().next().unwrap_or_default();
    }
    // Between marks stands the name, and behind a mark of a channel or a form that of the channel or form.
    let mut rest = written;
    loop {
        let end = until_mark(rest);
        let name = rest[..end].trim();
        if !name.is_empty() && !CHANNELS.contains(&name) {
            return name.split_whitespace().next().unwrap_or(name);
        }
        match rest[end..].split_once("|>") {
            Some((_, after)) => rest = after,
            None => return written,
        }
    }
}

/// What stands between marks and is no name.
const CHANNELS: [&str; 7] = ["commentary", "analysis", "final", "json", "assistant", "system", "user"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_templates_are_no_part_of_a_name() {
        for (written, name) in [
            ("clock", "clock"),
            (" clock ", "clock"),
            ("functions.clock", "functions.clock"),
            ("clock<|channel|>commentary", "clock"),
            ("clock<|channel|>", "clock"),
            ("functions.clock<|constrain|>json", "functions.clock"),
            ("<|channel|>commentary to=functions.clock <|constrain|>json", "functions.clock"),
            ("assistant<|channel|>commentary to=clock", "clock"),
            ("<|start|>clock<|message|>", "clock"),
            ("<|channel|>commentary<|message|>clock", "clock"),
            ("<|channel", "<|channel"),
        ] {
            assert_eq!(tool_name(written), name, "{written}");
        }
    }
}
