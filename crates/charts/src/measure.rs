//! How much room a text takes.

use unicode_width::UnicodeWidthChar;

/// The width of one unit of weight, as a share of the height of the font.
const SHARE: f64 = 0.56;

/// The weight of a text: 2 for a character as wide as a Chinese one, 1 for others.
pub(crate) fn weight(text: &str) -> usize {
    text.chars().map(char_weight).sum()
}

fn char_weight(c: char) -> usize {
    c.width().unwrap_or(0)
}

/// The width of a text in pixels at a height of the font.
pub(crate) fn width(text: &str, height: f64) -> f64 {
    weight(text) as f64 * height * SHARE
}

/// The beginning of `text` that is at most `room` pixels wide, with a mark where something was cut.
pub(crate) fn fitted(text: &str, height: f64, room: f64) -> String {
    if width(text, height) <= room {
        return text.to_owned();
    }
    let most = (room / (height * SHARE)).floor().max(1.0) as usize;
    let mut cut = String::new();
    let mut taken = 1;
    for c in text.chars() {
        taken += char_weight(c);
        if taken > most {
            break;
        }
        cut.push(c);
    }
    cut.truncate(cut.trim_end().len());
    cut.push('…');
    cut
}

/// `text` in at most `lines` lines of at most `room` pixels, broken between words and between Chinese characters.
pub(crate) fn wrapped(text: &str, height: f64, room: f64, lines: usize) -> Vec<String> {
    let mut done: Vec<String> = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() && done.len() + 1 < lines {
        if width(rest, height) <= room {
            break;
        }
        let mut taken = 0.0;
        let mut cut = rest.len();
        let mut between = 0;
        for (at, c) in rest.char_indices() {
            let is_wide = char_weight(c) > 1;
            if c == ' ' || is_wide {
                between = at;
            }
            taken += width(c.encode_utf8(&mut [0; 4]), height);
            if taken > room {
                cut = if between > 0 { between } else { at };
                break;
            }
        }
        // At least one character is taken, whatever the room.
        let least = rest.chars().next().map_or(0, char::len_utf8);
        let (line, after) = rest.split_at(cut.max(least));
        done.push(line.trim_end().to_owned());
        rest = after.trim_start();
    }
    if !rest.is_empty() {
        done.push(fitted(rest, height, room));
    }
    done
}

/// `text` in one line, without what XML cannot hold or a reader cannot see.
pub(crate) fn one_line(text: &str) -> String {
    let is_shown = |c: char| {
        !matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
            && !matches!(c, '\u{fffe}' | '\u{ffff}' | '\u{e0000}'..='\u{e007f}')
    };
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).filter(|c| is_shown(*c)).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chinese_characters_are_twice_as_wide() {
        assert_eq!((weight("abc"), weight("数据库"), weight("SQLite 数据")), (3, 6, 11));
        assert_eq!(fitted("abcdefgh", 10.0, 29.0), "abcd…");
        assert_eq!(fitted("数据库系统", 10.0, 29.0), "数据…");
        assert_eq!(fitted("short", 10.0, 500.0), "short");
        assert_eq!(fitted("x", 10.0, 0.0), "…");
    }

    #[test]
    fn lines_are_broken_where_a_reader_expects_it() {
        assert_eq!(wrapped("one two three", 10.0, 45.0, 3), ["one two", "three"]);
        assert_eq!(wrapped("数据库系统比较", 10.0, 45.0, 2), ["数据库系", "统比较"]);
        assert_eq!(wrapped("one two three four", 10.0, 45.0, 2), ["one two", "three f…"]);
        assert_eq!(wrapped("unbreakable", 10.0, 1.0, 2).len(), 2);
    }

    #[test]
    fn what_cannot_be_drawn_is_left_out() {
        assert_eq!(one_line(" a\u{0}b\n\u{202e}c\u{ffff} "), "a b c");
    }
}
