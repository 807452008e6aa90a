//! The name that was probably meant.

use strsim::osa_distance;

/// The known name that is nearest to what was written, if one is near: at most a third of its letters differ.
pub fn nearest<'n>(written: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let plain = |name: &str| name.to_lowercase().replace(['-', '_'], "");
    let written = plain(written);
    let scored = known.into_iter().map(|name| (osa_distance(&written, &plain(name)), name));
    let near = scored.filter(|(steps, name)| *steps <= (name.chars().count() / 3).max(1));
    near.min_by_key(|(steps, _)| *steps).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let known = ["length", "max_depth", "max_nodes", "style"];
        for (written, meant) in [
            ("lenght", Some("length")),
            ("Length", Some("length")),
            ("max-depth", Some("max_depth")),
            ("maxdept", Some("max_depth")),
            ("stile", Some("style")),
            ("temperature", None),
            ("", None),
        ] {
            assert_eq!(nearest(written, known), meant, "{written}");
        }
    }
}
