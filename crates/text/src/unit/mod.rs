//! Units of measurement, which compare by value.

mod pounds;

/// A unit: what it measures, and its size in base units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unit {
    /// What the unit measures.
    pub dimension: Dimension,
    /// The size of the unit in base units of the dimension.
    pub factor: f64,
    /// The other reading of the unit's name, if there is one: `kB` and `kilobyte` are 1000 bytes to some writers and
    /// 1024 to others, `KiB` is not; `pounds` are money or a mass.
    other: Option<(Dimension, f64)>,
}

impl Unit {
    /// Whether the unit has one size everywhere, which months and years have not.
    #[must_use]
    pub fn is_exact(self) -> bool {
        !(self.dimension == Dimension::Time && self.factor > 8.0 * DAY)
    }

    /// What the unit measures and its size in base units, by every reading of its name.
    pub fn readings(self) -> impl Iterator<Item = (Dimension, f64)> {
        std::iter::once((self.dimension, self.factor)).chain(self.other)
    }

    /// The size of the unit in base units of `dimension`, by every reading of its name.
    pub fn factors(self, dimension: Dimension) -> impl Iterator<Item = f64> {
        self.readings().filter(move |(own, _)| *own == dimension).map(|(_, factor)| factor)
    }

    /// Whether two units measure the same, by some reading of each name.
    #[must_use]
    pub fn is_like(self, other: Self) -> bool {
        self.readings().any(|(own, _)| other.readings().any(|(theirs, _)| own == theirs))
    }

    /// The unit by the reading that the words around it suggest: the words before the number and the words behind the
    /// unit.
    ///
    /// ```
    /// use graphloom_text::unit::{Dimension, named};
    ///
    /// let pounds = named("pounds").unwrap();
    /// assert_eq!(pounds.beside("the calf weighs ", " at birth").dimension, Dimension::Mass);
    /// assert_eq!(pounds.beside("it sold for ", " sterling").dimension, Dimension::Pound);
    /// ```
    #[must_use]
    pub fn beside(self, before: &str, behind: &str) -> Self {
        let Some((dimension, factor)) = self.other.filter(|(dimension, _)| *dimension != self.dimension) else {
            return self;
        };
        match pounds::meant(before, behind) {
            Some(meant) if meant == self.dimension => Self { other: None, ..self },
            Some(meant) if meant == dimension => Self { dimension, factor, other: None },
            _ => self,
        }
    }
}

/// What a unit measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Dimension {
    /// Seconds.
    Time,
    /// Bytes.
    Bytes,
    /// Bits.
    Bits,
    /// Metres.
    Length,
    /// Kilograms.
    Mass,
    /// Percent.
    Percent,
    /// Percentage points.
    PercentPoints,
    /// Degrees Celsius.
    Celsius,
    /// Degrees Fahrenheit.
    Fahrenheit,
    /// Hertz.
    Frequency,
    /// US dollars.
    Dollar,
    /// Euros.
    Euro,
    /// Pounds sterling.
    Pound,
    /// Yuan.
    Yuan,
    /// Yen.
    Yen,
    /// Watts.
    Power,
    /// Watt hours.
    Energy,
    /// Volts.
    Volt,
}

impl Dimension {
    /// The symbol of the dimension's base unit.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Time => "s",
            Self::Bytes => "B",
            Self::Bits => "bit",
            Self::Length => "m",
            Self::Mass => "kg",
            Self::Percent => "%",
            Self::PercentPoints => "percentage point",
            Self::Celsius => "°C",
            Self::Fahrenheit => "°F",
            Self::Frequency => "Hz",
            Self::Dollar => "USD",
            Self::Euro => "EUR",
            Self::Pound => "GBP",
            Self::Yuan => "CNY",
            Self::Yen => "JPY",
            Self::Power => "W",
            Self::Energy => "Wh",
            Self::Volt => "V",
        }
    }
}

const DAY: f64 = 86_400.0;
/// A pound in kilograms.
const POUND: f64 = 0.453_592_37;

