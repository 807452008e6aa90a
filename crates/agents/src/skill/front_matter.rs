//! The front matter of a skill.

use saphyr_parser::{Event, Parser};

/// The fields of a skill that this program reads. `license`, `compatibility`, `metadata` and `allowed-tools` change nothing here.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct FrontMatter {
    pub(super) name: Option<String>,
    pub(super) description: Option<String>,
}

/// Cuts a file into its front matter and what follows.
///
/// # Errors
/// There is no front matter.
pub(super) fn parted(text: &str) -> Result<(FrontMatter, &str), &'static str> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let first = text.lines().next().unwrap_or_default();
    if first.trim_end() != "---" {
        return Err("its `SKILL.md` does not begin with front matter, a line `---`");
    }
    let from = text.find('\n').map_or(text.len(), |end| end + 1);
    let mut at = from;
    for line in text[from..].split_inclusive('\n') {
        if line.trim_end() == "---" {
            return Ok((read(&text[from..at]), &text[at + line.len()..]));
        }
        at += line.len();
    }
    Err("the front matter of its `SKILL.md` has no end, a line `---`")
}

/// Reads the fields: as YAML, or line by line where it is none, as with a colon in a description without quotation marks.
fn read(source: &str) -> FrontMatter {
    yaml(source).unwrap_or_else(|| lines(source))
}

fn yaml(source: &str) -> Option<FrontMatter> {
    let mut found = FrontMatter::default();
    let mut depth = 0_usize;
    // The key whose value comes next, of the outermost map.
    let mut key: Option<String> = None;
    for event in Parser::new_from_str(source) {
        match event.ok()?.0 {
            Event::MappingStart(..) | Event::SequenceStart(..) => depth += 1,
            Event::MappingEnd | Event::SequenceEnd => {
                depth = depth.checked_sub(1)?;
                if depth == 1 {
                    key = None;
                }
            }
            Event::Alias(_) if depth == 1 => key = None,
            Event::Scalar(value, ..) if depth == 1 => match key.take() {
                None => key = Some(value.into_owned()),
                Some(key) => found.set(&key, &value),
            },
            _ => {}
        }
    }
    found.name.is_some().then_some(found)
}

fn lines(source: &str) -> FrontMatter {
    let mut found = FrontMatter::default();
    for line in source.lines() {
        if let Some((key, value)) = line.split_once(':') {
            found.set(key, value);
        }
    }
    found
}

impl FrontMatter {
    fn set(&mut self, key: &str, value: &str) {
        let value = value.trim();
        let field = match key {
            "name" => &mut self.name,
            "description" => &mut self.description,
            _ => return,
        };
        if !value.is_empty() {
            field.get_or_insert_with(|| value.to_owned());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_descriptions_are_read() {
        for (source, name, description) in [
            ("name: pdf\ndescription: Reads PDF files.\n", Some("pdf"), Some("Reads PDF files.")),
            ("description: >-\n  Reads\n  PDF files.\nname: \"pdf\"\n", Some("pdf"), Some("Reads PDF files.")),
            ("name: pdf\ndescription: |-\n  One.\n  Two.\n", Some("pdf"), Some("One.\nTwo.")),
            ("metadata:\n  name: other\n  tags: [name, x]\nname: pdf\ndescription: A\n", Some("pdf"), Some("A")),
            // No YAML, as many write it.
            ("name: pdf\ndescription: Use when: a PDF comes\n", Some("pdf"), Some("Use when: a PDF comes")),
            ("name:\ndescription:\n", None, None),
            ("", None, None),
        ] {
            let text = format!("---\n{source}---\nDo it.\n");
            let (found, body) = parted(&text).unwrap();
            assert_eq!((found.name.as_deref(), found.description.as_deref()), (name, description), "{source}");
            assert_eq!(body, "Do it.\n");
        }
        assert_eq!(parted("\u{feff}---\r\nname: a\r\n---\r\nb").unwrap().1, "b");
        assert!(parted("# A heading\n").is_err() && parted("---\nname: a\n").is_err() && parted("").is_err());
    }
}
