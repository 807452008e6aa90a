//! A process with its place on the network, and what befalls it.

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::network::Place;

/// The tests that are programs: `chaos::programs::worker_program` and `chaos::programs::driver_program`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// It executes tasks, for as long as it lives.
    Worker,
    /// It drives threads to their ends, and ends itself.
    Driver,
}

impl Program {
    fn test(self) -> &'static str {
        match self {
            Self::Worker => "chaos::programs::worker_program",
            Self::Driver => "chaos::programs::driver_program",
        }
    }
}

/// What ends after a time: a process stands still, or is cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    Still,
    Cut,
}

/// A process with a network of its own. It is killed when this is dropped.
pub(crate) struct Process {
    child: Child,
    place: Place,
    program: Program,
    told: Vec<(&'static str, String)>,
    /// The threads of a driver.
    pub(crate) threads: String,
    /// Troubles that have not ended, and until when they last.
    troubles: Vec<(Trouble, Instant)>,
}

impl Process {
    /// Starts a program at a place, with these variables in its environment.
    pub(crate) fn start(program: Program, place: Place, told: Vec<(&'static str, String)>, threads: String) -> Self {
        let child = spawn(program, &place, &told);
        Self { child, place, program, told, threads, troubles: Vec::new() }
    }

    /// Kills the process, and starts the program again at its place. A place that is cut off stays so.
    pub(crate) fn replace(&mut self) {
        self.kill();
        self.troubles.retain(|(trouble, _)| *trouble != Trouble::Still);
        self.child = spawn(self.program, &self.place, &self.told);
    }

    /// Whether it has ended, as it should.
    pub(crate) fn has_ended(&mut self) -> bool {
        let ended = self.child.try_wait().expect("its end is known");
        assert!(ended.is_none_or(|status| status.success()), "a process failed: {ended:?}");
        ended.is_some()
    }

    /// Begins a trouble of this length, unless there is one.
    pub(crate) fn begin(&mut self, trouble: Trouble, length: Duration) {
        if !self.troubles.is_empty() {
            return;
        }
        match trouble {
            Trouble::Still => self.signal("STOP"),
            Trouble::Cut => self.place.cut(),
        }
        self.troubles.push((trouble, Instant::now() + length));
    }

    /// Ends troubles whose time is over.
    pub(crate) fn mend(&mut self) {
        let now = Instant::now();
        let over: Vec<_> = self.troubles.extract_if(.., |(_, until)| *until <= now).collect();
        for (trouble, _) in over {
            match trouble {
                Trouble::Still => self.signal("CONT"),
                Trouble::Cut => self.place.mend(),
            }
        }
    }

    /// Sends a signal by its name.
    fn signal(&self, name: &str) {
        let sent = Command::new("kill").args([format!("-{name}"), self.child.id().to_string()]).status();
        assert!(sent.expect("kill runs").success(), "the process is there");
    }

    fn kill(&mut self) {
        // It may have ended since.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Starts the test that is the program. Its input stays open for as long as the test lives that starts it.
fn spawn(program: Program, place: &Place, told: &[(&'static str, String)]) -> Child {
    let own: PathBuf = std::env::current_exe().expect("this program");
    place
        .command(&own)
        .args(["--exact", program.test(), "--nocapture"])
        .envs(told.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .spawn()
        .expect("a process starts")
}
