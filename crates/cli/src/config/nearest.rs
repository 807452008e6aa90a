//! The name that was probably meant.

/// The known name that is nearest to what was written, if one is near: at most a third of its letters differ.
pub fn nearest<'n>(written: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let plain = |name: &str| name.to_lowercase().replace(['-', '_'], "");
    let written = plain(written);
    let scored = known.into_iter().map(|name| (distance(&written, &plain(name)), name));
    let near = scored.filter(|(steps, name)| *steps <= (name.chars().count() / 3).max(1));
    near.min_by_key(|(steps, _)| *steps).map(|(_, name)| name)
}

/// How many letters must be added, removed, changed or swapped with their neighbour.
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=other.len()).collect()];
    for (i, a) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in other.iter().enumerate() {
            let mut best = (rows[i][j] + usize::from(a != b)).min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == other[j - 1] && one[i - 1] == *b {
                best = best.min(rows[i - 1][j - 1] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows.last().and_then(|row| row.last()).copied().unwrap_or_default()
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
