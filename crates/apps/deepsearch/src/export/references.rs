//! Entries of the list of references whose sources are files.

use graphloom_text::target_path;

use super::sanitize::is_web;

/// The list of references with the paths of files as text: `[1]. [title](path)` is `[1]. title, path`.
pub(super) fn with_paths(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match reference(line.trim_end()) {
            Some((head, title, path)) => out.push_str(&format!("{head}{title}, `{}`\n", path.replace('`', "'"))),
            None => out.push_str(line),
        }
    }
    out
}

/// The parts of an entry of the list whose address is no address of the web.
fn reference(line: &str) -> Option<(&str, &str, String)> {
    let (number, rest) = line.strip_prefix('[')?.split_once("]. [")?;
    let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    let (title, address) = rest.strip_suffix(')')?.rsplit_once("](")?;
    // Older versions wrote addresses between `<` and `>`.
    let address = address.trim_start_matches('<').trim_end_matches('>');
    let path = target_path(address);
    (is_number && !is_web(address)).then(|| (&line[..number.len() + 4], title, path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_stand_with_their_path_and_pages_with_their_link() {
        let text = "[1]. [The log](docs/the%20log.md)\n\n[2]. [Page](https://a.example/x)\n\n[3]. [B](<docs/b c.md>)\n\n[x](y)\n";
        let expected =
            "[1]. The log, `docs/the log.md`\n\n[2]. [Page](https://a.example/x)\n\n[3]. B, `docs/b c.md`\n\n[x](y)\n";
        assert_eq!(with_paths(text), expected);
        assert_eq!(with_paths("[1]. [a](javascript:x`y)"), "[1]. a, `javascript:x'y`\n");
    }
}
