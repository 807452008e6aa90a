//! `cargo run -- start NAME` writes a letter and ends with a question, which stays in the file `letters.db`. Another process
//! answers it: `cargo run -- change NAME` or `cargo run -- send`.

use std::error::Error;

use graphloom::graph::{Answers, Outcome};
use graphloom::sqlite::SqliteCheckpointer;

use new_crate::{Letter, graph};
use new_crate::{VERDICT, Verdict};

const USAGE: &str = "say `start NAME`, and then `change NAME` or `send`";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let threads = graph()?.with_checkpointer(SqliteCheckpointer::open("letters.db")?);
    let thread = threads.thread("release");

    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let answered = |verdict| Answers::new().and(VERDICT, verdict);
    let outcome = match words.as_slice() {
        // What an earlier letter has left open is dropped.
        ["start", to] => {
            thread
                .abandon()
                .run(Letter::update().to(*to).sent(false))
                .await?
        }
        ["change", to] => {
            thread
                .resume(answered(Verdict::Change { to: (*to).into() })?)
                .await?
        }
        ["send"] => thread.resume(answered(Verdict::Send)?).await?,
        _ => return Err(USAGE.into()),
    };
    match outcome {
        Outcome::Waiting(questions) => {
            for question in questions.iter() {
                println!("`{}` is asked about {}", question.key, question.payload);
            }
            println!("answer with `cargo run -- change NAME` or `cargo run -- send`");
        }
        Outcome::Done(letter) => println!("sent: {}", letter.text),
        other => return Err(format!("the run ended with {other:?}").into()),
    }
    Ok(())
}
