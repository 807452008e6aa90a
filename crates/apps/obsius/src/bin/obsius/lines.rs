//! What a person says where there is no terminal to ask them on.

use std::io::BufRead;

use graphloom_cli::Failure;

/// The next line of stdin; `None` at its end.
pub(crate) async fn next() -> Result<Option<String>, Failure> {
    let read = tokio::task::spawn_blocking(|| {
        let mut line = String::new();
        std::io::stdin().lock().read_line(&mut line).map(|bytes| (bytes > 0).then_some(line))
    });
    Ok(read.await??)
}
