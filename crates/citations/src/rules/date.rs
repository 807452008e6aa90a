//! Dates in the ways they are written.

use std::cmp::Ordering;
use std::ops::Range;

use crate::token::{Kind, Token};

/// A date, as far as it is said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Date {
    pub(super) year: Option<u32>,
    pub(super) month: Option<u32>,
    pub(super) day: Option<u32>,
    /// Day and month may be the other way round, as in `3/4/2021`.
    either: bool,
    pub(super) range: Range<usize>,
    /// The indices of the tokens it was read from.
    pub(super) tokens: Range<usize>,
}

impl Date {
    /// Whether everything this date says is said by `other`, too.
    pub(super) fn is_in(&self, other: &Self) -> bool {
        let agrees = |mine: Option<u32>, theirs: Option<u32>| mine.is_none() || mine == theirs;
        let year = agrees(self.year, other.year);
        let straight = agrees(self.month, other.month) && agrees(self.day, other.day);
        let crossed = (self.either || other.either) && self.month == other.day && self.day == other.month;
        year && (straight || crossed)
    }

    /// Whether some part that both say is another one.
    pub(super) fn differs(&self, other: &Self) -> bool {
        let differ = |mine: Option<u32>, theirs: Option<u32>| mine.zip(theirs).is_some_and(|(a, b)| a != b);
        let year = differ(self.year, other.year);
        let straight = differ(self.month, other.month) || differ(self.day, other.day);
        let crossed = differ(self.month, other.day) || differ(self.day, other.month);
        year || straight && (crossed || !(self.either || other.either))
    }

    /// Which of two dates is earlier, as far as both say; none where day and month may be the other way round.
    pub(super) fn order(&self, other: &Self) -> Option<Ordering> {
        let parts = [(self.year, other.year), (self.month, other.month), (self.day, other.day)];
        let both = parts.into_iter().filter_map(|(mine, theirs)| mine.zip(theirs));
        let order = both.map(|(mine, theirs)| mine.cmp(&theirs)).find(|order| order.is_ne());
        (!self.either && !other.either).then_some(order.unwrap_or(Ordering::Equal))
    }
}

const MONTHS: &[&[&str]] = &[
    &["january", "jan", "januar", "jänner"],
    &["february", "feb", "februar"],
    &["march", "mar", "märz"],
    &["april", "apr"],
    &["may", "mai"],
    &["june", "jun", "juni"],
    &["july", "jul", "juli"],
    &["august", "aug"],
    &["september", "sep", "sept"],
    &["october", "oct", "oktober", "okt"],
    &["november", "nov"],
    &["december", "dec", "dezember", "dez"],
];

/// The dates among `tokens`, in order.
pub(super) fn dates(tokens: &[Token]) -> Vec<Date> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if let Some((date, used)) = read(&tokens[at..], at) {
            found.push(date);
            at += used;
        } else {
            at += 1;
        }
    }
    found
}

