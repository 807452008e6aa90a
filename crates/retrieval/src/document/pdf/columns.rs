//! Columns of a page that the library reads across, because something stands in the channel between them: a title above, a page
//! number below, a figure in the middle.
//!
//! A column begins where many lines begin, at one place from the left. What is left of that place and what is right of it are read one
//! after the other wherever lines of text stand beside each other; what reaches across is read on its own, between them.

/// A column has at least so many lines, and as many stand beside lines of the other.
const FEWEST_LINES: usize = 4;
/// Where each word is drawn on its own, spaces between words stand above each other in so many lines by chance, and in no more.
const FEWEST_LINES_OF_WORDS: usize = 8;
/// Half of the words of a text have no more letters.
const LONGEST_WORD: f32 = 10.0;
/// The least width of a column, in heights of its letters.
const LEAST_WIDTH: f32 = 8.0;
/// For each line that stands in both columns, as in a picture's caption between them, there are so many that do not.
const MOST_BETWEEN: usize = 3;
/// A line of running text reaches so far into its column.
const FULL_LINE: f32 = 0.8;
/// This part of the lines of a column does.
const FULL_LINES: f32 = 0.6;
/// The least channel, in heights of letters.
const LEAST_CHANNEL: f32 = 0.3;
/// A channel is so many times as wide as the spaces between words, which stand above each other by chance.
const WIDER_THAN_SPACES: f32 = 1.2;
/// Lines that begin within so many points of each other begin at the same place.
const SAME_PLACE: f32 = 1.5;
/// The most columns in columns.
const DEEPEST: usize = 6;

/// A run of letters on a page, in points. `y` grows upwards, to the line that the letters stand on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Ink {
    /// Which of the runs of the page it is.
    pub(super) at: usize,
    pub(super) left: f32,
    pub(super) right: f32,
    pub(super) y: f32,
    /// The height of the letters.
    pub(super) size: f32,
    /// How many letters there are; none in a run of spaces.
    pub(super) letters: usize,
}

/// The runs of a page in the parts in which they are read, one after the other; one part for a page without columns.
pub(super) fn parts(inks: &[Ink]) -> Vec<Vec<usize>> {
    let mut parts = Vec::new();
    read(inks, 0, &mut parts);
    parts
}

fn read(inks: &[Ink], depth: usize, parts: &mut Vec<Vec<usize>>) {
    let cut = if depth < DEEPEST { best_cut(inks) } else { None };
    let Some(sections) = cut else {
        parts.push(inks.iter().map(|ink| ink.at).collect());
        return;
    };
    for section in sections {
        match section {
            Section::Whole(inks) => parts.push(inks.iter().map(|ink| ink.at).collect()),
            Section::Columns { left, right, between } => {
                read(&left, depth + 1, parts);
                read(&right, depth + 1, parts);
                if !between.is_empty() {
                    parts.push(between.iter().map(|ink| ink.at).collect());
                }
            }
        }
    }
}

/// A part of a page from one side to the other.
enum Section {
    Whole(Vec<Ink>),
    Columns {
        left: Vec<Ink>,
        right: Vec<Ink>,
        /// What stands in both, with lines beside it.
        between: Vec<Ink>,
    },
}

/// A line of text within a column.
#[derive(Clone, Copy)]
struct Line {
    left: f32,
    right: f32,
    y: f32,
    size: f32,
    letters: usize,
}

/// The sections of the cut that puts most lines into columns.
fn best_cut(inks: &[Ink]) -> Option<Vec<Section>> {
    let shown: Vec<Ink> = inks.iter().copied().filter(|ink| ink.letters > 0).collect();
    if shown.len() < 2 * FEWEST_LINES {
        return None;
    }
    let mut best: Option<(usize, Channel)> = None;
    for begin in beginnings(&shown) {
        let Some(channel) = Channel::before(begin, &shown) else { continue };
        let lines: usize = channel.sections(&shown).iter().map(|section| lines_in_columns(section, &channel)).sum();
        if lines > 0 && best.as_ref().is_none_or(|(most, _)| lines > *most) {
            best = Some((lines, channel));
        }
    }
    let (_, channel) = best?;
    Some(joined(channel.sections(inks), &channel))
}

