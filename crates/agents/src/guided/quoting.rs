//! Paragraphs that quote what a model chose.

use super::offer::{Offer, compose};

/// Makes paragraphs of offered sentences. A model chooses among them as long as its choices can be read; once one cannot,
/// asking for the next would end alike, so from then on the best are quoted.
#[derive(Clone, Copy, Debug)]
pub struct Quoting {
    unchosen: usize,
    silent: bool,
}

/// A paragraph that quotes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Paragraph<F> {
    /// The sentences with their marks.
    pub text: String,
    /// The labels of the sentences that were chosen, or the first ones where nobody chose.
    pub labels: Vec<String>,
    /// Why no choice could be read, where one was asked for.
    pub failure: Option<F>,
}

impl Quoting {
    /// Paragraphs that a model chooses for, or that quote the first `unchosen` sentences.
    #[must_use]
    pub fn new(unchosen: usize) -> Self {
        Self { unchosen, silent: false }
    }

    /// Stops asking the model: from here on the best sentences are quoted.
    pub fn stop_asking(&mut self) {
        self.silent = true;
    }

    /// Whether the model is no longer asked.
    #[must_use]
    pub fn has_stopped_asking(&self) -> bool {
        self.silent
    }

    /// The next paragraph, of these offers. `ask` gives the labels that a model chose, and is not polled where nobody is asked;
    /// an inner error says why they cannot be read. `mark` writes the mark of an evidence id.
    ///
    /// # Errors
    /// Those of `ask` that say nothing of the choice.
    pub async fn paragraph<F, E>(
        &mut self,
        offers: &[Offer],
        mark: impl Fn(&str) -> String,
        ask: impl Future<Output = Result<Result<Vec<String>, F>, E>>,
    ) -> Result<Paragraph<F>, E> {
        let asked = if self.silent { None } else { Some(ask.await?) };
        let (chosen, failure) = match asked {
            Some(Ok(labels)) => (Some(labels), None),
            Some(Err(failure)) => (None, Some(failure)),
            None => (None, None),
        };
        self.silent |= failure.is_some();
        let first = || offers.iter().take(self.unchosen).map(|offer| offer.label.clone()).collect();
        let labels = chosen.unwrap_or_else(first);
        Ok(Paragraph { text: compose(offers, &labels, mark), labels, failure })
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::future::{pending, ready};

    use super::super::lettered;
    use super::*;

    type Answer = Result<Result<Vec<String>, &'static str>, Infallible>;

    #[tokio::test]
    async fn once_a_choice_cannot_be_read_the_first_are_quoted_and_nobody_is_asked() -> Result<(), Infallible> {
        let offers = lettered(["One.", "Two.", "Three."].map(|text| Offer::new("x", text)));
        let mark = |_: &str| "[x]".to_owned();
        let mut quoting = Quoting::new(2);
        let chosen = quoting.paragraph(&offers, mark, ready::<Answer>(Ok(Ok(vec!["c".to_owned()])))).await?;
        assert_eq!((chosen.text.as_str(), chosen.failure), ("Three [x].", None));
        let unread = quoting.paragraph(&offers, mark, ready::<Answer>(Ok(Err("it says nothing")))).await?;
        assert_eq!((unread.text.as_str(), unread.failure), ("One [x]. Two [x].", Some("it says nothing")));
        let silent = quoting.paragraph(&offers, mark, pending::<Answer>()).await?;
        assert!(quoting.has_stopped_asking());
        assert_eq!((silent.labels, silent.failure), (vec!["a".to_owned(), "b".to_owned()], None));
        Ok(())
    }
}
