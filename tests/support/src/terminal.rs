//! A program on a terminal of its own: what it draws, and what a person types.

#![expect(clippy::unwrap_used, reason = "a test ends where something is not as it must be")]

use std::io::{Read, Write};
use std::num::NonZero;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, ExitStatus};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::wait::Wait;

/// Names the program and its arguments to a process of a test that becomes it.
const PROGRAM: &str = "GRAPHLOOM_ON_A_TERMINAL";
/// Parts the program and its arguments.
const COMMA: char = '\u{1f}';
const ROWS: u16 = 45;
const COLUMNS: u16 = 110;
/// What a person needs at least to read a question before they begin to answer.
const READING: Timespec = Timespec { tv_sec: 0, tv_nsec: 400_000_000 };

/// What the test does that [`Terminal::open`] names: takes the terminal for its own and becomes the program, for which the
/// standard library has no safe call. Elsewhere it does nothing.
pub fn become_the_program() {
    let Ok(words) = std::env::var(PROGRAM) else { return };
    let mut words = words.split(COMMA);
    rustix::process::setsid().unwrap();
    rustix::process::ioctl_tiocsctty(std::io::stdin()).unwrap();
    let mut program = Command::new(words.next().unwrap());
    panic!("{}", program.args(words).env_remove(PROGRAM).exec());
}

/// The two ends of a new terminal: that of the person, and that of the program.
fn ends() -> (OwnedFd, OwnedFd) {
    let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&person).unwrap();
    unlockpt(&person).unwrap();
    let name = ptsname(&person, Vec::new()).unwrap();
    let program = rustix::fs::open(&*name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
    (person, program)
}

/// Runs a program whose stdout and stderr are a terminal, to its end; every byte that the terminal got.
pub fn written_by(mut command: Command) -> (ExitStatus, Vec<u8>) {
    let (person, program) = ends();
    command.stdout(program.try_clone().unwrap()).stderr(program);
    let mut child = command.spawn().unwrap();
    // The ends that the command holds are the last ones, so that reading ends with it.
    drop(command);
    let (mut got, mut piece) = (Vec::new(), [0; 4096]);
    let mut terminal = std::fs::File::from(person);
    // A terminal that nobody has open any more answers with an error instead of an end.
    while let Ok(read @ 1..) = terminal.read(&mut piece) {
        got.extend_from_slice(&piece[..read]);
    }
    (child.wait().unwrap(), got)
}

struct Screen {
    shown: vt100::Parser,
    /// Everything that was written.
    written: Vec<u8>,
    gone: bool,
}

/// A program on a terminal of its own.
pub struct Terminal {
    child: Child,
    keys: std::fs::File,
    screen: Arc<(Mutex<Screen>, Condvar)>,
}

impl std::fmt::Debug for Terminal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Terminal").field("child", &self.child).finish_non_exhaustive()
    }
}

impl Terminal {
    /// Starts a command on a terminal, by a test of the same executable that calls [`become_the_program`].
    pub fn open(command: &Command, becoming: &str) -> Self {
        let (keys, slave) = ends();
        tcsetwinsize(&keys, Winsize { ws_row: ROWS, ws_col: COLUMNS, ws_xpixel: 0, ws_ypixel: 0 }).unwrap();
        let mut program = Command::new(std::env::current_exe().unwrap());
        program.args(["--exact", becoming, "--nocapture"]);
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => program.env(name, value),
                None => program.env_remove(name),
            };
        }
        if let Some(folder) = command.get_current_dir() {
            program.current_dir(folder);
        }
        let words = std::iter::once(command.get_program()).chain(command.get_args());
        let words: Vec<&str> = words.map(|word| word.to_str().unwrap()).collect();
        program.env("TERM", "xterm-256color").env(PROGRAM, words.join(&COMMA.to_string()));
        program.stdin(slave.try_clone().unwrap()).stdout(slave.try_clone().unwrap()).stderr(slave);
        let child = program.spawn().unwrap();
        drop(program);
        let keys = std::fs::File::from(keys);
        let [rows, columns] = [ROWS, COLUMNS].map(|size| NonZero::new(size).unwrap());
        let shown = vt100::Parser::new(rows, columns, 2_000);
        let screen = Arc::new((Mutex::new(Screen { shown, written: Vec::new(), gone: false }), Condvar::new()));
        let (mut reads, shared) = (keys.try_clone().unwrap(), Arc::clone(&screen));
        std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            loop {
                // The other end of a terminal that nobody has open is an error.
                let read = reads.read(&mut bytes).unwrap_or(0);
                let mut screen = shared.0.lock().unwrap();
                screen.shown.process(&bytes[..read]);
                screen.written.extend_from_slice(&bytes[..read]);
                screen.gone = read == 0;
                shared.1.notify_all();
                if read == 0 {
                    return;
                }
            }
        });
        Self { child, keys, screen }
    }

    /// Waits until what was written since `from` has a text, and says where that ends.
    pub fn waits_for(&self, text: &str, from: usize) -> usize {
        let mut wait = Wait::new(format!("`{text}` on the screen"));
        let mut screen = self.screen.0.lock().unwrap();
        loop {
            let at = screen.written[from..].windows(text.len()).position(|part| part == text.as_bytes());
            if let Some(at) = at {
                return from + at + text.len();
            }
            let shown = || screen.shown.screen().contents();
            assert!(!screen.gone, "no `{text}` on the screen:\n{}", shown());
            wait.goes_on(shown);
            screen = self.screen.1.wait_timeout(screen, Duration::from_secs(1)).unwrap().0;
        }
    }

    /// Types at once what a person types who has read what is shown.
    pub fn types(&mut self, keys: &str) {
        pause(&READING);
        self.types_ahead(keys);
    }

    /// Types without a look at the screen.
    pub fn types_ahead(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
    }

    /// The line that the cursor is in.
    fn line(&self) -> String {
        let screen = self.screen.0.lock().unwrap();
        let (row, _) = screen.shown.screen().cursor_position();
        screen.shown.screen().rows(0, COLUMNS).nth(usize::from(row)).unwrap_or_default()
    }

    /// Waits until the line of the cursor is this.
    pub fn shows_line(&self, expected: &str) {
        let mut wait = Wait::new(format!("`{expected}` in the line of the cursor"));
        while self.line().trim_end() != expected {
            let screen = self.screen.0.lock().unwrap();
            let shown = || screen.shown.screen().contents();
            assert!(!screen.gone, "not `{expected}` in the line of the cursor:\n{}", shown());
            wait.goes_on(shown);
            drop(self.screen.1.wait_timeout(screen, Duration::from_millis(200)).unwrap());
        }
    }

    /// Whether nothing at all is written for a second and more, which is eight turns of a spinner.
    pub fn is_silent(&self) -> bool {
        let before = self.screen.0.lock().unwrap().written.len();
        pause(&Timespec { tv_sec: 1, tv_nsec: 0 });
        self.screen.0.lock().unwrap().written.len() == before
    }

    /// Waits for the end of the program, and gives its exit code.
    pub fn ends(mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}

fn pause(time: &Timespec) {
    // A descriptor that is never ready.
    let (quiet, _kept) = std::io::pipe().unwrap();
    poll(&mut [PollFd::new(&quiet, PollFlags::IN)], Some(time)).unwrap();
}