/// The places at which several runs begin, from the left.
fn beginnings(inks: &[Ink]) -> Vec<f32> {
    let mut lefts: Vec<f32> = inks.iter().map(|ink| ink.left).collect();
    lefts.sort_by(f32::total_cmp);
    let groups = lefts.chunk_by(|one, next| next - one <= SAME_PLACE / 2.0);
    groups.filter(|group| group.len() >= FEWEST_LINES).filter_map(|group| group.first().copied()).collect()
}

/// The channel before a column.
struct Channel {
    /// Where the column begins.
    begin: f32,
    middle: f32,
    /// Words that are nearer to each other stand in one line across it.
    near: f32,
    /// The lines that must stand side by side.
    fewest: usize,
}

impl Channel {
    /// The channel between the runs that end before a place and those that begin there.
    fn before(begin: f32, inks: &[Ink]) -> Option<Self> {
        let lines = grouped(inks, 0.2);
        let mut ends: Vec<f32> = Vec::new();
        let mut spaces: Vec<f32> = Vec::new();
        for line in &lines {
            if line.iter().any(|ink| ink.left < begin - SAME_PLACE && ink.right > begin) {
                continue;
            }
            let end = line.iter().filter(|ink| ink.right <= begin).map(|ink| ink.right).reduce(f32::max);
            ends.extend(end);
            let words = line.windows(2).filter(|pair| pair[0].right > begin || pair[1].left < begin - SAME_PLACE);
            spaces.extend(words.map(|pair| pair[1].left - pair[0].right));
        }
        ends.sort_by(f32::total_cmp);
        spaces.retain(|space| *space > 0.0);
        spaces.sort_by(f32::total_cmp);
        let end = *ends.get(ends.len() * 9 / 10)?;
        let width = begin - end;
        // Where a run is a whole line, what is between runs are other channels, and the widest spaces of all.
        let by_words = median(inks.iter().map(|ink| ink.letters as f32)) <= LONGEST_WORD;
        let space = spaces.get(spaces.len() / 2).copied().filter(|_| by_words).unwrap_or_default();
        let size = median(inks.iter().map(|ink| ink.size));
        let is_wide = width >= LEAST_CHANNEL * size && width >= WIDER_THAN_SPACES * space;
        let fewest = if by_words { FEWEST_LINES_OF_WORDS } else { FEWEST_LINES };
        is_wide.then_some(Self { begin, middle: begin - width / 2.0, near: (0.7 * width).max(space), fewest })
    }

    /// A page in its sections, from the top.
    fn sections(&self, inks: &[Ink]) -> Vec<Section> {
        let (mut sides, mut across): (Vec<Ink>, Vec<Vec<Ink>>) = (Vec::new(), Vec::new());
        for line in grouped(inks, 0.2) {
            let (own, rest) = self.split(&line);
            sides.extend(rest);
            if !own.is_empty() {
                across.push(own);
            }
        }
        // What has lines of the columns beside it does not end them.
        let beside = |line: &[Ink]| {
            sides.iter().any(|ink| {
                ink.letters > 0 && line.iter().any(|own| (own.y - ink.y).abs() < 0.6 * own.size.max(ink.size))
            })
        };
        let (between, ending): (Vec<Vec<Ink>>, Vec<Vec<Ink>>) = across.into_iter().partition(|line| beside(line));
        let mut between: Vec<Ink> = between.concat();
        let mut sections = Vec::new();
        for line in ending {
            let y = line[0].y;
            sections.extend(self.band(&mut sides, &mut between, y));
            sections.push(Section::Whole(line));
        }
        sections.extend(self.band(&mut sides, &mut between, f32::NEG_INFINITY));
        sections
    }

    /// What of a line reaches across the channel, with the words beside it, and the rest.
    fn split(&self, line: &[Ink]) -> (Vec<Ink>, Vec<Ink>) {
        let near = |one: &Ink, next: &Ink| next.left - one.right < self.near.min(0.6 * one.size);
        let crosses = |chain: &[Ink]| {
            let left = chain.iter().map(|ink| ink.left).fold(f32::MAX, f32::min);
            let right = chain.iter().map(|ink| ink.right).fold(f32::MIN, f32::max);
            left < self.middle && right > self.middle
        };
        let (across, rest): (Vec<&[Ink]>, Vec<&[Ink]>) = line.chunk_by(near).partition(|chain| crosses(chain));
        (across.concat(), rest.concat())
    }

