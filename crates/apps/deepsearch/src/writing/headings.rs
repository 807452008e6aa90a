//! Headings of a section's text (study, section 3.1, step 6).

/// Brings a section's text into form: one heading of the first level, which is `title`; headings of the second and third
/// level without numbers; deeper headings as bold list items; no list of references, which the report has at its end.
/// Lines inside code fences stay as they are.
pub fn clean_headings(title: &str, text: &str) -> String {
    let mut lines: Vec<String> = vec![format!("# {title}"), String::new()];
    let mut fence: Option<&str> = None;
    let mut in_references = false;
    let mut said_anything = false;
    for line in text.lines() {
        let trimmed = line.trim_start();
        if let Some(open) = fence {
            if trimmed.starts_with(open) {
                fence = None;
            }
            if !in_references {
                lines.push(line.to_owned());
            }
            continue;
        }
        fence = ["```", "~~~"].into_iter().find(|mark| trimmed.starts_with(mark));
        let Some((level, heading)) = heading(line) else {
            if !in_references && (said_anything || !line.trim().is_empty()) {
                said_anything = true;
                lines.push(line.trim_end().to_owned());
            }
            continue;
        };
        let plain = without_number(heading);
        in_references = is_references(plain);
        if in_references || plain.is_empty() {
            continue;
        }
        let is_title = level == 1 || (!said_anything && plain.eq_ignore_ascii_case(title));
        if is_title && (plain.eq_ignore_ascii_case(title) || !said_anything) {
            // The text's own title, maybe in other words: the outline's stands.
            continue;
        }
        said_anything = true;
        lines.push(match level {
            1 | 2 => format!("## {plain}"),
            3 => format!("### {plain}"),
            _ => format!("- **{plain}**"),
        });
    }
    while lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
    lines.join("\n")
}

/// The level and text of a heading line.
fn heading(line: &str) -> Option<(usize, &str)> {
    // Four spaces make code of it.
    if line.starts_with("    ") || line.starts_with('\t') {
        return None;
    }
    let line = line.trim_start();
    let level = line.bytes().take_while(|b| *b == b'#').count();
    let rest = line.get(level..)?;
    let is_heading = (1..=6).contains(&level) && (rest.is_empty() || rest.starts_with([' ', '\t']));
    is_heading.then(|| (level, rest.trim().trim_end_matches('#').trim_end()))
}

/// A heading without `1.`, `1.2`, `2)`, `三、` or `(4)` before it, and without emphasis around it.
fn without_number(heading: &str) -> &str {
    let heading = heading.trim().trim_matches('*').trim();
    let body = heading.trim_start_matches(['(', '（']);
    let is_digit = |c: char| c.is_ascii_digit() || matches!(c, '.' | '一' | '二' | '三' | '四' | '五' | '六' | '七' | '八' | '九' | '十');
    let rest = body.trim_start_matches(is_digit);
    let number = &body[..body.len() - rest.len()];
    if number.is_empty() {
        return heading;
    }
    let after = rest.trim_start_matches(['.', '、', ')', '）', ':', '：']);
    let closed = after.len() < rest.len() || number.ends_with('.') || number.contains('.');
    // "2024 in review" begins with a number that is no numbering; "2 Review" does not.
    let plain = number.len() <= 2 && rest.starts_with(' ') && number.bytes().all(|b| b.is_ascii_digit());
    if (closed || plain) && !after.trim().is_empty() { after.trim() } else { heading }
}

fn is_references(heading: &str) -> bool {
    let heading = heading.trim_end_matches([':', '：']).to_lowercase();
    ["references", "reference", "reference articles", "sources", "bibliography", "参考文章", "参考文献", "参考资料"]
        .contains(&heading.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_numbers_and_references() {
        let given = "# 3. The Log\n\nFirst.\n\n## 3.1 Before\n\na\n\n### 1) Inner ##\n\n#### 3.1.1.1 Deep\nb\n\n\
                     ```sh\n# comment\n```\n\n## 二、后来\n\nc\n\n## 2024 in review\n\nd\n\n## References\n\n[1] x\n```\n# y\n```\n";
        let expected = "# The log\n\nFirst.\n\n## Before\n\na\n\n### Inner\n\n- **Deep**\nb\n\n```sh\n# comment\n```\n\n\
                        ## 后来\n\nc\n\n## 2024 in review\n\nd";
        assert_eq!(clean_headings("The log", given), expected);
    }

    #[test]
    fn a_text_without_headings_gets_its_title() {
        assert_eq!(clean_headings("T", "\n\nJust text.\n"), "# T\n\nJust text.");
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
