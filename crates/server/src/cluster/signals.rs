//! What members tell each other at once.

use futures::StreamExt;
use futures::stream::{BoxStream, pending};
use graphloom_core_graph::store::Signal;
use uuid::Uuid;

use super::member::Member;
use crate::changes::Kind;

/// What a member tells the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum News {
    /// The log of a thread has entries up to this one.
    Log { thread: Uuid, last: u64 },
    /// A thread was deleted.
    Deleted { thread: Uuid },
    /// A letter is in the mailbox of a member.
    Mail { member: Uuid },
    /// A letter was answered.
    Reply { letter: Uuid },
    /// A member changed records of a kind.
    Changed { member: Uuid, kind: Kind },
    /// Threads are free that somebody has to take up.
    Left,
    /// Something may have been missed: all is looked at again.
    Missed,
}

impl News {
    fn topic(self) -> (String, String) {
        match self {
            Self::Log { thread, last } => (format!("log {thread}"), last.to_string()),
            Self::Deleted { thread } => (format!("deleted {thread}"), String::new()),
            Self::Mail { member } => (format!("mail {member}"), String::new()),
            Self::Reply { letter } => (format!("reply {letter}"), String::new()),
            Self::Changed { member, kind } => (format!("changed {member}"), kind.as_str().to_owned()),
            Self::Left => ("left".to_owned(), String::new()),
            Self::Missed => ("missed".to_owned(), String::new()),
        }
    }

    /// None for what a newer version tells.
    fn read(signal: &Signal) -> Option<Self> {
        let Signal::Heard { topic, payload } = signal else { return Some(Self::Missed) };
        let (kind, id) = topic.split_once(' ').unwrap_or((topic, ""));
        let id = || Uuid::parse_str(id).ok();
        Some(match kind {
            "log" => Self::Log { thread: id()?, last: payload.parse().ok()? },
            "deleted" => Self::Deleted { thread: id()? },
            "mail" => Self::Mail { member: id()? },
            "reply" => Self::Reply { letter: id()? },
            "changed" => Self::Changed { member: id()?, kind: Kind::read(payload)? },
            "left" => Self::Left,
            "missed" => Self::Missed,
            _ => return None,
        })
    }
}

impl Member {
    /// Tells the others, if there are any.
    pub(crate) fn tell(&self, news: News) {
        if let Some(signals) = self.settings.signals.as_ref().filter(|_| self.peers.has_others()) {
            let (topic, payload) = news.topic();
            signals.publish(&topic, &payload);
        }
    }

    /// Whether others can tell this process anything at once.
    pub(crate) fn is_told(&self) -> bool {
        self.settings.signals.is_some()
    }

    /// What others tell, and this member itself; nothing where there are no signals.
    pub(crate) fn news(&self) -> BoxStream<'static, News> {
        match &self.settings.signals {
            Some(signals) => signals.subscribe().filter_map(async |signal| News::read(&signal)).boxed(),
            None => pending().boxed(),
        }
    }
}

#[cfg(test)]
mod unit {
    use super::*;

    #[test]
    fn news_are_read_as_they_were_told() {
        let id = Uuid::now_v7();
        let all = [
            News::Log { thread: id, last: 7 },
            News::Deleted { thread: id },
            News::Mail { member: id },
            News::Reply { letter: id },
            News::Changed { member: id, kind: Kind::Runs },
            News::Left,
            News::Missed,
        ];
        for news in all {
            let (topic, payload) = news.topic();
            assert!(!topic.contains('\n'));
            assert_eq!(News::read(&Signal::Heard { topic, payload }), Some(news));
        }
        assert_eq!(News::read(&Signal::Missed), Some(News::Missed));
        let newer = Signal::Heard { topic: "moon 1".to_owned(), payload: String::new() };
        assert_eq!(News::read(&newer), None);
    }
}
