//! Documents about a log, and a question that they answer: what commands are run on.

/// The question.
pub const QUESTION: &str = "How does a log keep a transaction safe when the power fails?";

/// A document in two parts.
pub const LOGGING: &str = "# Write-ahead logging

A write-ahead log keeps a transaction safe because every change is appended to the log before the database file is
touched. When the power fails, the database file still holds its old pages.

## Recovery

On the next start the reader scans the log and replays every frame up to the last commit record. Frames after the last
commit record belong to a transaction that never finished, so they are ignored. A checksum in each frame tells a torn
frame from a whole one.
";

/// A paragraph about what it is to reach the disk.
pub const SYNCING: &str = "The commit record counts only when it has reached the disk. A full sync waits for the disk at every commit, so a power
failure loses nothing that was acknowledged. A normal sync waits only at checkpoints, so the last commits may be lost.
";
