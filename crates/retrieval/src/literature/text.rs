//! Plain text of what sources send: inline markup, entities, white space, and forms for comparison.

use unicode_normalization::UnicodeNormalization;

/// `text` in one line, without control characters and others that are not shown.
pub(crate) fn one_line(text: &str) -> String {
    let visible = text.chars().map(|c| if c.is_control() { ' ' } else { c }).filter(|c| graphloom_text::is_visible(*c));
    visible.collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The plain text of a fragment of JATS or HTML in one line. Publishers often escape twice, so what
/// the first pass leaves is read once more.
pub(crate) fn plain(markup: &str) -> String {
    let once = decoded(&stripped(markup));
    let text = decoded(&stripped(&once));
    one_line(&text)
}

/// An abstract in JATS as plain text, without its own heading.
pub(crate) fn plain_abstract(markup: &str) -> Option<String> {
    let text = plain(markup);
    let rest = match text.get(..8) {
        Some(word) if word.eq_ignore_ascii_case("abstract") && has_title(markup) => {
            text[8..].trim_start_matches([':', '.', ' '])
        }
        _ => &text,
    };
    (!rest.is_empty()).then(|| rest.to_owned())
}

fn has_title(markup: &str) -> bool {
    let lower = markup.to_ascii_lowercase();
    ["title>", "title&gt;", "<b>", "<bold>", "jats:bold"].iter().any(|tag| lower.contains(tag))
}

/// Tags become nothing, or a space when they separate blocks.
fn stripped(markup: &str) -> String {
    let mut text = String::with_capacity(markup.len());
    let mut rest = markup;
    while let Some(start) = rest.find('<') {
        text.push_str(&rest[..start]);
        match tag(&rest[start..]) {
            Some((length, name)) => {
                if is_block(&name) {
                    text.push(' ');
                }
                rest = &rest[start + length..];
            }
            None => {
                text.push('<');
                rest = &rest[start + 1..];
            }
        }
    }
    text.push_str(rest);
    text
}

/// The length and the name of the tag that `text` begins with; an inequality is no tag.
fn tag(text: &str) -> Option<(usize, String)> {
    if text.starts_with("<!--") {
        return text.find("-->").map(|end| (end + 3, "!--".to_owned()));
    }
    let end = text.find('>')?;
    let inside = text[1..end].trim_end_matches('/');
    let inside = inside.strip_prefix('/').unwrap_or(inside);
    let name_length =
        inside.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, ':' | '-' | '_'))).unwrap_or(inside.len());
    let (name, attributes) = inside.split_at(name_length);
    let named = name.starts_with(|c: char| c.is_ascii_alphabetic());
    let attributed =
        attributes.trim().is_empty() || (attributes.starts_with(char::is_whitespace) && attributes.contains('='));
    (named && attributed && !inside.contains('<')).then(|| (end + 1, name.to_ascii_lowercase()))
}

fn is_block(name: &str) -> bool {
    let local = name.rsplit(':').next().unwrap_or(name);
    matches!(
        local,
        "p" | "title"
            | "sec"
            | "list"
            | "list-item"
            | "br"
            | "div"
            | "li"
            | "ul"
            | "ol"
            | "h1"
            | "h2"
            | "h3"
            | "h4"
            | "h5"
            | "h6"
            | "break"
            | "!--"
    )
}

/// Entities become their characters; what is none stays.
fn decoded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find('&') {
        out.push_str(&rest[..start]);
        let after = &rest[start + 1..];
        let found = after
            .char_indices()
            .take(12)
            .find(|(_, c)| *c == ';')
            .and_then(|(end, _)| Some((end, entity(&after[..end])?)));
        match found {
            Some((end, c)) => {
                out.push(c);
                rest = &after[end + 1..];
            }
            None => {
                out.push('&');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

pub(crate) fn entity(name: &str) -> Option<char> {
    if let Some(number) = name.strip_prefix('#') {
        let code = match number.strip_prefix(['x', 'X']) {
            Some(hex) => u32::from_str_radix(hex, 16).ok()?,
            None => number.parse().ok()?,
        };
        return char::from_u32(code).filter(|c| *c != '\0');
    }
    Some(match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => ' ',
        "ndash" => '–',
        "mdash" => '—',
        "hellip" => '…',
        "lsquo" => '‘',
        "rsquo" => '’',
        "ldquo" => '“',
        "rdquo" => '”',
        "times" => '×',
        "deg" => '°',
        "plusmn" => '±',
        "micro" => 'µ',
        "alpha" => 'α',
        "beta" => 'β',
        "gamma" => 'γ',
        _ => return None,
    })
}

/// Letters and digits in lower case without accents, words separated by one space: two spellings of one title agree.
pub(crate) fn folded(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.nfkd().filter(|c| !unicode_normalization::char::is_combining_mark(*c)).flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            out.push(c);
        } else if !matches!(c, '\'' | '’') && !out.ends_with(' ') && !out.is_empty() {
            out.push(' ');
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// The words of `text` in ASCII lower case; letters of other scripts are left out.
pub(crate) fn ascii_words(text: &str) -> Vec<String> {
    let spelled = text.replace('ß', "ss").replace(['ø', 'Ø'], "o").replace(['æ', 'Æ'], "ae").replace(['ł', 'Ł'], "l");
    folded(&spelled)
        .split(' ')
        .map(|word| word.chars().filter(char::is_ascii_alphanumeric).collect::<String>())
        .filter(|word| !word.is_empty())
        .collect()
}

/// At most `most` characters of `text`, with a mark when something was cut.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    let line = one_line(text);
    if line.chars().count() <= most {
        return line;
    }
    let mut cut: String = line.chars().take(most.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markup_becomes_plain_text() {
        for (markup, text) in [
            ("<jats:p>Birds <jats:italic>sing</jats:italic>.</jats:p>\n<jats:p>Often.</jats:p>", "Birds sing. Often."),
            ("&lt;jats:p&gt;Twice escaped&lt;/jats:p&gt;", "Twice escaped"),
            ("p < 0.05 and n > 3", "p < 0.05 and n > 3"),
            ("if a<b and c>d then", "if a<b and c>d then"),
            ("x&amp;lt;y &#8211; AT&T &unknown; &", "x<y – AT&T &unknown; &"),
            ("CO<sub>2</sub> <a href=\"x\">rises</a><br/>fast", "CO2 rises fast"),
            ("cut <jats:p", "cut <jats:p"),
            ("zero\u{200b}width\u{7}", "zerowidth"),
        ] {
            assert_eq!(plain(markup), text, "{markup}");
        }
    }

    #[test]
    fn the_heading_of_an_abstract_is_no_part_of_it() {
        for (markup, text) in [
            ("<jats:title>Abstract</jats:title><jats:p>Facts.</jats:p>", Some("Facts.")),
            ("<jats:p>Abstract art is old.</jats:p>", Some("Abstract art is old.")),
            ("<jats:p> </jats:p>", None),
            ("", None),
        ] {
            assert_eq!(plain_abstract(markup).as_deref(), text, "{markup}");
        }
    }

    #[test]
    fn titles_compare_without_accents_case_and_punctuation() {
        assert_eq!(folded("  Über—Graphs: A\u{a0}Survey! "), "uber graphs a survey");
        assert_eq!(folded("Alzheimer’s"), folded("alzheimer's"));
        assert_eq!(folded("図書館"), "図書館");
        assert_eq!(ascii_words("Groß Łukasz 図 Ørsted"), ["gross", "lukasz", "orsted"]);
        assert_eq!(shortened("abcdef", 4), "abc…");
    }
}
