//! The best of several, by one question for each.

use graphloom_llm::Choice;

/// The place of the one of `count` that a model most likely says yes to; of one or none nothing is asked. `ask` puts the
/// question about the one at a place, with the options yes and no in this order. Asked one by one, a small model compares
/// rightly more often than among the choices of one question.
///
/// # Errors
/// Those of `ask`.
pub async fn likeliest<E, A>(count: usize, ask: impl Fn(usize) -> A) -> Result<usize, E>
where
    A: Future<Output = Result<Choice, E>>,
{
    let mut best = (0, f32::NEG_INFINITY);
    if count < 2 {
        return Ok(best.0);
    }
    for at in 0..count {
        let choice = ask(at).await?;
        let odds = match choice.scores.as_slice() {
            [yes, no] => yes - no,
            _ if choice.index == 0 => 1.0,
            _ => -1.0,
        };
        if odds > best.1 {
            best = (at, odds);
        }
    }
    Ok(best.0)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::future::{pending, ready};

    use graphloom_llm::Usage;

    use super::*;

    fn choice(index: usize, scores: &[f32]) -> Result<Choice, Infallible> {
        Ok(Choice { index, scores: scores.to_vec(), usage: Usage::default() })
    }

    #[tokio::test]
    async fn odds_decide_and_else_the_answers() -> Result<(), Infallible> {
        let scores = [[-1.0, -0.5], [-0.2, -3.0], [-0.1, -2.0]];
        assert_eq!(likeliest(3, |at| ready(choice(0, &scores[at]))).await?, 1);
        assert_eq!(likeliest(3, |at| ready(choice(usize::from(at != 2), &[]))).await?, 2);
        assert_eq!(likeliest(1, |_| pending::<Result<Choice, Infallible>>()).await?, 0);
        Ok(())
    }
}