/// Lower-case names of units, what the units measure, and their size in base units.
const UNITS: &[(&[&str], Dimension, f64)] = {
    use Dimension::{
        Bits, Bytes, Celsius, Dollar, Energy, Euro, Fahrenheit, Frequency, Length, Mass, Percent, PercentPoints, Pound,
        Power, Time, Volt, Yen, Yuan,
    };
    &[
        (&["ns", "nanosecond", "nanoseconds", "nanosekunden", "纳秒"], Time, 1e-9),
        (&["us", "µs", "μs", "microsecond", "microseconds", "mikrosekunden", "微秒", "マイクロ秒"], Time, 1e-6),
        (&["ms", "msec", "millisecond", "milliseconds", "millisekunden", "毫秒", "ミリ秒"], Time, 1e-3),
        (&["s", "sec", "secs", "second", "seconds", "sekunde", "sekunden", "秒"], Time, 1.0),
        (&["min", "mins", "minute", "minutes", "minuten", "分钟", "分間"], Time, 60.0),
        (&["h", "hr", "hrs", "hour", "hours", "stunde", "stunden", "小时", "時間"], Time, 3600.0),
        (&["d", "day", "days", "tag", "tage", "tagen", "天", "日間"], Time, DAY),
        (&["week", "weeks", "woche", "wochen", "周", "週間"], Time, 7.0 * DAY),
        (&["month", "months", "monat", "monate", "monaten", "个月", "か月", "ヶ月"], Time, 30.44 * DAY),
        (&["year", "years", "jahr", "jahre", "jahren", "年間"], Time, 365.25 * DAY),
        (&["byte", "bytes", "字节", "バイト"], Bytes, 1.0),
        (&["kb", "kilobyte", "kilobytes"], Bytes, 1e3),
        (&["kib", "kibibyte", "kibibytes"], Bytes, 1024.0),
        (&["mb", "megabyte", "megabytes"], Bytes, 1e6),
        (&["mib", "mebibyte", "mebibytes"], Bytes, 1_048_576.0),
        (&["gb", "gigabyte", "gigabytes"], Bytes, 1e9),
        (&["gib", "gibibyte", "gibibytes"], Bytes, 1_073_741_824.0),
        (&["tb", "terabyte", "terabytes"], Bytes, 1e12),
        (&["tib", "tebibyte", "tebibytes"], Bytes, 1_099_511_627_776.0),
        (&["pb", "petabyte", "petabytes"], Bytes, 1e15),
        (&["pib", "pebibyte", "pebibytes"], Bytes, 1_125_899_906_842_624.0),
        (&["bit", "bits", "比特", "ビット"], Bits, 1.0),
        (&["kbit", "kilobit", "kilobits"], Bits, 1e3),
        (&["mbit", "megabit", "megabits"], Bits, 1e6),
        (&["gbit", "gigabit", "gigabits"], Bits, 1e9),
        (&["nm", "nanometer", "nanometers", "纳米"], Length, 1e-9),
        (&["µm", "μm", "micrometer", "micrometers", "微米"], Length, 1e-6),
        (&["mm", "millimeter", "millimeters", "millimetre", "millimetres", "毫米"], Length, 1e-3),
        (&["cm", "centimeter", "centimeters", "centimetre", "centimetres", "厘米"], Length, 1e-2),
        (&["m", "meter", "meters", "metre", "metres", "米", "メートル"], Length, 1.0),
        (&["km", "kilometer", "kilometers", "kilometre", "kilometres", "公里", "千米"], Length, 1e3),
        (&["inch", "inches", "zoll"], Length, 0.0254),
        (&["ft", "foot", "feet"], Length, 0.3048),
        (&["mile", "miles", "meile", "meilen"], Length, 1609.344),
        (&["mg", "milligram", "milligrams", "毫克"], Mass, 1e-6),
        (&["g", "gram", "grams", "gramm", "克"], Mass, 1e-3),
        (&["kg", "kilogram", "kilograms", "kilogramm", "公斤", "千克"], Mass, 1.0),
        (&["ton", "tons", "tonne", "tonnes", "tonnen", "吨"], Mass, 1e3),
        (&["lb", "lbs"], Mass, POUND),
        (&["%", "percent", "per cent", "pct", "prozent", "パーセント"], Percent, 1.0),
        (&["‰"], Percent, 0.1),
        (&["percentage", "prozentpunkte", "个百分点", "百分点", "ポイント"], PercentPoints, 1.0),
        (&["°c", "celsius", "摄氏度"], Celsius, 1.0),
        (&["°f", "fahrenheit"], Fahrenheit, 1.0),
        (&["hz", "hertz"], Frequency, 1.0),
        (&["khz", "kilohertz"], Frequency, 1e3),
        (&["mhz", "megahertz"], Frequency, 1e6),
        (&["ghz", "gigahertz"], Frequency, 1e9),
        (&["$", "usd", "us$", "us dollar", "us dollars", "dollar", "dollars", "美元", "ドル"], Dollar, 1.0),
        (&["€", "eur", "euro", "euros", "欧元", "ユーロ"], Euro, 1.0),
        (&["£", "gbp", "pound sterling", "pounds sterling", "british pound", "british pounds"], Pound, 1.0),
        (&["rmb", "cny", "yuan", "元", "人民币"], Yuan, 1.0),
        (&["¥", "jpy", "yen", "円", "日元"], Yen, 1.0),
        (&["w", "watt", "watts", "瓦"], Power, 1.0),
        (&["kw", "kilowatt", "kilowatts", "千瓦"], Power, 1e3),
        (&["mw", "megawatt", "megawatts"], Power, 1e6),
        (&["gw", "gigawatt", "gigawatts"], Power, 1e9),
        (&["wh"], Energy, 1.0),
        (&["kwh"], Energy, 1e3),
        (&["mwh"], Energy, 1e6),
        (&["gwh"], Energy, 1e9),
        (&["twh"], Energy, 1e12),
        (&["v", "volt", "volts", "伏"], Volt, 1.0),
    ]
};

