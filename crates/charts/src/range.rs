//! The range and the steps of an axis.

/// The multiples of a power of ten at which an axis may have its steps.
const NICE: [f64; 25] = [
    1.0, 1.1, 1.2, 1.25, 1.5, 1.6, 1.8, 2.0, 2.2, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 5.5, 6.0, 6.5, 7.0, 7.5, 8.0, 9.0,
    10.0, 12.0, 15.0,
];

/// How often a span may lie between the values and zero for bars to begin at zero.
const NEAR_ZERO: f64 = 2.5;

/// About how many steps an axis has.
const STEPS: f64 = 6.0;

/// The range of an axis: it holds all values, and its ends are multiples of its step.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Range {
    /// The lower end.
    pub from: f64,
    /// The upper end.
    pub to: f64,
    /// The step from mark to mark.
    pub step: f64,
}

impl Range {
    /// The marks, from the lower end to the upper.
    #[must_use]
    pub fn marks(&self) -> Vec<f64> {
        let count = ((self.to - self.from) / self.step).round().clamp(1.0, 40.0) as usize;
        (0..=count).map(|number| tidy(self.from + self.step * number as f64, self.step)).collect()
    }

    /// Where a value lies between the ends, from 0 to 1.
    pub(crate) fn share(&self, value: f64) -> f64 {
        ((value - self.from) / (self.to - self.from)).clamp(0.0, 1.0)
    }

    /// A value with as many decimals as its axis needs.
    pub(crate) fn written(&self, value: f64) -> String {
        let decimals = (1.0 - self.step.log10().floor()).clamp(0.0, 9.0) as usize;
        written(value, decimals)
    }
}

/// A number without needless decimals, in groups of three digits.
pub(crate) fn written(value: f64, decimals: usize) -> String {
    let text = format!("{value:.decimals$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    let (whole, fraction) = text.split_once('.').map_or((text, None), |(whole, fraction)| (whole, Some(fraction)));
    let (sign, digits) = whole.strip_prefix('-').map_or(("", whole), |digits| ("-", digits));
    let mut grouped = String::new();
    for (at, digit) in digits.chars().enumerate() {
        // Years and other numbers of four digits are written without a group.
        if at > 0 && digits.len() > 4 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    let sign = if sign == "-" && grouped.chars().all(|c| c == '0') && fraction.is_none() { "" } else { sign };
    match fraction {
        Some(fraction) => format!("{sign}{grouped}.{fraction}"),
        None => format!("{sign}{grouped}"),
    }
}

/// The range for `values`, which are finite. Bars begin at zero when it is near: at most 2.5 spans away.
#[must_use]
pub fn range_of(values: &[f64], is_bars: bool) -> Range {
    let low = values.iter().copied().filter(|value| value.is_finite()).fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().filter(|value| value.is_finite()).fold(f64::NEG_INFINITY, f64::max);
    if !low.is_finite() || !high.is_finite() {
        return Range { from: 0.0, to: 1.0, step: 0.2 };
    }
    let largest = low.abs().max(high.abs());
    let span = if high > low { high - low } else { largest.max(1.0) };
    let pad = span * if span < largest * 0.25 { 0.08 } else { 0.12 };
    let gap = if low > 0.0 {
        low
    } else if high < 0.0 {
        -high
    } else {
        0.0
    };
    let near_zero = is_bars && gap <= NEAR_ZERO * span;
    let (mut from, mut to) = (low - pad, high + pad / 2.0);
    if low >= 0.0 && (near_zero || from < 0.0) {
        from = 0.0;
    }
    if high <= 0.0 && (near_zero || to > 0.0) {
        to = 0.0;
    }
    // A span that floating-point numbers of this size cannot divide is drawn as one.
    let step = nice(((to - from) / STEPS).max(largest * 1e-12).max(f64::MIN_POSITIVE * 1e20));
    let (mut from, mut to) = (tidy((from / step).floor() * step, step), tidy((to / step).ceil() * step, step));
    // Rounding must not leave a value outside.
    while from > low {
        from -= step;
    }
    while to < high || to <= from {
        to += step;
    }
    Range { from, to, step }
}

/// The smallest nice number that is at least `raw`.
fn nice(raw: f64) -> f64 {
    let power = 10_f64.powf(raw.log10().floor());
    let multiple = raw / power;
    NICE.iter().find(|nice| **nice >= multiple - 1e-9).unwrap_or(&10.0) * power
}

/// `value` without the error that adding steps leaves behind.
fn tidy(value: f64, step: f64) -> f64 {
    let digits = (3.0 - step.log10().floor()).clamp(-12.0, 18.0) as i32;
    let scale = 10_f64.powi(digits);
    let rounded = (value * scale).round() / scale;
    if rounded.is_finite() { rounded + 0.0 } else { value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_round_and_bars_begin_at_zero_when_it_is_near() {
        for (values, is_bars, from, to, step) in [
            (&[1.0, 5.0, 9.0][..], true, 0.0, 9.6, 1.6),
            (&[98.0, 99.0, 100.0], true, 97.65, 100.35, 0.45),
            (&[-4.0, 0.0, 4.0], true, -6.0, 6.0, 1.5),
            (&[-9.0, -5.0, -1.0], true, -9.6, 0.0, 1.6),
            (&[40.0, 50.0, 60.0], false, 36.0, 64.0, 4.0),
        ] {
            let range = range_of(values, is_bars);
            assert!(range.from <= values[0] && range.to >= values[2], "{range:?}");
            assert!((range.step - step).abs() < step, "{range:?} {step}");
            assert!((range.from - from).abs() <= 2.0 * step && (range.to - to).abs() <= 2.0 * step, "{range:?}");
        }
        assert_eq!(range_of(&[1.0, 5.0, 9.0], true).from, 0.0);
        assert!(range_of(&[98.0, 99.0, 100.0], true).from > 90.0);
        assert_eq!(range_of(&[-9.0, -5.0, -1.0], true).to, 0.0);
        assert!(range_of(&[40.0, 50.0, 60.0], false).from > 0.0);
    }

    #[test]
    fn numbers_are_written_for_readers() {
        for (value, decimals, text) in [
            (1.50, 2, "1.5"),
            (1234.0, 0, "1234"),
            (12345.678, 1, "12,345.7"),
            (-1_234_567.0, 0, "-1,234,567"),
            (-0.0, 0, "0"),
            (100.0, 2, "100"),
        ] {
            assert_eq!(written(value, decimals), text);
        }
    }
}
