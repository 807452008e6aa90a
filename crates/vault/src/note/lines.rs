//! Lines of a text: where they start, and how they end.

/// Where the lines of a text start.
#[derive(Clone, Debug)]
pub(crate) struct Lines(Vec<usize>);

impl Lines {
    pub(crate) fn of(text: &str) -> Self {
        let after = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1);
        Self(std::iter::once(0).chain(after).collect())
    }

    /// The line of a byte, counted from 1.
    pub(crate) fn line_of(&self, at: usize) -> usize {
        self.0.partition_point(|start| *start <= at)
    }
}

pub(crate) const BOM: char = '\u{feff}';

/// How a text ends its lines and begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Style {
    pub(crate) bom: bool,
    pub(crate) newline: &'static str,
    /// Whether the last line ends with a line break; true for an empty text.
    pub(crate) ends_with_newline: bool,
}

impl Style {
    pub(crate) fn of(text: &str) -> Self {
        let breaks = text.matches('\n').count();
        let windows = text.matches("\r\n").count();
        let bare = text.trim_start_matches(BOM);
        Self {
            bom: text.starts_with(BOM),
            newline: if windows * 2 > breaks { "\r\n" } else { "\n" },
            ends_with_newline: bare.is_empty() || bare.ends_with('\n'),
        }
    }

    /// The text with this style's line breaks.
    pub(crate) fn breaks(self, text: &str) -> String {
        let plain = text.replace("\r\n", "\n");
        if self.newline == "\n" { plain } else { plain.replace('\n', self.newline) }
    }

    /// The text with this style's line breaks, beginning and end.
    pub(crate) fn whole(self, text: &str) -> String {
        let mut styled = if self.bom { BOM.to_string() } else { String::new() };
        styled.push_str(&self.breaks(text.trim_start_matches(BOM)));
        self.end(&mut styled);
        styled
    }

    /// Gives the text the style's end: one line break at least, or none.
    pub(crate) fn end(self, text: &mut String) {
        if self.ends_with_newline {
            if !text.is_empty() && !text.ends_with('\n') {
                text.push_str(self.newline);
            }
        } else {
            while text.ends_with('\n') {
                text.pop();
                if text.ends_with('\r') {
                    text.pop();
                }
            }
        }
    }
}
