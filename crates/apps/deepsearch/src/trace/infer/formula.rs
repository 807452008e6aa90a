//! The check of calculations in an inference.

/// The greatest difference of the two sides of a calculation, as a share of the greater side; texts round their
/// numbers.
const TOLERANCE: f64 = 0.006;

/// Whether a calculation such as `1200/3=400` holds; `None` when the calculation cannot be read.
///
/// The signs `+ - * / ( )`, `×`, `÷` and `%` are known, and `≈` is read as `=`.
///
/// ```
/// use graphloom_deepsearch::trace::infer::holds;
///
/// assert_eq!(holds("(4,096 - 96) / 4 = 1000"), Some(true));
/// assert_eq!(holds("3 * 7 = 22"), Some(false));
/// assert_eq!(holds("pages = 4"), None);
/// ```
pub fn holds(expression: &str) -> Option<bool> {
    let plain: String = expression
        .chars()
        .filter(|c| !c.is_whitespace() && *c != ',')
        .map(|c| match c {
            '×' | '✕' => '*',
            '÷' => '/',
            '−' => '-',
            '≈' => '=',
            c => c,
        })
        .collect();
    let (left, right) = plain.split_once('=')?;
    let (left, right) = (evaluate(left)?, evaluate(right)?);
    Some((left - right).abs() <= TOLERANCE * left.abs().max(right.abs()))
}

fn evaluate(text: &str) -> Option<f64> {
    let mut reader = Reader { rest: text.as_bytes(), depth: 0 };
    let value = reader.sum()?;
    (reader.rest.is_empty() && value.is_finite()).then_some(value)
}

struct Reader<'t> {
    rest: &'t [u8],
    depth: u32,
}

impl Reader<'_> {
    fn take(&mut self, byte: u8) -> bool {
        let found = self.rest.first() == Some(&byte);
        if found {
            self.rest = &self.rest[1..];
        }
        found
    }

    fn sum(&mut self) -> Option<f64> {
        let mut value = self.product()?;
        loop {
            if self.take(b'+') {
                value += self.product()?;
            } else if self.take(b'-') {
                value -= self.product()?;
            } else {
                return Some(value);
            }
        }
    }

    fn product(&mut self) -> Option<f64> {
        let mut value = self.factor()?;
        loop {
            if self.take(b'*') {
                value *= self.factor()?;
            } else if self.take(b'/') {
                value /= self.factor()?;
            } else {
                return Some(value);
            }
        }
    }

    fn factor(&mut self) -> Option<f64> {
        self.depth += 1;
        if self.depth > 64 {
            return None;
        }
        let value = if self.take(b'-') {
            -self.factor()?
        } else if self.take(b'(') {
            let inner = self.sum()?;
            if !self.take(b')') {
                return None;
            }
            inner
        } else {
            let length = self.rest.iter().take_while(|b| b.is_ascii_digit() || **b == b'.').count();
            let (digits, rest) = self.rest.split_at(length);
            self.rest = rest;
            let number: f64 = std::str::from_utf8(digits).ok()?.parse().ok()?;
            if self.take(b'%') { number / 100.0 } else { number }
        };
        self.depth -= 1;
        Some(value)
    }
}