    /// Takes what stands above `y`.
    fn band(&self, sides: &mut Vec<Ink>, between: &mut Vec<Ink>, y: f32) -> Option<Section> {
        let (above, below): (Vec<Ink>, Vec<Ink>) = sides.iter().partition(|ink| ink.y > y);
        let (inset, later): (Vec<Ink>, Vec<Ink>) = between.iter().partition(|ink| ink.y > y);
        (*sides, *between) = (below, later);
        let (left, right): (Vec<Ink>, Vec<Ink>) = above.into_iter().partition(|ink| ink.left < self.middle);
        (!left.is_empty() || !right.is_empty()).then_some(Section::Columns { left, right, between: inset })
    }
}

/// How many lines of a section are in columns; none where it has no columns of running text.
fn lines_in_columns(section: &Section, channel: &Channel) -> usize {
    let Section::Columns { left, right, between } = section else { return 0 };
    let (left, right, between) = (lines(left), lines(right), lines(between));
    let beside = |one: &Line| right.iter().any(|other| (one.y - other.y).abs() < 1.2 * one.size);
    let side_by_side = left.iter().filter(|line| beside(line)).count();
    let begin = right.iter().filter(|line| (line.left - channel.begin).abs() <= SAME_PLACE).count();
    let columns = is_running_text(&left)
        && is_running_text(&right)
        && side_by_side >= channel.fewest.max(MOST_BETWEEN * between.len())
        && begin >= FEWEST_LINES.max(right.len() / 4);
    if columns { left.len() + right.len() } else { 0 }
}

/// Whether lines fill their column with letters, as those of a table or of a list of labels do not.
fn is_running_text(lines: &[Line]) -> bool {
    let mut rights: Vec<f32> = lines.iter().map(|line| line.right).collect();
    rights.sort_by(f32::total_cmp);
    let Some(right) = rights.get(rights.len() * 9 / 10).copied() else { return false };
    let left = lines.iter().map(|line| line.left).fold(f32::MAX, f32::min);
    let (width, size) = (right - left, median(lines.iter().map(|line| line.size)));
    let full = lines.iter().filter(|line| line.right - left >= FULL_LINE * width).count();
    let letters: usize = lines.iter().map(|line| line.letters).sum();
    lines.len() >= FEWEST_LINES
        && width >= LEAST_WIDTH * size
        && full as f32 >= FULL_LINES * lines.len() as f32
        && letters as f32 * size >= 0.6 * width * lines.len() as f32
}

/// The lines that runs on one side make.
fn lines(inks: &[Ink]) -> Vec<Line> {
    let shown: Vec<Ink> = inks.iter().copied().filter(|ink| ink.letters > 0).collect();
    let line = |inks: &Vec<Ink>| Line {
        left: inks.iter().map(|ink| ink.left).fold(f32::MAX, f32::min),
        right: inks.iter().map(|ink| ink.right).fold(f32::MIN, f32::max),
        y: inks[0].y,
        size: inks.iter().map(|ink| ink.size).fold(0.0, f32::max),
        letters: inks.iter().map(|ink| ink.letters).sum(),
    };
    grouped(&shown, 0.4).iter().map(line).collect()
}

/// Runs on one line, from the top and from the left; on one line is what stands within a part of the height of its letters.
fn grouped(inks: &[Ink], part: f32) -> Vec<Vec<Ink>> {
    let mut sorted = inks.to_vec();
    sorted.sort_by(|one, other| other.y.total_cmp(&one.y));
    let mut groups: Vec<Vec<Ink>> = Vec::new();
    for ink in sorted {
        match groups.last_mut() {
            Some(group) if group[0].y - ink.y <= part * group[0].size.max(ink.size) => group.push(ink),
            _ => groups.push(vec![ink]),
        }
    }
    groups.iter_mut().for_each(|group| group.sort_by(|one, other| one.left.total_cmp(&other.left)));
    groups
}

