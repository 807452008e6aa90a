//! Ids that stay the same as long as a passage does.

/// The part of an id that names the document is at most this long.
const NAME_LENGTH: usize = 32;

/// The id of a passage: a name from the path, `#`, and eight hexadecimal digits.
///
/// The digits come from the path, the text and the number of equal passages before this one in the document, so that a
/// change elsewhere in the document leaves the id alone.
pub(crate) fn evidence_id(path: &str, text: &str, equal_before: usize) -> String {
    let mut hasher = blake3::Hasher::new();
    for part in [path, text] {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part.as_bytes());
    }
    hasher.update(&(equal_before as u64).to_le_bytes());
    let digits = &hasher.finalize().to_hex()[..8];
    format!("{}#{digits}", document_name(path))
}

/// `guide/Write-Ahead Log.md` becomes `guide-write-ahead-log`; the end of a long path is kept, as it says most.
fn document_name(path: &str) -> String {
    let stem = match path.rsplit_once('.') {
        Some((stem, ending)) if !stem.is_empty() && !ending.contains('/') => stem,
        _ => path,
    };
    let mut words: Vec<String> = stem
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(|word| word.chars().take(NAME_LENGTH).collect::<String>().to_ascii_lowercase())
        .collect();
    let mut length: usize = words.iter().map(|word| word.len() + 1).sum();
    let mut first = 0;
    while length > NAME_LENGTH + 1 && first + 1 < words.len() {
        length -= words[first].len() + 1;
        first += 1;
    }
    words.drain(..first);
    if words.is_empty() { "doc".to_owned() } else { words.join("-") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_comes_from_the_path() {
        for (path, name) in [
            ("guide/Write-Ahead Log.md", "guide-write-ahead-log"),
            ("README", "readme"),
            ("a.b/c", "a-b-c"),
            (".txt", "txt"),
            ("日本語.md", "doc"),
            ("日本語/wal_2.md", "wal-2"),
            ("a/very/long/path/that/goes/on/and/on/storage.html", "path-that-goes-on-and-on-storage"),
            ("x0123456789012345678901234567890123456789.md", "x0123456789012345678901234567890"),
        ] {
            assert_eq!(document_name(path), name, "{path}");
            assert!(document_name(path).len() <= NAME_LENGTH, "{path}");
        }
    }

    #[test]
    fn path_text_and_repetition_all_count() {
        let id = evidence_id("a.md", "text", 0);
        assert_eq!(id, evidence_id("a.md", "text", 0));
        for other in [evidence_id("b.md", "text", 0), evidence_id("a.md", "texts", 0), evidence_id("a.md", "text", 1)] {
            assert_ne!(id, other);
        }
    }
}
