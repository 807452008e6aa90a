//! Numbers of headings.

use graphloom_text::markdown::prose_lines;

/// The lines of a Markdown text, each with whether it is plain text: no fenced or indented code, no formula, no comment, no
/// quotation.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (&str, bool)> {
    prose_lines(text).into_iter().map(|(line, plain)| {
        let indented = line.starts_with("    ") || line.starts_with('\t');
        (line, plain && !indented)
    })
}

/// Level and text of a heading.
pub(crate) fn heading(line: &str) -> Option<(usize, &str)> {
    let level = line.len() - line.trim_start_matches('#').len();
    let rest = &line[level..];
    ((1..=6).contains(&level) && (rest.starts_with(' ') || rest.is_empty())).then(|| (level, rest.trim()))
}

/// A heading without the number before it: `2.1 Costs` is `Costs`, `3 levels` too; `2024 in review` keeps its year.
pub(crate) fn without_number(title: &str) -> &str {
    let title = title.trim();
    let end = title.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(title.len());
    let (number, rest) = title.split_at(end);
    let parts: Vec<&str> = number.trim_end_matches('.').split('.').collect();
    let small = parts.iter().all(|part| (1..=2).contains(&part.len()));
    let apart = rest.starts_with([' ', '、', ')', '\u{3000}']);
    if number.is_empty() || !small || !apart || rest.trim().is_empty() {
        return title;
    }
    rest.trim_start_matches(['、', ')']).trim()
}

/// Gives the headings of a chapter their numbers: `# N. `, `## N.1 `, `### N.1.1 `; deeper ones become bold lines. Its
/// first heading of level 1 is its title, made when it is missing; further ones are level 2. Code, formulas and
/// quotations are left alone.
pub fn renumber(number: usize, title: &str, text: &str) -> String {
    let mut out = format!("# {number}. {}\n", without_number(title));
    let (mut second, mut third) = (0, 0);
    let mut titled = false;
    for (line, plain) in lines(text.trim()) {
        let Some((level, name)) = heading(line).filter(|_| plain) else {
            // What comes before any heading belongs under the title.
            titled |= !line.trim().is_empty();
            out.push_str(line);
            out.push('\n');
            continue;
        };
        let name = without_number(name);
        match level {
            1 if !titled => {}
            1 | 2 => {
                second += 1;
                third = 0;
                out.push_str(&format!("## {number}.{second} {name}\n"));
            }
            3 => {
                // A third level without a second is one of the second.
                if second == 0 {
                    second = 1;
                    out.push_str(&format!("## {number}.{second} {name}\n"));
                } else {
                    third += 1;
                    out.push_str(&format!("### {number}.{second}.{third} {name}\n"));
                }
            }
            _ => out.push_str(&format!("**{name}**\n")),
        }
        titled = true;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_before_titles_are_found() {
        for (title, bare) in [
            ("2.1 Costs", "Costs"),
            ("2. Costs", "Costs"),
            ("2 Costs", "Costs"),
            ("2.1.3. Costs", "Costs"),
            ("1、成本", "成本"),
            ("2024 in review", "2024 in review"),
            ("3D printing", "3D printing"),
            ("42", "42"),
            ("Costs 2", "Costs 2"),
        ] {
            assert_eq!(without_number(title), bare, "{title}");
        }
    }

    #[test]
    fn headings_get_the_numbers_of_their_place() {
        let text = "# 7 Old title\nIntro\n## 1.1 First\n```sh\n# a comment\n```\n### 9 Deep\n#### Deeper\n$$\n# x\n$$\n> # quoted\n    # indented\n## Second\n### Under";
        let expected = "# 3. Title\nIntro\n## 3.1 First\n```sh\n# a comment\n```\n### 3.1.1 Deep\n**Deeper**\n$$\n# x\n$$\n> # quoted\n    # indented\n## 3.2 Second\n### 3.2.1 Under\n";
        assert_eq!(renumber(3, "3 Title", text), expected);
    }

    #[test]
    fn a_second_title_is_no_title() {
        assert_eq!(renumber(1, "T", "Words\n# More\nand"), "# 1. T\nWords\n## 1.1 More\nand\n");
        assert_eq!(renumber(1, "T", "# T\n# U"), "# 1. T\n## 1.1 U\n");
        assert_eq!(renumber(2, "T", ""), "# 2. T\n");
    }
}
