//! One simulated schedule: a graph, a policy and faults, all of one seed.

use graphloom_core_graph::__private::FastPath;
use graphloom_core_graph::checkpoint::ThreadStatus;
use graphloom_core_graph::simulate::{Faults, Report, Simulator};
use graphloom_core_graph::{Durability, Mode, RunPolicy};

use crate::drawn::{Drawn, QUESTION};
use crate::random::Random;
use crate::tally::Tally;

/// The fast paths that a simulated run can take.
const FAST_PATHS: [FastPath; 3] = [FastPath::SingleTasks, FastPath::InlineCalls, FastPath::CompactSteps];

/// What a schedule went through.
#[derive(Clone, Copy, Debug, Default)]
pub struct Summary {
    /// Tasks that were committed.
    pub tasks: u64,
    /// How often the process died.
    pub crashes: u64,
    /// How many calls of the store failed.
    pub refusals: u64,
    /// Whether tasks were executed elsewhere; how often, in a sum.
    pub elsewhere: u64,
}

/// All that a seed says.
#[derive(Debug)]
pub struct Schedule {
    /// The seed.
    pub seed: u64,
    /// The graph.
    pub drawn: Drawn,
    /// The policy of its run.
    pub policy: RunPolicy,
    /// What goes wrong.
    pub faults: Faults,
    /// Whether tasks are executed elsewhere.
    pub elsewhere: bool,
}

impl Schedule {
    /// The schedule of a seed.
    pub fn new(seed: u64) -> Self {
        let mut random = Random::new(seed);
        let drawn = Drawn::new(&mut random);
        let durability = random.choose(&[Durability::Sync, Durability::Sync, Durability::Async, Durability::Exit]);
        let mut policy = RunPolicy::default().durability(durability);
        if random.percent(60) {
            policy = policy.max_concurrency(1 + random.choose(&[0, 1, 2, 4]));
        }
        let faults = Faults::default()
            .crash(random.choose(&[0, 0, 6, 12, 30]))
            .sudden(random.choose(&[0, 0, 20, 60, 150]))
            .refuse(random.choose(&[0, 0, 60, 200]))
            .lose_answer(random.choose(&[0, 0, 10, 30]))
            .delay(random.choose(&[0, 0, 0, 6]))
            .sync(random.choose(&[0, 0, 0, 2, 6]));
        for path in FAST_PATHS {
            if random.percent(25) {
                policy = policy.without(path);
            }
        }
        let elsewhere = random.percent(40);
        let faults = faults
            .linger(random.choose(&[0, 0, 2, 4]))
            .lose_message(random.choose(&[0, 0, 12, 40]))
            .repeat_message(random.choose(&[0, 0, 6, 20]))
            .end_worker(random.choose(&[0, 0, 8, 30]));
        Self { seed, drawn, policy, faults, elsewhere }
    }

    /// Runs it, and tells what is wrong.
    ///
    /// # Errors
    /// What is wrong, in words.
    pub fn run(&self) -> Result<Report<Tally>, String> {
        let graph = self.drawn.compile()?;
        let simulator = |faults, policy| {
            Simulator::new(&graph)
                .seed(self.seed)
                .policy(policy)
                .faults(faults)
                .answer(QUESTION, 1u64)
                .map_err(|error| error.to_string())
        };
        let troubled = simulator(self.faults, self.policy.clone())?;
        let troubled = match self.elsewhere {
            true => troubled.elsewhere().map_err(|error| error.to_string())?,
            false => troubled,
        };
        let report = simulated(&troubled)?;
        self.check(&report)?;
        if self.drawn.mode == Mode::Barrier {
            // Whatever goes wrong, and whatever fast paths are taken, the writes are in the order in which they are when
            // nothing goes wrong and none is taken.
            let general = FAST_PATHS.into_iter().fold(self.policy.clone(), RunPolicy::without);
            let calm = simulated(&simulator(Faults::default(), general)?)?;
            if self.is_fixed() && calm.state.log != report.state.log {
                return Err(format!(
                    "the order of writes differs: {:?}, and when nothing goes wrong {:?}",
                    report.state.log, calm.state.log
                ));
            }
        }
        Ok(report)
    }

    /// Whether the order of writes is the same in every schedule: no part of the graph commits task by task.
    fn is_fixed(&self) -> bool {
        !format!("{:?}", self.drawn.body).contains("Eager")
    }

    fn check(&self, report: &Report<Tally>) -> Result<(), String> {
        if let Some(violation) = report.violations.first() {
            return Err(violation.clone());
        }
        if report.status != ThreadStatus::Done {
            return Err(format!("the thread is {:?}: {}", report.status, report.detail));
        }
        let expected = self.drawn.expected();
        if report.state.ran != expected {
            return Err(format!("ran {:?}, and should have {expected:?}", report.state.ran));
        }
        let logged: u64 = expected.values().sum();
        if report.state.log.len() as u64 != logged {
            return Err(format!("{} lines are logged, and {logged} tasks ran", report.state.log.len()));
        }
        if report.state.effects != self.drawn.effects() {
            return Err(format!(
                "{} results of durable steps, and should be {}",
                report.state.effects,
                self.drawn.effects()
            ));
        }
        Ok(())
    }
}

/// Runs a simulation in a runtime of its own, with virtual time.
fn simulated(simulator: &Simulator<Tally>) -> Result<Report<Tally>, String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .map_err(|error| error.to_string())?;
    runtime.block_on(simulator.run(Tally::update())).map_err(|error| format!("the simulation stopped: {error}"))
}

/// Runs the schedule of a seed.
///
/// # Errors
/// What is wrong, in words.
pub fn run(seed: u64) -> Result<Summary, String> {
    let schedule = Schedule::new(seed);
    let (report, elsewhere) = (schedule.run()?, u64::from(schedule.elsewhere));
    let tasks = report.steps.iter().map(Vec::len).sum::<usize>() as u64;
    Ok(Summary { tasks, crashes: report.crashes, refusals: report.refusals, elsewhere })
}
