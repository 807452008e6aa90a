//! Headings of a section's text.

use crate::markup::{heading, lines, without_number, without_references};

/// Brings a section's text into form: one heading of the first level, which is `title`; headings of the second and third
/// level without numbers; deeper headings as bold list items; no list of references, which the report has at its end.
/// Code, formulas and quotations stay as they are. The report's numbers are given by
/// [`renumber`](crate::report::renumber).
pub fn clean_headings(title: &str, text: &str) -> String {
    let title = without_number(title);
    let text = without_references(text);
    let mut out: Vec<String> = vec![format!("# {title}"), String::new()];
    let mut said_anything = false;
    for (line, plain) in lines(&text) {
        let Some((level, name)) = heading(line).filter(|_| plain) else {
            if said_anything || !line.trim().is_empty() {
                said_anything = true;
                out.push(line.trim_end().to_owned());
            }
            continue;
        };
        let name = without_number(name.trim_matches(['*', '#', ' ']));
        // The text's own title, maybe in other words or on another level: the outline's stands.
        let is_title = name.eq_ignore_ascii_case(title) || level == 1;
        if name.is_empty() || (is_title && !said_anything) {
            continue;
        }
        said_anything = true;
        out.push(match level {
            1 | 2 => format!("## {name}"),
            3 => format!("### {name}"),
            _ => format!("- **{name}**"),
        });
    }
    while out.last().is_some_and(|line| line.trim().is_empty()) {
        out.pop();
    }
    out.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_numbers_and_references() {
        let given = "# 3. The Log\n\nFirst.\n\n## 3.1 Before\n\na\n\n### 1. Inner ##\n\n#### 3.1.1.1 Deep\nb\n\n\
                     ```sh\n# comment\n```\n\n## 2024 in review\n\nd\n\n## References\n\n[1] x\n";
        let expected = "# The log\n\nFirst.\n\n## Before\n\na\n\n### Inner\n\n- **Deep**\nb\n\n```sh\n# comment\n```\n\n\
                        ## 2024 in review\n\nd";
        assert_eq!(clean_headings("The log", given), expected);
    }

    #[test]
    fn a_text_without_headings_gets_its_title() {
        assert_eq!(clean_headings("2. T", "\n\nJust text.\n"), "# T\n\nJust text.");
        assert_eq!(clean_headings("T", "## T\n\ntext"), "# T\n\ntext", "a title of the wrong level");
        assert_eq!(clean_headings("T", "text\n\n# Other\n\nmore"), "# T\n\ntext\n\n## Other\n\nmore");
    }

    #[test]
    fn it_is_stable() {
        for given in ["# A\n\n## 1.1 b\n\nc", "x", "## 2 Review\n\ny\n\n##### z"] {
            let once = clean_headings("A", given);
            assert_eq!(clean_headings("A", &once), once);
        }
    }
}
