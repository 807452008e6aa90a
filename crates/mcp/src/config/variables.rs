//! Variables in the texts of a file.

/// A text with its variables filled in: `${NAME}`, `${NAME:-DEFAULT}` where the variable is not set or is empty, and
/// `${env:NAME}`. A `$` before anything but `{` is kept.
///
/// # Errors
/// What is wrong, without any value.
pub(super) fn filled(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        out.push_str(before);
        let Some((inside, after)) = after.split_once('}') else {
            return Err("a `${` has no `}`".to_owned());
        };
        let inside = inside.strip_prefix("env:").unwrap_or(inside);
        let (name, default) = match inside.split_once(":-") {
            Some((name, default)) => (name, Some(default)),
            None => (inside, None),
        };
        let named = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.is_empty() || !name.chars().all(named) {
            return Err(format!("`${{{inside}}}` names no variable of the environment; write `${{NAME}}`"));
        }
        match (variable(name), default) {
            (Some(value), None) => out.push_str(&value),
            (Some(value), Some(_)) if !value.is_empty() => out.push_str(&value),
            (_, Some(default)) => out.push_str(default),
            (None, None) => {
                return Err(format!("the variable `{name}` is not set; set it, or write `${{{name}:-DEFAULT}}`"));
            }
        }
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_filled_in_and_what_is_missing_is_named() {
        let variable = |name: &str| match name {
            "HOME" => Some("/home/me".to_owned()),
            "EMPTY" => Some(String::new()),
            _ => None,
        };
        for (text, expected) in [
            ("no variable", Ok("no variable")),
            ("${HOME}/notes", Ok("/home/me/notes")),
            ("${env:HOME}${HOME}", Ok("/home/me/home/me")),
            ("${NONE:-x}y", Ok("xy")),
            ("${EMPTY:-x}", Ok("x")),
            ("${EMPTY}", Ok("")),
            ("${HOME:-x}", Ok("/home/me")),
            ("cost: $5 and $HOME", Ok("cost: $5 and $HOME")),
            ("${NONE}", Err("`NONE` is not set")),
            ("${HOME", Err("has no `}`")),
            ("${input:key}", Err("names no variable")),
            ("${}", Err("names no variable")),
        ] {
            match (filled(text, &variable), expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, expected, "{text}"),
                (Err(found), Err(part)) => assert!(found.contains(part), "{text}: {found}"),
                (found, _) => panic!("{text}: {found:?}"),
            }
        }
    }
}