/// Sections with what is in no columns of running text in one piece.
fn joined(sections: Vec<Section>, channel: &Channel) -> Vec<Section> {
    let mut joined: Vec<Section> = Vec::new();
    for section in sections {
        if lines_in_columns(&section, channel) > 0 {
            joined.push(section);
            continue;
        }
        let more = match section {
            Section::Whole(inks) => inks,
            Section::Columns { left, right, between } => [left, right, between].concat(),
        };
        match joined.last_mut() {
            Some(Section::Whole(inks)) => inks.extend(more),
            _ => joined.push(Section::Whole(more)),
        }
    }
    joined
}

fn median(values: impl Iterator<Item = f32>) -> f32 {
    let mut values: Vec<f32> = values.collect();
    values.sort_by(f32::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lines 12 points apart, each from one place to another.
    fn lines_at(lines: &[(f32, f32)], top: f32, inks: &mut Vec<Ink>) {
        for (number, (left, right)) in lines.iter().enumerate() {
            let letters = ((right - left) / 5.0) as usize;
            let y = top - 12.0 * number as f32;
            inks.push(Ink { at: inks.len(), left: *left, right: *right, y, size: 10.0, letters });
        }
    }

    #[test]
    fn what_stands_in_the_channel_does_not_close_it() {
        let mut inks = Vec::new();
        lines_at(&[(150.0, 460.0), (280.0, 330.0)], 740.0, &mut inks);
        lines_at(&[(72.0, 300.0); 20], 700.0, &mut inks);
        lines_at(&[(310.0, 539.0); 20], 698.0, &mut inks);
        lines_at(&[(303.0, 308.0)], 140.0, &mut inks);
        let expected: [Vec<usize>; 4] = [vec![0, 1], (2..22).collect(), (22..42).collect(), vec![42]];
        assert_eq!(parts(&inks), expected);
    }

    #[test]
    fn lines_around_a_picture_in_the_middle_stay_in_their_columns() {
        let mut inks = Vec::new();
        let left = [[(72.0, 300.0); 8], [(72.0, 240.0); 8], [(72.0, 300.0); 8]].concat();
        let right = [[(310.0, 539.0); 8], [(370.0, 539.0); 8], [(310.0, 539.0); 8]].concat();
        lines_at(&left, 700.0, &mut inks);
        lines_at(&right, 700.0, &mut inks);
        lines_at(&[(255.0, 355.0); 4], 580.0, &mut inks);
        let expected: [Vec<usize>; 3] = [(0..24).collect(), (24..48).collect(), (48..52).collect()];
        assert_eq!(parts(&inks), expected);
    }

    #[test]
    fn four_columns_are_four_and_words_of_one_column_are_one() {
        let mut inks = Vec::new();
        for column in [0.0, 130.0, 260.0, 390.0] {
            lines_at(&[(50.0 + column, 172.0 + column); 30], 700.0 - column / 100.0, &mut inks);
        }
        assert_eq!(parts(&inks).iter().map(Vec::len).collect::<Vec<_>>(), [30; 4]);

        let (mut inks, mut state) = (Vec::new(), 7_u32);
        for line in 0..45_u8 {
            let mut left = 72.0;
            while left < 500.0 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let right = left + 8.0 + (state >> 16) as f32 % 40.0;
                lines_at(&[(left, right)], 700.0 - 12.0 * f32::from(line), &mut inks);
                left = right + 3.0;
            }
        }
        assert_eq!(parts(&inks).len(), 1);
    }

    #[test]
    fn a_table_is_no_text_in_columns() {
        let mut inks = Vec::new();
        let cells = |left: f32| (0..20).map(|row| (left, left + 20.0 + (row * 37 % 90) as f32)).collect::<Vec<_>>();
        lines_at(&cells(72.0), 700.0, &mut inks);
        lines_at(&cells(220.0), 700.0, &mut inks);
        lines_at(&cells(370.0), 700.0, &mut inks);
        assert_eq!(parts(&inks).len(), 1);
    }
}
