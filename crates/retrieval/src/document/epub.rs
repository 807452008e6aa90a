//! EPUB: the chapters of a book in the order in which it is read.

use std::collections::BTreeMap;

use super::archive::Archive;
use super::blocks::Blocks;
use super::html::walk;
use super::xml::{self, Piece, attribute};
use super::{Format, Passage, UnreadReason, kind};

const CONTAINER: &str = "META-INF/container.xml";
const ENCRYPTION: &str = "META-INF/encryption.xml";

/// What a book says of itself.
#[derive(Default)]
struct Package {
    title: String,
    /// The items by their ids: where they are, and whether they are the table of contents.
    items: BTreeMap<String, (String, bool)>,
    /// The ids of the chapters in order.
    chapters: Vec<String>,
}

/// Reads a book.
///
/// # Errors
/// A file that is no EPUB book, is encrypted or damaged, or unpacks to more than `limit` bytes.
pub(super) fn read(
    bytes: &[u8],
    size: usize,
    limit: u64,
) -> Result<(Option<String>, Vec<Passage>, Option<String>), UnreadReason> {
    let mut archive = Archive::open(bytes, limit).ok_or_else(|| UnreadReason::malformed("its archive is damaged"))?;
    let Some(container) = archive.text(CONTAINER)? else { return Err(kind::mislabelled(Format::Epub, bytes)) };
    let mut place = None;
    xml::read(&container, |piece| {
        if let Piece::Begin(start) = piece
            && start.local_name().as_ref() == "rootfile"
        {
            place = place.take().or_else(|| attribute(start, "full-path"));
        }
    })?;
    let place = place.ok_or_else(|| UnreadReason::malformed(format!("`{CONTAINER}` names no book")))?;
    let place = resolve("", &place, true);
    let source = archive.text(&place)?;
    let source = source.ok_or_else(|| UnreadReason::malformed(format!("`{place}` is missing")))?;
    let package = Package::read(&source)?;
    let folder = place.rsplit_once('/').map_or("", |(folder, _)| folder);
    let locked = locked(&mut archive)?;
    let mut blocks = Blocks::new();
    let (mut named, mut missing) = (None, 0);
    for (path, contents) in package.chapters.iter().filter_map(|id| package.items.get(id)) {
        if *contents {
            continue;
        }
        let mut found = None;
        for path in places(folder, path) {
            if locked.contains(&path) {
                return Err(UnreadReason::Encrypted);
            }
            found = archive.text(&path)?;
            if found.is_some() {
                break;
            }
        }
        match found {
            None => missing += 1,
            Some(chapter) => {
                let title = walk::read(&chapter, 0, &mut blocks).map_err(UnreadReason::malformed)?;
                named = named.or(title);
            }
        }
    }
    let (heading, passages) = blocks.finish(size);
    let title = Some(package.title.trim().to_owned()).filter(|title| !title.is_empty());
    let note = match missing {
        0 => None,
        1 => Some("a chapter is missing from the book".to_owned()),
        more => Some(format!("{more} chapters are missing from the book")),
    };
    Ok((title.or(heading).or(named), passages, note))
}

impl Package {
    fn read(source: &str) -> Result<Self, UnreadReason> {
        let mut package = Self::default();
        let mut in_title = false;
        xml::read(source, |piece| match piece {
            Piece::Begin(start) => match start.local_name().as_ref() {
                "title" => in_title = package.title.is_empty(),
                "item" => {
                    let is_contents =
                        attribute(start, "properties").is_some_and(|kinds| kinds.split(' ').any(|kind| kind == "nav"));
                    if let (Some(id), Some(href)) = (attribute(start, "id"), attribute(start, "href")) {
                        package.items.insert(id, (href, is_contents));
                    }
                }
                "itemref" => package.chapters.extend(attribute(start, "idref")),
                _ => {}
            },
            Piece::End("title") => in_title = false,
            Piece::Text(text) if in_title => package.title.push_str(text),
            Piece::End(_) | Piece::Text(_) => {}
        })?;
        Ok(package)
    }
}

/// The parts that are encrypted, which fonts often are.
fn locked(archive: &mut Archive<'_>) -> Result<Vec<String>, UnreadReason> {
    let mut locked = Vec::new();
    if let Some(encryption) = archive.text(ENCRYPTION)? {
        xml::read(&encryption, |piece| {
            if let Piece::Begin(start) = piece
                && start.local_name().as_ref() == "CipherReference"
            {
                locked.extend(attribute(start, "URI").map(|path| resolve("", &path, true)));
            }
        })?;
    }
    Ok(locked)
}

/// Where a part may be that a book names from one of its folders: there; under the name as it is written, where the archive
/// has it so; and from the root of the book, as some writers name parts.
fn places(folder: &str, path: &str) -> Vec<String> {
    let mut places = Vec::with_capacity(3);
    for place in [resolve(folder, path, true), resolve(folder, path, false), resolve("", path, true)] {
        if !places.contains(&place) {
            places.push(place);
        }
    }
    places
}

/// The name of a part that a book names from one of its folders, or from its root where the name begins with `/`.
fn resolve(folder: &str, path: &str, decoded: bool) -> String {
    let path = path.split(['#', '?']).next().unwrap_or_default().trim().replace('\\', "/");
    let path = match decoded {
        true => percent_encoding::percent_decode_str(&path).decode_utf8_lossy().into_owned(),
        false => path,
    };
    let folder = if path.starts_with('/') { "" } else { folder };
    let mut parts: Vec<&str> = Vec::new();
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_found_from_its_folder_from_the_root_and_as_it_is_written() {
        for (folder, path, expected) in [
            ("OEBPS", "text/one.xhtml#top", &["OEBPS/text/one.xhtml", "text/one.xhtml"][..]),
            ("OEBPS", "/OEBPS/text/one.xhtml", &["OEBPS/text/one.xhtml"]),
            ("OEBPS/package", "../text/one.xhtml", &["OEBPS/text/one.xhtml", "text/one.xhtml"]),
            ("OEBPS", "../../one.xhtml", &["one.xhtml"]),
            ("OEBPS", "a%20b.xhtml", &["OEBPS/a b.xhtml", "OEBPS/a%20b.xhtml", "a b.xhtml"]),
            ("", "text%2Fone.xhtml", &["text/one.xhtml", "text%2Fone.xhtml"]),
            ("OEBPS", "text\\one.xhtml", &["OEBPS/text/one.xhtml", "text/one.xhtml"]),
            (
                "OEBPS",
                "./kapitel%C3%BC.xhtml",
                &["OEBPS/kapitelü.xhtml", "OEBPS/kapitel%C3%BC.xhtml", "kapitelü.xhtml"],
            ),
        ] {
            assert_eq!(places(folder, path), expected, "{path}");
        }
    }
}
