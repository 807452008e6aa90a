//! How far a stream was read, and how it is taken up there: without a gap, and without a repeat.
//!
//! A stream is asked for what follows the id *before* the last one, and events of the last id that were told already are
//! left out. So two things hold that would not if it were asked for what follows the last id. Events that share an id are
//! not lost: the LangGraph server gives all events of one millisecond the same. And a server that no longer has the events
//! after an id is found out, because the last event must come once more.

/// How far a stream was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Position {
    /// What lies before the last events: an id, or the word for the beginning of the stream. None in a stream that is
    /// read from now on, before it told a second id.
    before: Option<String>,
    /// The id of the last events, and how many of them were read.
    last: Option<(String, usize)>,
    /// Whether an event without an id came after the last that has one.
    unnumbered: bool,
}

/// What is left out of a stream that was taken up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Overlap {
    id: String,
    count: usize,
}

/// What becomes of an event after a stream was taken up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Admission {
    /// It is new.
    New,
    /// It was told before.
    Repeat,
    /// Events before it are missing.
    Gap,
}

impl Position {
    /// Whatever comes from now on.
    pub(crate) fn now() -> Self {
        Self::default()
    }

    /// What follows an id that a caller remembers, or a word for the beginning. It is asked for as it stands.
    pub(crate) fn after(id: &str) -> Self {
        Self { before: Some(id.to_owned()), ..Self::default() }
    }

    /// Notes an event.
    pub(crate) fn note(&mut self, id: Option<&str>) {
        self.unnumbered = id.is_none();
        let Some(id) = id else { return };
        match &mut self.last {
            Some((last, count)) if last == id => *count += 1,
            last => {
                if let Some((before, _)) = last.replace((id.to_owned(), 1)) {
                    self.before = Some(before);
                }
            }
        }
    }

    /// The id of the last event that has one.
    pub(crate) fn last(&self) -> Option<&str> {
        self.last.as_ref().map(|(id, _)| id.as_str())
    }

    /// What is asked for to go on, if anything, and what of it is left out. None when the server gives its events no ids.
    pub(crate) fn resume(&self) -> Option<(Option<&str>, Option<Overlap>)> {
        if self.unnumbered {
            return None;
        }
        let Some(before) = &self.before else { return Some((self.last(), None)) };
        let overlap = self.last.as_ref().map(|(id, count)| Overlap { id: id.clone(), count: *count });
        Some((Some(before), overlap))
    }
}

impl Overlap {
    /// What becomes of the next event of this id.
    pub(crate) fn admit(&mut self, id: Option<&str>) -> Admission {
        match id {
            _ if self.count == 0 => Admission::New,
            Some(id) if id == self.id => {
                self.count -= 1;
                Admission::Repeat
            }
            Some(_) => Admission::Gap,
            // Some servers introduce every connection with an event of its own.
            None => Admission::Repeat,
        }
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A server's log: what follows the last event of an id.
    fn log_after<'l>(log: &'l [(u8, usize)], id: &str) -> &'l [(u8, usize)] {
        let end = log.iter().rposition(|(known, _)| known.to_string() == id);
        assert!(end.is_some() || id == "-1", "`{id}` was never told");
        &log[end.map_or(0, |end| end + 1)..]
    }

    proptest! {
        /// However ids are shared and wherever connections break, every event is told once and in order.
        #[test]
        fn every_event_is_told_once(
            steps in prop::collection::vec(0_u8..2, 1..40),
            breaks in prop::collection::vec(0_usize..6, 0..30),
        ) {
            let mut id = 0;
            let log: Vec<_> = steps.iter().enumerate().map(|(at, step)| { id += step; (id, at) }).collect();
            let (mut position, mut told) = (Position::after("-1"), Vec::new());
            for length in breaks.into_iter().chain([usize::MAX]) {
                let (after, mut overlap) = position.resume().unwrap();
                // The connection breaks after so many frames, also among the repeats.
                for (id, at) in log_after(&log, after.unwrap()).iter().take(length) {
                    let id = id.to_string();
                    match overlap.as_mut().map_or(Admission::New, |overlap| overlap.admit(Some(&id))) {
                        Admission::New => {
                            position.note(Some(&id));
                            told.push(*at);
                        }
                        Admission::Repeat => {}
                        Admission::Gap => prop_assert!(false, "a gap before {id}"),
                    }
                }
            }
            prop_assert_eq!(told, (0..log.len()).collect::<Vec<_>>());
        }
    }

    #[test]
    fn missing_events_and_missing_ids_are_found_out() {
        let mut position = Position::after("-1");
        assert_eq!(position.resume(), Some((Some("-1"), None)));
        position.note(None);
        assert_eq!(position.resume(), None, "nothing says where to go on");
        position.note(Some("1"));
        position.note(Some("2"));
        let (after, overlap) = position.resume().unwrap();
        assert_eq!(after, Some("1"));
        let mut overlap = overlap.unwrap();
        assert_eq!(overlap.clone().admit(Some("3")), Admission::Gap);
        assert_eq!(overlap.admit(None), Admission::Repeat);
        assert_eq!(overlap.admit(Some("2")), Admission::Repeat);
        assert_eq!(overlap.admit(Some("3")), Admission::New);
        position.note(None);
        assert_eq!(position.resume(), None, "an event after the last id would come again, or never");
    }

    #[test]
    fn a_stream_from_now_on_goes_on_after_its_only_id() {
        let mut position = Position::now();
        assert_eq!(position.resume(), Some((None, None)));
        position.note(Some("6"));
        assert_eq!(position.resume(), Some((Some("6"), None)));
        position.note(Some("7"));
        assert_eq!(position.resume().unwrap().0, Some("6"));
        let mut position = Position::after("5");
        position.note(Some("6"));
        assert_eq!(position.resume().unwrap().0, Some("5"));
    }
}
