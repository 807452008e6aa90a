//! Opening a thread for writing: lease, status, answers, and the driver that goes on.

use std::sync::Arc;

use crate::error::RunError;
use crate::executor::{Driver, Entry, Runtime};
use crate::limits::{Control, RunPolicy};
use crate::machine::{AnswerMap, Restored};
use crate::questions::{Answers, Questions};
use crate::recorder::{CommitLog, Queue, Session};
use crate::state::State;
use crate::thread::Thread;
use crate::thread::any::Opened;

/// What a call wants of a thread. `I` is an input, `()` where it does not matter.
pub(crate) enum Opening<I> {
    Run {
        input: I,
        abandon: bool,
    },
    Resume(Answers),
    /// Answers, with an update that counts only together with them.
    Amend {
        update: I,
        answers: Answers,
    },
    Continue,
    /// A history from elsewhere, of which this is the input.
    Import(I),
    /// A commit outside a run.
    Edit,
}

impl<I> Opening<I> {
    /// Takes the input out.
    fn split(self) -> (Opening<()>, Option<I>) {
        match self {
            Self::Run { input, abandon } => (Opening::Run { input: (), abandon }, Some(input)),
            Self::Import(input) => (Opening::Import(()), Some(input)),
            Self::Resume(answers) => (Opening::Resume(answers), None),
            Self::Amend { update, answers } => (Opening::Amend { update: (), answers }, Some(update)),
            Self::Continue => (Opening::Continue, None),
            Self::Edit => (Opening::Edit, None),
        }
    }
}

impl<S: State, Cx: Send + Sync + 'static> Thread<S, Cx> {
    pub(crate) async fn open(
        &self,
        opening: Opening<S::Update>,
        control: Arc<Control>,
        queue: Option<Arc<Queue>>,
    ) -> Result<(Driver<S, Cx>, Entry<S>), RunError> {
        let (opening, update) = opening.split();
        let how = match &opening {
            Opening::Resume(_) => "resume",
            _ => "continue",
        };
        let is_amendment = matches!(opening, Opening::Amend { .. });
        let Opened { attached, restored, answers, records, abandoned } = self.any().open(opening).await?;
        let entry = match update {
            Some(update) if is_amendment => {
                Entry::Amended { update, answers: records, nodes: Vec::new(), sends: Vec::new() }
            }
            Some(input) => Entry::Input(Some(input)),
            None => Entry::Resume(how),
        };
        let mut driver = self.driver(attached, self.policy.clone(), control, queue, answers, restored)?;
        driver.recorder.abandoned = abandoned;
        Ok((driver, entry))
    }

    pub(super) fn driver(
        &self,
        mut attached: CommitLog,
        policy: RunPolicy,
        control: Arc<Control>,
        queue: Option<Arc<Queue>>,
        answers: AnswerMap,
        restored: Option<Restored>,
    ) -> Result<Driver<S, Cx>, RunError> {
        let threads = &self.threads;
        attached.go_by(threads.schedule.as_ref());
        let mut session = Session::new(
            Arc::clone(&self.id),
            Some(attached),
            Arc::clone(&threads.clock),
            control,
            policy,
            threads.memory.clone(),
            queue,
            answers,
        );
        session.forget_attempts = restored.as_ref().is_some_and(|restored| restored.forget_attempts);
        session.schedule = threads.schedule.clone();
        Driver::new(
            Runtime::of(&threads.app.graph.executable, Arc::clone(&threads.app.resources)),
            Arc::new(session),
            "".into(),
            None,
            restored,
        )
    }

    /// The open questions.
    ///
    /// # Errors
    /// The store's.
    pub async fn questions(&self) -> Result<Questions, RunError> {
        Ok(self.state().await?.questions)
    }
}
