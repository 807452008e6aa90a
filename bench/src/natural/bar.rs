//! Figures and their bars.

/// A figure and its bar.
pub(crate) struct Bar {
    name: String,
    value: f64,
    bar: f64,
    least: bool,
}

impl Bar {
    /// A figure that may be at most `bar`.
    pub(crate) fn most(name: &str, value: f64, bar: f64) -> Self {
        Self { name: name.to_owned(), value, bar, least: false }
    }

    /// A figure that must be at least `bar`.
    pub(crate) fn least(name: &str, value: f64, bar: f64) -> Self {
        Self { name: name.to_owned(), value, bar, least: true }
    }
}

impl std::fmt::Display for Bar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { name, value, bar, least } = self;
        let met = if *least { value >= bar } else { value <= bar };
        let (sign, met) = (if *least { '≥' } else { '≤' }, if met { "met" } else { "not met" });
        write!(f, "{name:<46} {value:>8.3} {sign} {bar:<6} {met}")
    }
}
