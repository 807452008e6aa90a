//! The outline of one section: a title and at most four subtitles (prompt `sub_section_outline` of openJiuwen DeepSearch).

use graphloom_core_graph::NodeError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::WritingContext;
use crate::ask::{Ask, text};
use crate::resources::{Slot, Stage};

/// The most subtitles.
const MOST: usize = 4;
/// The longest title, in characters.
const LONGEST: usize = 160;

/// The outline of a section.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[non_exhaustive]
pub struct SectionOutline {
    /// The title.
    pub title: String,
    /// The subtitles; none for a section without parts.
    pub subtitles: Vec<String>,
}

impl SectionOutline {
    /// A section without parts.
    pub(crate) fn of_title(title: &str) -> Self {
        Self { title: title.to_owned(), subtitles: Vec::new() }
    }
}

/// Reads lines `N title` and `N.i subtitle`, where `N` is the number of the section.
///
/// # Errors
/// What is wrong, for the model: no title first, a third level, numbers that do not follow, more than four subtitles,
/// lines that are none of both.
pub fn check_outline(section: &str, given: &str) -> Result<SectionOutline, String> {
    let mut outline = SectionOutline::default();
    let fence = |line: &&str| !line.is_empty() && !line.starts_with("```");
    for line in given.lines().map(str::trim).filter(fence) {
        let line = line.trim_start_matches(['#', '*', '-', ' ']).trim_end_matches('*').trim();
        let (number, title) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let number = number.trim_end_matches(['.', '、', ')']);
        let title: String = title.split_whitespace().collect::<Vec<_>>().join(" ");
        let levels: Vec<&str> = number.split('.').collect();
        let is_number = levels.iter().all(|level| !level.is_empty() && level.bytes().all(|b| b.is_ascii_digit()));
        if !is_number {
            return Err(format!(
                "the line `{}` has no number; lines are `{section} title` and `{section}.1 subtitle`",
                cut(line)
            ));
        }
        if levels[0] != section {
            return Err(format!("the line `{}` is not of section {section}", cut(line)));
        }
        if title.is_empty() || title.chars().count() > LONGEST {
            return Err(format!("the title of `{number}` is empty or longer than {LONGEST} characters"));
        }
        match levels.as_slice() {
            [_] if outline.title.is_empty() && outline.subtitles.is_empty() => outline.title = title,
            [_] => return Err(format!("`{number}` is there twice; there is one title")),
            [_, _] if outline.title.is_empty() => return Err(format!("the title `{section} …` comes first")),
            [_, place] => {
                let next = outline.subtitles.len() + 1;
                if *place != next.to_string() {
                    return Err(format!("`{number}` stands where `{section}.{next}` should"));
                }
                if next > MOST {
                    return Err(format!("there are more than {MOST} subtitles"));
                }
                outline.subtitles.push(title);
            }
            _ => return Err(format!("`{number}` is a third level; there are two")),
        }
    }
    if outline.title.is_empty() { Err("there is no title".to_owned()) } else { Ok(outline) }
}

fn cut(line: &str) -> String {
    line.chars().take(60).collect()
}

/// The outline of the section, and a note where no model could make it. It has a title only then.
///
/// # Errors
/// Only errors that no model caused.
pub(crate) async fn section_outline(
    context: WritingContext<'_>,
) -> Result<(SectionOutline, Option<String>), NodeError> {
    let WritingContext { cx, brief, documents, .. } = context;
    let section = &brief.section;
    let alone = SectionOutline::of_title(&section.title);
    if !cx.resources().may_spend(Stage::Writing) {
        let note = format!("section {}: it has no subtitles, the budget of writing is spent", section.id);
        return Ok((alone, Some(note)));
    }
    let args = json!({
        "language": brief.language.as_str(),
        "section_idx": section.id,
        "section_title": section.title,
        "section_description": section.description,
        "report_title": brief.report_title,
        "query": brief.query,
        "report_template": brief.report_template,
        "background": brief.parents,
        "titles": documents.iter().map(|found| found.title.as_str()).collect::<Vec<_>>(),
    });
    let ask = Ask::new("outline", "sub_section_outline")
        .slot(Slot::WritingChecking)
        .tries(brief.config.report_max_generate_retry_num);
    // The title is the outline's, which other sections and the reader know.
    let take = |given: &str| {
        check_outline(&section.id, given).map(|outline| SectionOutline { title: section.title.clone(), ..outline })
    };
    let answer = text(cx, &ask, &args, take).await?;
    Ok(match answer {
        Ok(outline) => (outline, None),
        Err(failure) => (alone, Some(format!("section {}: it has no subtitles: {failure}", section.id))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_levels_are_read() {
        let outline = check_outline("3", "```\n# 3 The log\n3.1 Before a crash\n\n**3.2. After it**\n```").unwrap();
        assert_eq!(
            outline,
            SectionOutline { title: "The log".into(), subtitles: vec!["Before a crash".into(), "After it".into()] }
        );
        assert_eq!(check_outline("3", "3 Alone").unwrap().subtitles, [""; 0]);
    }

    #[test]
    fn what_is_no_outline_is_refused_with_the_reason() {
        for (given, reason) in [
            ("", "there is no title"),
            ("3.1 First", "the title `3 …` comes first"),
            ("3 T\n3.1 a\n3.1.1 b", "`3.1.1` is a third level; there are two"),
            ("3 T\n3.1 a\n3.3 b", "`3.3` stands where `3.2` should"),
            ("3 T\n3.1 a\n3.2 b\n3.3 c\n3.4 d\n3.5 e", "there are more than 4 subtitles"),
            ("2 T", "the line `2 T` is not of section 3"),
            ("Here you are:\n3 T", "the line `Here you are:` has no number; lines are `3 title` and `3.1 subtitle`"),
            ("3 T\n3 U", "`3` is there twice; there is one title"),
            ("3 ", "the title of `3` is empty or longer than 160 characters"),
        ] {
            assert_eq!(check_outline("3", given).unwrap_err(), reason, "{given}");
        }
    }
}
