//! What a misspelt name may have meant.

use strsim::osa_distance;

/// The known name that is closest to `name`, when it is close: at most a third of its letters differ.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).max(1);
    let close = known.into_iter().map(|other| (osa_distance(name, other), other));
    close.filter(|(distance, _)| *distance <= limit).min().map(|(_, other)| other)
}

/// `; did you mean …?` when a known name is close, nothing otherwise.
pub(crate) fn suggestion<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, known).map_or_else(String::new, |other| format!("; did you mean `{other}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_close_name_is_suggested() {
        let known = ["outline", "write", "assemble"];
        assert_eq!(nearest("outlnie", known), Some("outline"));
        assert_eq!(nearest("wrote", known), Some("write"));
        assert_eq!(nearest("wirte", known), Some("write"));
        assert_eq!(nearest("review", known), None);
        assert_eq!(suggestion("review", known), "");
    }
}