/// The unit with this lower-case name.
#[must_use]
pub fn named(name: &str) -> Option<Unit> {
    if matches!(name, "pound" | "pounds") {
        return Some(Unit { dimension: Dimension::Pound, factor: 1.0, other: Some((Dimension::Mass, POUND)) });
    }
    UNITS.iter().find(|(names, ..)| names.contains(&name)).map(|&(_, dimension, factor)| made(dimension, factor))
}

fn made(dimension: Dimension, factor: f64) -> Unit {
    const THOUSANDS: [(f64, f64); 5] = [
        (1e3, 1024.0),
        (1e6, 1_048_576.0),
        (1e9, 1_073_741_824.0),
        (1e12, 1_099_511_627_776.0),
        (1e15, 1_125_899_906_842_624.0),
    ];
    let binary = THOUSANDS.iter().find(|(decimal, _)| decimal.to_bits() == factor.to_bits()).map(|(_, binary)| *binary);
    let other = binary.filter(|_| dimension == Dimension::Bytes).map(|binary| (dimension, binary));
    Unit { dimension, factor, other }
}

/// The unit at the start of a text without spaces, by the longest name that fits, and the length of the name in bytes.
#[must_use]
pub fn unit_at(text: &str) -> Option<(Unit, usize)> {
    UNITS
        .iter()
        .flat_map(|(names, dimension, factor)| names.iter().map(move |name| (*name, *dimension, *factor)))
        .filter(|(name, ..)| !name.is_ascii() && text.starts_with(name))
        .max_by_key(|(name, ..)| name.len())
        .map(|(name, dimension, factor)| (made(dimension, factor), name.len()))
}

/// Whether two amounts are the same. Months and years have no fixed size, so amounts in them may differ by 3.5 %.
#[must_use]
pub fn same_amount(left: (f64, Unit), right: (f64, Unit)) -> bool {
    let ((a, left), (b, right)) = (left, right);
    let differ = left.factor.to_bits() != right.factor.to_bits();
    let tolerance = if differ && !(left.is_exact() && right.is_exact()) { 0.035 } else { 1e-9 };
    let same = |x: f64, y: f64| (x - y).abs() <= tolerance * x.abs().max(y.abs());
    left.readings().any(|(dimension, l)| right.factors(dimension).any(|r| same(a * l, b * r)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_compare_by_value() {
        let same = |a: f64, left: &str, b: f64, right: &str| {
            same_amount((a, named(left).unwrap()), (b, named(right).unwrap()))
        };
        assert!(same(4.0, "kib", 4096.0, "bytes"));
        assert!(same(4.0, "kb", 4096.0, "bytes") && same(4.0, "kb", 4000.0, "bytes"));
        assert!(!same(4.0, "kib", 4000.0, "bytes"));
        assert!(same(1.5, "s", 1500.0, "ms") && same(1.0, "gib", 1024.0, "mib") && same(2.0, "tib", 2048.0, "gib"));
        assert!(same(12.0, "months", 1.0, "year") && same(30.0, "days", 1.0, "month"));
        assert!(!same(95.0, "minutes", 1.5, "hours") && !same(16.0, "mb", 16.0, "gb"));
    }

    #[test]
    fn pounds_are_money_or_a_mass() {
        let same = |a: f64, left: Unit, b: f64, right: &str| same_amount((a, left), (b, named(right).unwrap()));
        let pounds = named("pounds").unwrap();
        assert!(same(150.0, pounds, 150.0, "gbp") && same(150.0, pounds, 150.0, "lb"));
        assert!(!same(150.0, pounds, 68.0, "gbp") && same(1.0, pounds, 0.453_592_37, "kg"));
        assert!(pounds.is_like(named("kg").unwrap()) && pounds.is_like(named("£").unwrap()));
        let heavy = pounds.beside("it weighed ", " when it was born");
        assert!(!same(150.0, heavy, 150.0, "gbp") && same(150.0, heavy, 150.0, "lbs"));
        let money = pounds.beside("it cost ", ".");
        assert!(same(150.0, money, 150.0, "gbp") && !same(150.0, money, 150.0, "lb"));
    }
}
