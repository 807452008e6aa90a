//! JSON text as tokens, however the text is cut. A string comes in pieces, everything else whole.

/// A token of JSON.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A string begins.
    Quote,
    /// More of the string, whole characters only.
    Piece(String),
    /// The string ends.
    Unquote,
    /// A number, `true`, `false` or `null`.
    Scalar(String),
    /// One of `{}[]:,`.
    Sign(char),
}

/// The longest number or word that is gathered.
const LONGEST_SCALAR: usize = 64;

#[derive(Debug, Default)]
enum State {
    #[default]
    Between,
    String,
    /// Behind a backslash.
    Escape,
    /// Behind `\u`, with the digits so far.
    Unicode(String),
    Scalar(String),
}

/// Cuts text into tokens. It keeps what cannot be told yet: half an escape, half a pair of surrogates, a number that may
/// go on.
#[derive(Debug, Default)]
pub(super) struct Scanner {
    state: State,
    /// The first half of a pair, whose second half may follow.
    high: Option<u16>,
    piece: String,
}

/// The text is no JSON.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct NoJson;

impl Scanner {
    /// Takes more text.
    pub(super) fn push(&mut self, text: &str, tokens: &mut Vec<Token>) -> Result<(), NoJson> {
        for c in text.chars() {
            self.take(c, tokens)?;
        }
        self.flush(tokens);
        Ok(())
    }

    fn flush(&mut self, tokens: &mut Vec<Token>) {
        if !self.piece.is_empty() {
            tokens.push(Token::Piece(std::mem::take(&mut self.piece)));
        }
    }

    fn take(&mut self, c: char, tokens: &mut Vec<Token>) -> Result<(), NoJson> {
        match &mut self.state {
            State::Between => return self.between(c, tokens),
            State::Scalar(word) => {
                if c.is_ascii_alphanumeric() || matches!(c, '.' | '+' | '-') {
                    word.push(c);
                    return if word.len() > LONGEST_SCALAR { Err(NoJson) } else { Ok(()) };
                }
                tokens.push(Token::Scalar(std::mem::take(word)));
                self.state = State::Between;
                return self.between(c, tokens);
            }
            State::String => match c {
                '"' => {
                    self.lone();
                    self.flush(tokens);
                    tokens.push(Token::Unquote);
                    self.state = State::Between;
                }
                '\\' => self.state = State::Escape,
                c => {
                    self.lone();
                    self.piece.push(c);
                }
            },
            State::Escape => {
                let plain = match c {
                    'u' => {
                        self.state = State::Unicode(String::new());
                        return Ok(());
                    }
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    'b' => '\u{8}',
                    'f' => '\u{c}',
                    '"' | '\\' | '/' => c,
                    _ => return Err(NoJson),
                };
                self.lone();
                self.piece.push(plain);
                self.state = State::String;
            }
            State::Unicode(digits) => {
                digits.push(c);
                if digits.len() < 4 {
                    return if c.is_ascii_hexdigit() { Ok(()) } else { Err(NoJson) };
                }
                let unit = u16::from_str_radix(digits, 16).map_err(|_| NoJson)?;
                self.state = State::String;
                self.unit(unit);
            }
        }
        Ok(())
    }

    fn between(&mut self, c: char, tokens: &mut Vec<Token>) -> Result<(), NoJson> {
        match c {
            '"' => {
                tokens.push(Token::Quote);
                self.state = State::String;
            }
            '{' | '}' | '[' | ']' | ':' | ',' => tokens.push(Token::Sign(c)),
            c if c.is_ascii_alphanumeric() || c == '-' => self.state = State::Scalar(c.to_string()),
            c if c.is_whitespace() => {}
            _ => return Err(NoJson),
        }
        Ok(())
    }

    /// A unit of UTF-16. The first half of a pair waits for the second one.
    fn unit(&mut self, unit: u16) {
        if let Some(high) = self.high.take() {
            match char::decode_utf16([high, unit]).next() {
                Some(Ok(whole)) if (0xdc00..0xe000).contains(&unit) => {
                    self.piece.push(whole);
                    return;
                }
                _ => self.piece.push(char::REPLACEMENT_CHARACTER),
            }
        }
        if (0xd800..0xdc00).contains(&unit) {
            self.high = Some(unit);
        } else {
            self.piece.push(char::from_u32(u32::from(unit)).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
    }

    /// Half a pair without the other half is a replacement character.
    fn lone(&mut self) {
        if self.high.take().is_some() {
            self.piece.push(char::REPLACEMENT_CHARACTER);
        }
    }
}
