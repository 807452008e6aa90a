//! What a misspelt name may have meant.

/// The known name that is closest to `name`, when it is close: at most a third of its letters differ.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (name.chars().count() / 3).max(1);
    let close = known.into_iter().map(|other| (distance(name, other), other));
    close.filter(|(distance, _)| *distance <= limit).min().map(|(_, other)| other)
}

/// `; did you mean …?` when a known name is close, nothing otherwise.
pub(crate) fn suggestion<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, known).map_or_else(String::new, |other| format!("; did you mean `{other}`?"))
}

/// How many letters must be inserted, removed, replaced or swapped with their neighbour (optimal string alignment).
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut rows: [Vec<usize>; 3] = [Vec::new(), Vec::new(), (0..=other.len()).collect()];
    for (line, letter) in one.iter().enumerate() {
        rows.rotate_left(1);
        let [before, above, row] = &mut rows;
        row.clear();
        row.push(line + 1);
        for (column, another) in other.iter().enumerate() {
            let replaced = above[column] + usize::from(letter != another);
            let mut least = replaced.min(above[column + 1] + 1).min(row[column] + 1);
            if line > 0 && column > 0 && *letter == other[column - 1] && one[line - 1] == *another {
                least = least.min(before[column - 1] + 1);
            }
            row.push(least);
        }
    }
    rows[2].last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        let cases = [
            ("", "abc", 3),
            ("kitten", "sitting", 3),
            ("plan", "plan", 0),
            ("plan", "", 4),
            ("write", "wirte", 1),
            ("ab", "ba", 1),
        ];
        for (one, other, expected) in cases {
            assert_eq!(distance(one, other), expected, "{one} {other}");
            assert_eq!(distance(other, one), expected, "{other} {one}");
        }
    }

    #[test]
    fn only_a_close_name_is_suggested() {
        let known = ["outline", "write", "assemble"];
        assert_eq!(nearest("outlnie", known), Some("outline"));
        assert_eq!(nearest("wrote", known), Some("write"));
        assert_eq!(nearest("review", known), None);
        assert_eq!(suggestion("review", known), "");
    }
}
