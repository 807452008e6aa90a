//! Rewrites the links of the author of the edits in the style that the settings of the vault have for new links.

use super::Overlay;
use super::edited::Edited;
use super::relink::{Relinked, can_hold};
use crate::changes::After;
use crate::links::resolve::{Resolver, relative};
use crate::note::encoding::Encoding;
use crate::note::link::Writing;
use crate::settings::{LinkFormat, LinkStyle};
use crate::{Anchor, Link, LinkForm, Note, NotePath, Notes, VaultError};

/// Rewrites the wikilinks of a note that the author wrote and that lead to a file. Markdown links stay. Links in the
/// frontmatter stay, because Obsidian knows only wikilinks there.
pub(super) fn restyled(overlay: &mut Overlay, path: &NotePath, style: LinkStyle) -> Result<Vec<Relinked>, VaultError> {
    let before = overlay.written(path).to_vec();
    if style == LinkStyle::default() || before.is_empty() {
        return Ok(Vec::new());
    }
    let Some(note) = overlay.read(path)? else { return Ok(Vec::new()) };
    let index = overlay.links();
    let resolver = index.resolver();
    let is_own = |link: &Link| before.iter().any(|range| range.start <= link.span.start && link.span.end <= range.end);
    let mut parts: Vec<(&Link, NotePath, String, String)> = Vec::new();
    for link in note.links() {
        if link.form != LinkForm::Wiki || link.in_frontmatter || link.is_same_note() || !is_own(link) {
            continue;
        }
        let Some((file, _)) = resolver.resolve(path.folder(), &link.target, link.form) else { continue };
        let Some((target, text)) = in_style(&note, link, file, style, resolver) else { continue };
        if text != note.text()[link.span.clone()] {
            parts.push((link, file.clone(), target, text));
        }
    }
    if parts.is_empty() {
        return Ok(Vec::new());
    }
    let texts = parts.iter().map(|(link, _, _, text)| (link.span.clone(), text.as_str()));
    let edit = Edited::replacing(note.text(), texts);

    // The new text is parsed and checked: every link leads to the same file and the same anchor.
    let again = Note::parse(path.clone(), edit.text.as_str());
    let holds = |(old, new): (&Link, &Link)| {
        let styled = parts.iter().find(|(link, ..)| std::ptr::eq(*link, old));
        let leads = resolver.resolve(path.folder(), &new.target, new.form).map(|(file, _)| file);
        let is_right = styled.map_or(old.target == new.target, |(_, file, ..)| leads == Some(file));
        is_right && (old.embed, &old.anchor) == (new.embed, &new.anchor)
    };
    if again.links().len() != note.links().len() || !note.links().iter().zip(again.links()).all(holds) {
        return Err(VaultError::illegal_edit(path, "its links would not lead where they lead"));
    }
    overlay.check_size(path, &edit.text)?;
    let done = parts.iter().map(|(link, _, target, _)| Relinked {
        line: link.line,
        before: link.target.clone(),
        after: target.clone(),
    });
    let done = done.collect();
    let written = edit.written(&before, false);
    overlay.put(path, After::Text(edit.text.into(), written))?;
    overlay.changes.settle();
    Ok(done)
}

/// The target and the whole text of a link in a style; `None` when the link cannot be written in the style.
fn in_style(
    note: &Note,
    link: &Link,
    file: &NotePath,
    style: LinkStyle,
    resolver: &Resolver,
) -> Option<(String, String)> {
    let folder = note.path().folder();
    let form = if style.markdown { LinkForm::Markdown } else { LinkForm::Wiki };
    // A wikilink names a note without the ending `.md`.
    let shown = |path: &str| match form {
        LinkForm::Wiki if file.is_note() => crate::path::without_ending(path).to_owned(),
        _ => path.to_owned(),
    };
    let whole = shown(file.as_str());
    let way = shown(&relative(folder, file.as_str()));
    let mut candidates = match style.format {
        LinkFormat::Shortest => vec![shown(file.file_name())],
        LinkFormat::Relative => vec![way.clone(), format!("./{way}")],
        LinkFormat::Absolute => Vec::new(),
    };
    candidates.extend([whole.clone(), format!("/{whole}")]);
    let leads = |target: &String| {
        can_hold(form, target) && resolver.resolve(folder, target, form).is_some_and(|(to, _)| to == file)
    };
    let target = candidates.into_iter().find(leads)?;
    let text = if style.markdown {
        let bare = Link { writing: Writing::Percent { unicode: false }, encoding: Encoding::Plain, ..link.clone() };
        let part = match &link.anchor {
            None => String::new(),
            Some(Anchor::Heading(chain)) => chain.iter().map(|part| format!("#{}", bare.write_target(part))).collect(),
            Some(Anchor::Block(id)) => format!("#^{}", bare.write_target(id)),
        };
        let default = if link.embed { "" } else { file.name() };
        let mut words = String::new();
        for c in link.shown.as_deref().unwrap_or(default).chars() {
            if matches!(c, '[' | ']' | '\\') {
                words.push('\\');
            }
            words.push(c);
        }
        format!("{}[{words}]({}{part})", if link.embed { "!" } else { "" }, bare.write_target(&target))
    } else {
        let text = note.text();
        let mut rest = text[link.target_span.end..link.span.end].to_owned();
        if link.shown.is_none() && !link.embed && target != file.name() {
            // A link by path gets the name as its shown text, as Obsidian writes such links.
            let end = rest.rfind("]]")?;
            rest.insert_str(end, &format!("|{}", file.name()));
        }
        format!("{}{target}{rest}", &text[link.span.start..link.target_span.start])
    };
    Some((target, text))
}