fn read(tokens: &[Token], at: usize) -> Option<(Date, usize)> {
    let made = |year: Option<u32>, month: Option<u32>, day: Option<u32>, either: bool, used: usize| {
        let plausible = month.is_none_or(|m| (1..=12).contains(&m)) && day.is_none_or(|d| (1..=31).contains(&d));
        let range = tokens[0].range.start..tokens[used - 1].range.end;
        plausible.then_some((Date { year, month, day, either, range, tokens: at..at + used }, used))
    };
    let sign = |index: usize, text: &str| tokens.get(index).is_some_and(|token| token.folded == text);
    let touching = |index: usize| {
        tokens.get(index).zip(tokens.get(index + 1)).is_some_and(|(left, right)| left.range.end == right.range.start)
    };
    let whole = |index: usize| tokens.get(index).and_then(integer);
    let year = |index: usize| whole(index).filter(|year| (1000..=2999).contains(year));
    let day = |index: usize| whole(index).filter(|day| (1..=31).contains(day));
    let month = |index: usize| tokens.get(index).and_then(|token| month_of(&token.folded));

    if tokens[0].kind == Kind::Number {
        // 15.01.2023
        let parts: Vec<u32> = tokens[0].folded.split('.').filter_map(|part| part.parse().ok()).collect();
        if let [d, m, y] = parts[..]
            && (1000..=2999).contains(&y)
        {
            return made(Some(y), Some(m), Some(d), false, 1);
        }
        // 2023年1月15日
        if sign(1, "年") && touching(0) {
            return match (whole(2), sign(3, "月"), whole(4), sign(5, "日")) {
                (Some(m), true, Some(d), true) => made(year(0), Some(m), Some(d), false, 6),
                (Some(m), true, ..) => made(year(0), Some(m), None, false, 4),
                _ => year(0).and_then(|y| made(Some(y), None, None, false, 2)),
            };
        }
        if sign(1, "月") && touching(0) && sign(3, "日") {
            return made(None, whole(0), whole(2), false, 4);
        }
        // 2023-01-15, 2023/01/15
        for mark in ["-", "/"] {
            if sign(1, mark) && sign(3, mark) && (0..4).all(touching) {
                if let (Some(y), Some(m), Some(d)) = (year(0), whole(2), whole(4)) {
                    return made(Some(y), Some(m), Some(d), false, 5);
                }
                if let (Some(a), Some(b), Some(y)) = (day(0), day(2), year(4)) {
                    let (m, d) = if a > 12 { (b, a) } else { (a, b) };
                    return made(Some(y), Some(m), Some(d), true, 5);
                }
            }
        }
        // 15 January 2023, 15. Januar 2023, 15th of January, 2023
        let d = day(0)?;
        let mut next = 1;
        while sign(next, ".")
            || sign(next, "of")
            || sign(next, "th")
            || sign(next, "st")
            || sign(next, "nd")
            || sign(next, "rd")
        {
            next += 1;
        }
        let m = month(next).filter(|_| next < 4)?;
        next += 1;
        let comma = usize::from(sign(next, ","));
        return match year(next + comma) {
            Some(y) => made(Some(y), Some(m), Some(d), false, next + comma + 1),
            None => made(None, Some(m), Some(d), false, next),
        };
    }
    // January 15, 2023; January 2023
    let m = month(0)?;
    if let Some(y) = year(1) {
        return made(Some(y), Some(m), None, false, 2);
    }
    let d = day(1)?;
    let mut next = 2 + usize::from(["st", "nd", "rd", "th"].iter().any(|suffix| sign(2, suffix)));
    next += usize::from(sign(next, ","));
    match year(next) {
        Some(y) => made(Some(y), Some(m), Some(d), false, next + 1),
        // "may 5" is more often a verb and a number.
        None if tokens[0].folded == "may" || tokens[0].folded == "march" || tokens[0].folded == "mar" => None,
        None => made(None, Some(m), Some(d), false, 2),
    }
}

fn integer(token: &Token) -> Option<u32> {
    (token.kind == Kind::Number).then(|| token.folded.parse().ok()).flatten()
}

pub(super) fn month_of(word: &str) -> Option<u32> {
    MONTHS.iter().position(|names| names.contains(&word)).and_then(|index| u32::try_from(index + 1).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token::tokens;

    #[test]
    fn dates_are_read_in_many_forms() {
        let full = (Some(2023), Some(1), Some(15));
        for (text, expected) in [
            ("on 2023-01-15 it", full),
            ("on January 15, 2023 it", full),
            ("the 15th of January 2023", full),
            ("am 15. Januar 2023 war", full),
            ("am 15.01.2023 war", full),
            ("2023年1月15日发布", full),
            ("in January 2023", (Some(2023), Some(1), None)),
            ("15/1/2023", full),
            ("on 15 January", (None, Some(1), Some(15))),
        ] {
            let found = dates(&tokens(text));
            assert_eq!(found.len(), 1, "{text}");
            assert_eq!((found[0].year, found[0].month, found[0].day), expected, "{text}");
        }
        assert!(dates(&tokens("it may 5 times fail, in version 3.11.2")).is_empty());
    }
}
