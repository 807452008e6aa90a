//! Reading a PDF file in another process, so that a file that fills the memory or never ends takes only that process.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::{Child, Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use super::{Bounds, Content, extract};
use crate::document::UnreadReason;

/// The first argument of a process that only reads.
const WORD: &str = "--graphloom-read-pdf";
/// The most memory of such a process, in bytes.
#[cfg(unix)]
const MEMORY: u64 = 2 * 1024 * 1024 * 1024;
/// The longest answer, in bytes.
const LONGEST_ANSWER: u64 = 256 * 1024 * 1024;
/// How often is looked whether the process has ended.
const POLL: Duration = Duration::from_millis(2);

/// Answers a [`Corpus`](crate::Corpus) of another process that has this program as its
/// [`reader`](crate::CorpusOptions::reader); nothing if the program was not started for that. It is to be called before
/// anything else in `main`, and what it returns ends the program.
///
/// ```no_run
/// fn main() -> std::process::ExitCode {
///     if let Some(ended) = graphloom_retrieval::serve_reader(std::env::args_os()) {
///         return ended;
///     }
///     // The program itself.
///     std::process::ExitCode::SUCCESS
/// }
/// ```
#[must_use]
pub fn serve_reader(arguments: impl IntoIterator<Item = OsString>) -> Option<ExitCode> {
    let mut arguments = arguments.into_iter().skip(1);
    if arguments.next()? != WORD {
        return None;
    }
    let mut number = || arguments.next()?.to_str()?.parse::<u64>().ok();
    let (pages, milliseconds) = (number()?, number()?);
    Some(match answer(usize::try_from(pages).unwrap_or(usize::MAX), Duration::from_millis(milliseconds)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    })
}

fn answer(pages: usize, time: Duration) -> io::Result<()> {
    bound(time)?;
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    let content = extract::read_within(&bytes, Bounds { pages, time, program: None });
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, &content)?;
    out.flush()
}

/// Bounds the memory and the processor time of this process.
#[cfg(unix)]
fn bound(time: Duration) -> io::Result<()> {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let limit = |most| Rlimit { current: Some(most), maximum: Some(most) };
    setrlimit(Resource::As, limit(MEMORY))?;
    setrlimit(Resource::Core, limit(0))?;
    Ok(setrlimit(Resource::Cpu, limit(time.as_secs() + 2))?)
}

#[cfg(not(unix))]
fn bound(_: Duration) -> io::Result<()> {
    Ok(())
}

/// Has `program` read a file, and ends it when it takes too long.
///
/// # Errors
/// What the program says of the file; that it was too slow, or ended without an answer.
pub(super) fn read(program: &Path, bytes: &[u8], bounds: Bounds<'_>) -> Result<Content, UnreadReason> {
    let failed = |error: io::Error| UnreadReason::System { message: format!("its reader cannot be started: {error}") };
    let milliseconds = u64::try_from(bounds.time.as_millis()).unwrap_or(u64::MAX);
    let mut child = Command::new(program)
        .args([WORD, &bounds.pages.to_string(), &milliseconds.to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed)?;
    let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
    let (answer, in_time) = thread::scope(|scope| {
        // Written and read beside each other, so that neither side waits for the other. A process that ends early closes the
        // pipe, which is told by its answer.
        scope.spawn(move || stdin.map(|mut stdin| stdin.write_all(bytes)));
        let reading = scope.spawn(move || {
            let mut answer = Vec::new();
            stdout.map(|stdout| stdout.take(LONGEST_ANSWER).read_to_end(&mut answer));
            answer
        });
        let in_time = wait(&mut child, bounds.time + Duration::from_secs(3));
        (reading.join().unwrap_or_default(), in_time)
    });
    if !in_time {
        return Err(UnreadReason::Slow { milliseconds });
    }
    serde_json::from_slice::<Result<Content, UnreadReason>>(&answer)
        .unwrap_or_else(|_| Err(UnreadReason::malformed("its reader ran out of memory or stopped unexpectedly")))
}

/// Waits for the end of a process, which is brought about after `time`; says whether it ended by itself.
fn wait(child: &mut Child, time: Duration) -> bool {
    let began = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(_)) => return true,
            Ok(None) if began.elapsed() < time => thread::sleep(POLL),
            _ => {
                child.kill().ok();
                child.wait().ok();
                return false;
            }
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    const CHILD: &str = "GRAPHLOOM_TEST_READER";

    /// Ends this process as a reader ends whose file wants more memory than it may have.
    #[test]
    fn child() {
        if std::env::var_os(CHILD).is_some() {
            bound(Duration::from_secs(60)).unwrap();
            let most = usize::try_from(MEMORY).unwrap();
            assert!(Vec::<u8>::new().try_reserve_exact(most / 4).is_ok(), "there is memory");
            std::hint::black_box(vec![1_u8; most]);
            println!("it had more memory than its bound");
        }
    }

    #[test]
    fn a_reader_that_wants_more_memory_than_it_may_have_ends_itself() {
        let name = "document::pdf::apart::tests::child";
        let mut command = Command::new(std::env::current_exe().unwrap());
        let output = command.args(["--exact", name, "--nocapture"]).env(CHILD, "1").output().unwrap();
        let (said, failed) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(said.contains("running 1 test"), "{said}");
        assert!(!output.status.success() && !said.contains("more memory"), "{said}{failed}");
        assert!(failed.contains("memory allocation"), "{failed}");
    }

    #[test]
    fn a_reader_that_ends_without_an_answer_is_told() {
        let bounds = Bounds { pages: 1, time: Duration::from_secs(60), program: None };
        let told = read(Path::new("/bin/true"), b"%PDF-1.7", bounds).map(|_| ()).unwrap_err();
        assert!(told.to_string().contains("ran out of memory or stopped unexpectedly"), "{told}");
        let told = read(Path::new("/no/such/program"), b"%PDF-1.7", bounds).map(|_| ()).unwrap_err();
        assert!(told.to_string().contains("its reader cannot be started"), "{told}");
    }
}
