//! An update that says what runs next.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::error::RunError;
use crate::executor::{Driver, Entry, Run};
use crate::limits::Control;
use crate::machine::Sent;
use crate::name::{Node, Packet};
use crate::questions::Answers;
use crate::recorder::{Queue, Then};
use crate::state::State;
use crate::thread::open::Opening;
use crate::thread::{At, Thread};

impl<S: State, Cx: Send + Sync + 'static> Thread<S, Cx> {
    /// Commits an update, with a task of each of these nodes in the place of all that is pending, and goes on as
    /// [`continue_`](Self::continue_) does, whatever the thread's status is. The update is no node's: it is folded by the
    /// reducers, and no edge follows from it. Open questions, half-filled joins and open fan-outs are dropped. A node that is named
    /// twice has one task. Without a node nothing is left to do: the thread is done.
    ///
    /// The update and the tasks are one commit, and nobody else writes the thread in between: after a crash both are there, or
    /// neither.
    ///
    /// # Errors
    /// [`RunError::GraphMismatch`]: a node that the graph does not have, and a task node, which runs what is sent to it;
    /// [`RunError::BadUpdate`], [`RunError::State`]: an update that the state cannot take. They leave the thread as it was. The
    /// store's, and the run's own.
    pub fn update_and_goto(&self, nodes: impl IntoIterator<Item = Node>, update: S::Update) -> Run<S> {
        self.update_and_send(nodes, [], update)
    }

    /// Does the same as [`update_and_goto`](Self::update_and_goto), with a task of each of these sends besides. No fan-out waits
    /// for them.
    ///
    /// # Errors
    /// As there; [`RunError::GraphMismatch`] for a send to what is no task node, and [`RunError::BadUpdate`] for an input that cannot be
    /// encoded.
    pub fn update_and_send(
        &self,
        nodes: impl IntoIterator<Item = Node>,
        sends: impl IntoIterator<Item = Packet>,
        update: S::Update,
    ) -> Run<S> {
        let (nodes, sends) = (nodes.into_iter().collect(), sends.into_iter().collect());
        self.launch_with(move |thread, control, queue| async move {
            Ok((thread.gone_to(nodes, sends, update, control, queue).await?, Entry::Resume("continue")))
        })
    }

    /// Answers questions and updates the state as [`update_and_resume`](Self::update_and_resume) does, and makes a task of each of
    /// these nodes and sends, which run beside those that stay. No edge leads to them, and no fan-out waits for them.
    ///
    /// All of it is one commit: after a crash it is there, or the questions are open and the thread is as it was.
    ///
    /// # Errors
    /// As [`update_and_resume`](Self::update_and_resume) and [`update_and_send`](Self::update_and_send).
    pub fn resume_and_send(
        &self,
        answers: Answers,
        nodes: impl IntoIterator<Item = Node>,
        sends: impl IntoIterator<Item = Packet>,
        update: S::Update,
    ) -> Run<S> {
        let (targets, packets): (Vec<_>, Vec<_>) = (nodes.into_iter().collect(), sends.into_iter().collect());
        self.launch_with(move |thread, control, queue| async move {
            let (beside, sent) = thread.targets(&targets, packets)?;
            let opening = Opening::Amend { update, answers };
            let (driver, mut entry) = thread.open(opening, control, queue).await?;
            if let Entry::Amended { nodes, sends, .. } = &mut entry {
                (*nodes, *sends) = (beside, sent);
            }
            Ok((driver, entry))
        })
    }

    /// The indices of nodes that can run without an input, and the sends.
    fn targets(&self, nodes: &[Node], sends: Vec<Packet>) -> Result<(Vec<u32>, Vec<Sent>), RunError> {
        let nodes = nodes.iter().map(|node| self.find_target(node)).collect::<Result<_, _>>()?;
        let sends = sends.into_iter().map(|packet| self.sent(packet)).collect::<Result<_, _>>()?;
        Ok((nodes, sends))
    }

    async fn gone_to(
        &self,
        nodes: Vec<Node>,
        sends: Vec<Packet>,
        update: S::Update,
        control: Arc<Control>,
        queue: Option<Arc<Queue>>,
    ) -> Result<Driver<S, Cx>, RunError> {
        let (nodes, sends) = self.targets(&nodes, sends)?;
        let (attached, _, mut restored) = self.any().attach(None).await?;
        let dropped = restored.as_mut().map(|restored| restored.drop_unfinished(&"".into())).unwrap_or_default();
        let mut driver = self.driver(attached, self.policy.clone(), control, queue, BTreeMap::new(), restored)?;
        driver.recorder.abandoned = dropped;
        driver.edit(Then::GoOn, |machine, now| Ok((machine.go_to(&nodes, sends, update, now)?, Vec::new()))).await?;
        Ok(driver)
    }

    /// The index of a node that can run without an input.
    fn find_target(&self, node: &Node) -> Result<u32, RunError> {
        let at = self.find_node(node, "go to")?;
        if self.threads.app.graph.executable.topology.is_task(at) {
            let message =
                format!("its node `{node}` runs what is sent to it, and nothing was; go to a node that sends to it");
            return Err(self.any().mismatch(message));
        }
        Ok(at)
    }

    /// A send to a task node.
    fn sent(&self, packet: Packet) -> Result<Sent, RunError> {
        let node = Node::owned(packet.to.as_str());
        let at = self.find_node(&node, "send to")?;
        if !self.threads.app.graph.executable.topology.is_task(at) {
            return Err(self.any().mismatch(format!("its node `{node}` takes no input of its own; go to it instead")));
        }
        Sent::from_outside(at, packet).map_err(|message| RunError::BadUpdate { message })
    }
}

impl<S: State, Cx: Send + Sync + 'static> At<S, Cx> {
    /// Commits an update here, with a task of each of these nodes and sends in the place of all that is pending, and goes on, as
    /// [`Thread::update_and_send`] does at the head. The checkpoint of the update is a child of this one, and the thread's head;
    /// the branch that was the head stays reachable by its numbers, with its questions as they were. Subgraphs that are kept per
    /// thread stand where they stood here. Checkpoint 0 is where the thread stood before its first input.
    ///
    /// [`reuse_once`](Self::reuse_once) changes nothing: a task that is dropped leaves no results of durable steps.
    ///
    /// # Errors
    /// As [`fork`](Self::fork) and [`Thread::update_and_send`].
    pub fn update_and_send(
        &self,
        nodes: impl IntoIterator<Item = Node>,
        sends: impl IntoIterator<Item = Packet>,
        update: S::Update,
    ) -> Run<S> {
        let (nodes, sends): (Vec<_>, Vec<_>) = (nodes.into_iter().collect(), sends.into_iter().collect());
        let number = self.number;
        self.thread.launch_with(move |thread, control, queue| async move {
            let (nodes, sends) = thread.targets(&nodes, sends)?;
            let mut driver = thread.begun_at(number, control, queue).await?;
            driver
                .edit(Then::GoOn, |machine, now| Ok((machine.go_to(&nodes, sends, update, now)?, Vec::new())))
                .await?;
            Ok((driver, Entry::Resume("continue")))
        })
    }
}
