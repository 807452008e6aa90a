//! Bases: YAML with filters and formulas. What names a file or a folder there is read from the expressions: `link("…")`,
//! `file("…")`, `file.hasLink("…")`, `file.path == "…"`, `file.inFolder("…")`, `file.folder == "…"`, and wikilinks.

use std::ops::Range;

use crate::note::encoding::{Decoded, Encoding};
use crate::note::frontmatter::scalars_of;
use crate::note::lines::Lines;
use crate::note::link::{Anchor, Link, LinkForm, Writing, anchor_of, is_external};
use crate::note::wikilink::wikilinks;

/// The links of a base and the folders it names, each in order; a problem when it is no YAML of a base.
pub(super) fn links(text: &str) -> Result<(Vec<Link>, Vec<Link>), String> {
    let scalars = scalars_of(text).map_err(|problem| format!("line {}: {}", problem.line, problem.message))?;
    let lines = Lines::of(text);
    let (mut links, mut folders) = (Vec::new(), Vec::new());
    for expression in scalars.iter().filter_map(|scalar| scalar.decoded(text)) {
        links.extend(wikilinks(&expression.text).into_iter().map(|link| expression.placed(link, &lines)));
        for literal in literals(&expression) {
            let name = &expression.text[literal.clone()];
            match reference_kind(&expression.text, &literal) {
                Some(ReferenceKind::Link) => {
                    let (path, anchor) = match name.split_once('#') {
                        Some((path, rest)) => (path, anchor_of(rest)),
                        None => (name, None),
                    };
                    if !is_external(path) && !path.contains("[[") {
                        links.extend(link(LinkForm::Wiki, path, anchor, literal.start, &expression, &lines));
                    }
                }
                Some(ReferenceKind::Path) => {
                    links.extend(link(LinkForm::Path, name, None, literal.start, &expression, &lines));
                }
                Some(ReferenceKind::Folder) => {
                    let folder = name.trim_end_matches('/');
                    folders.extend(link(LinkForm::Path, folder, None, literal.start, &expression, &lines));
                }
                None => {}
            }
        }
    }
    links.sort_by_key(|link| link.span.start);
    folders.sort_by_key(|link| link.span.start);
    Ok((links, folders))
}

/// What a text in an expression names.
enum ReferenceKind {
    Link,
    Path,
    Folder,
}

/// The texts between quotes in an expression, those with escapes left out.
fn literals(expression: &Decoded) -> Vec<Range<usize>> {
    let text = &expression.text;
    let mut found = Vec::new();
    let mut open: Option<(char, usize, bool)> = None;
    let mut escape = false;
    for (at, c) in text.char_indices() {
        if std::mem::take(&mut escape) {
            continue;
        }
        match (&mut open, c) {
            (None, '"' | '\'') => open = Some((c, at + 1, true)),
            (Some((_, _, plain)), '\\') => {
                *plain = false;
                escape = true;
            }
            (Some((quote, start, plain)), _) if *quote == c => {
                if *plain {
                    found.push(*start..at);
                }
                open = None;
            }
            _ => {}
        }
    }
    found
}

/// What the expression around a text says it names.
fn reference_kind(text: &str, literal: &Range<usize>) -> Option<ReferenceKind> {
    let before = text[..literal.start - 1].trim_end();
    let after = text[literal.end + 1..].trim_start();
    let word = |text: &str, from_end: bool| -> String {
        let of_word = |c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.'));
        let word = if from_end { text.rsplit(of_word).next() } else { text.split(of_word).next() };
        word.unwrap_or_default().to_owned()
    };
    if let Some(call) = before.strip_suffix('(') {
        let called = word(call.trim_end(), true);
        return match called.rsplit('.').next().unwrap_or_default() {
            "link" | "file" | "hasLink" | "linksTo" | "embed" | "image" => Some(ReferenceKind::Link),
            "inFolder" => Some(ReferenceKind::Folder),
            "startsWith" if matches!(called.as_str(), "file.folder.startsWith" | "file.path.startsWith") => {
                Some(ReferenceKind::Folder)
            }
            _ => None,
        };
    }
    let compared = match (before.strip_suffix('='), after.strip_prefix("==").or_else(|| after.strip_prefix("!="))) {
        (Some(left), _) => word(left.trim_end_matches(['=', '!']).trim_end(), true),
        (_, Some(right)) => word(right.trim_start(), false),
        _ => return None,
    };
    match compared.as_str() {
        "file.path" => Some(ReferenceKind::Path),
        "file.folder" => Some(ReferenceKind::Folder),
        _ => None,
    }
}

fn link(
    form: LinkForm,
    target: &str,
    anchor: Option<Anchor>,
    start: usize,
    expression: &Decoded,
    lines: &Lines,
) -> Option<Link> {
    let span = start..start + target.len();
    let link = Link {
        form,
        embed: false,
        target: target.to_owned(),
        anchor,
        shown: None,
        in_frontmatter: false,
        line: 1,
        target_span: span.clone(),
        span,
        writing: Writing::Plain,
        encoding: Encoding::Plain,
    };
    (!target.is_empty()).then(|| expression.placed(link, lines))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_paths_and_folders_are_told_by_the_expression_around_them() {
        let text = r#"filters:
  and:
    - file.hasLink("Old")
    - 'file.path == "a/Old.md" && status == "a/Old.md"'
    - "file.inFolder(\"a/b\") || !file.folder.startsWith('x/')"
    - not: ['"a/b" == file.folder', 'link("It''s#Part", "Old") == up', 'x.contains([[Old]])']
formulas:
  c: link("https://a.b")
views:
  - type: table
    name: "Old"
"#;
        let (links, folders) = links(text).unwrap();
        let shown = |links: &[Link]| {
            links
                .iter()
                .map(|link| (link.target.clone(), text[link.target_span.clone()].to_owned()))
                .collect::<Vec<_>>()
        };
        let pair = |target: &str, written: &str| (target.to_owned(), written.to_owned());
        assert_eq!(
            shown(&links),
            [pair("Old", "Old"), pair("a/Old.md", "a/Old.md"), pair("It's", "It''s"), pair("Old", "Old")]
        );
        assert_eq!(shown(&folders), [pair("a/b", "a/b"), pair("x", "x"), pair("a/b", "a/b")]);
        assert!(super::links("- a\n- b\n").is_err());
    }
}
