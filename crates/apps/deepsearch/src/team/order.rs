//! In which order the sections of a dependency-driven outline are researched and written. Pure functions.
//!
//! Research of a section needs the research of the sections that it builds on, writing needs its own research and the
//! texts of those sections. Those are the only real dependencies; the layered order of the original adds a barrier
//! after each layer.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::config::TeamOrder;
use crate::state::Section;

/// What is done for a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Work {
    /// Planning and collecting.
    Reason,
    /// Writing.
    Write,
}

/// One piece of work.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct Job {
    /// What is done.
    pub work: Work,
    /// For which section.
    pub section: String,
}

/// Sections that wait for one another, so that none of them can begin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the sections {} wait for one another", sections.join(", "))]
pub struct SectionCycle {
    /// The sections that no order can hold, in the order of the outline.
    pub sections: Vec<String>,
}

impl Job {
    /// Research for a section.
    pub fn reason(section: impl Into<String>) -> Self {
        Self { work: Work::Reason, section: section.into() }
    }

    /// Writing of a section.
    pub fn write(section: impl Into<String>) -> Self {
        Self { work: Work::Write, section: section.into() }
    }
}

/// The layer of each section by Kahn's algorithm: 0 for those that build on none, else one more than the deepest that it
/// builds on. Parents that are not in the list count as done.
///
/// # Errors
/// [`SectionCycle`] when some sections wait for one another.
pub fn layers(sections: &[Section]) -> Result<Vec<Vec<String>>, SectionCycle> {
    let known: BTreeSet<&str> = sections.iter().map(|section| section.id.as_str()).collect();
    let mut placed: BTreeSet<&str> = BTreeSet::new();
    let mut layers = Vec::new();
    while placed.len() < known.len() {
        let free = |section: &&Section| {
            !placed.contains(section.id.as_str()) && parents(section, &known).all(|parent| placed.contains(parent))
        };
        let layer: Vec<&Section> = sections.iter().filter(free).collect();
        if layer.is_empty() {
            let left = sections.iter().filter(|section| !placed.contains(section.id.as_str()));
            return Err(SectionCycle { sections: left.map(|section| section.id.clone()).collect() });
        }
        placed.extend(layer.iter().map(|section| section.id.as_str()));
        layers.push(layer.into_iter().map(|section| section.id.clone()).collect());
    }
    Ok(layers)
}

fn parents<'s>(section: &'s Section, known: &'s BTreeSet<&str>) -> impl Iterator<Item = &'s str> {
    section.parent_ids.iter().map(String::as_str).filter(|parent| known.contains(parent) && *parent != section.id)
}

/// The jobs that shall be running now, at most `most`, when `finished` are done, in the order in which they ended.
///
/// A job stays in the answer from the moment it enters it until it is finished, whatever else becomes ready meanwhile:
/// jobs are taken in the order in which they became ready. So whoever starts what is new in each answer never has more
/// than `most` running. Sections that wait for one another never become ready.
pub fn running(order: TeamOrder, sections: &[Section], finished: &[Job], most: usize) -> Vec<Job> {
    let ends: BTreeMap<&Job, usize> = finished.iter().zip(1..).collect();
    let mut ready = match order {
        TeamOrder::Dataflow => dataflow(sections, &ends),
        TeamOrder::Layered => layered(sections, &ends),
    };
    ready.sort_by_key(|(since, place, _)| (*since, *place));
    ready.into_iter().map(|(_, _, job)| job).take(most.max(1)).collect()
}

/// A ready job, since which end of another it is, and its place among those that became ready with it.
type ReadyJob = (usize, usize, Job);

fn dataflow(sections: &[Section], ends: &BTreeMap<&Job, usize>) -> Vec<ReadyJob> {
    let known: BTreeSet<&str> = sections.iter().map(|section| section.id.as_str()).collect();
    let mut ready = Vec::new();
    for (place, section) in sections.iter().enumerate() {
        let research = Job::reason(&section.id);
        let after = |work: Work| -> Option<usize> {
            let mut since = 0;
            for parent in parents(section, &known) {
                since = since.max(*ends.get(&Job { work, section: parent.to_owned() })?);
            }
            Some(since)
        };
        match ends.get(&research) {
            None => ready.extend(after(Work::Reason).map(|since| (since, place, research))),
            Some(researched) => {
                let text = Job::write(&section.id);
                if !ends.contains_key(&text) {
                    ready.extend(after(Work::Write).map(|since| (since.max(*researched), place, text)));
                }
            }
        }
    }
    ready
}

/// Stage `k` researches layer `k` and writes layer `k - 1`; it begins when all of stage `k - 1` is done.
fn layered(sections: &[Section], ends: &BTreeMap<&Job, usize>) -> Vec<ReadyJob> {
    let Ok(layers) = layers(sections) else { return Vec::new() };
    for stage in 0..=layers.len() {
        let write = stage.checked_sub(1).and_then(|before| layers.get(before)).into_iter().flatten().map(Job::write);
        let reason = layers.get(stage).into_iter().flatten().map(Job::reason);
        let left: Vec<Job> = write.chain(reason).filter(|job| !ends.contains_key(job)).collect();
        if !left.is_empty() {
            return left.into_iter().enumerate().map(|(place, job)| (stage, place, job)).collect();
        }
    }
    Vec::new()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn section(id: &str, parents: &[&str]) -> Section {
        let parent_ids = parents.iter().map(|parent| (*parent).to_owned()).collect();
        Section { id: id.into(), parent_ids, ..Section::default() }
    }

    fn diamond() -> Vec<Section> {
        vec![section("1", &[]), section("2", &["1"]), section("3", &["1"]), section("4", &["2", "3"])]
    }

    fn shown(jobs: &[Job]) -> String {
        let one = |job: &Job| format!("{}{}", if job.work == Work::Reason { "r" } else { "w" }, job.section);
        jobs.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn layers_of_a_diamond_and_of_a_circle() {
        assert_eq!(layers(&diamond()).unwrap(), [vec!["1"], vec!["2", "3"], vec!["4"]]);
        let circle = [section("1", &[]), section("2", &["3"]), section("3", &["2"])];
        assert_eq!(layers(&circle).unwrap_err().to_string(), "the sections 2, 3 wait for one another");
        for order in [TeamOrder::Layered, TeamOrder::Dataflow] {
            let left = running(order, &circle, &[Job::reason("1"), Job::write("1")], 9);
            assert_eq!(left, [], "{order:?} does not begin what can never begin");
        }
        let stranger = [section("1", &["9", "1"])];
        assert_eq!(layers(&stranger).unwrap(), [vec!["1"]], "an unknown parent and oneself hold nothing up");
    }

    #[test]
    fn the_layered_order_writes_the_layer_before_beside_research() {
        let (sections, mut finished, mut trace) = (diamond(), Vec::new(), Vec::new());
        loop {
            let stage = running(TeamOrder::Layered, &sections, &finished, 9);
            if stage.is_empty() {
                break;
            }
            trace.push(shown(&stage));
            finished.extend(stage);
        }
        assert_eq!(trace, ["r1", "w1 r2 r3", "w2 w3 r4", "w4"]);
    }

    #[test]
    fn the_dataflow_order_waits_only_for_what_it_needs() {
        let finished = [Job::reason("1"), Job::reason("2")];
        assert_eq!(shown(&running(TeamOrder::Dataflow, &diamond(), &finished, 9)), "w1 r3");
        assert_eq!(shown(&running(TeamOrder::Layered, &diamond(), &finished, 9)), "w1 r3");
        let finished = [Job::reason("1"), Job::reason("2"), Job::write("1")];
        assert_eq!(shown(&running(TeamOrder::Dataflow, &diamond(), &finished, 9)), "r3 w2", "w2 does not wait for r3");
        assert_eq!(shown(&running(TeamOrder::Layered, &diamond(), &finished, 9)), "r3");
    }

    /// Outlines whose sections build on earlier ones.
    fn outlines() -> impl Strategy<Value = Vec<Section>> {
        proptest::collection::vec(proptest::collection::vec(any::<bool>(), 8), 1..8).prop_map(|rows| {
            let of = |(at, row): (usize, &Vec<bool>)| {
                let parents = (0..at).filter(|parent| row[*parent]).map(|parent| (parent + 1).to_string());
                Section { id: (at + 1).to_string(), parent_ids: parents.collect(), ..Section::default() }
            };
            rows.iter().enumerate().map(of).collect()
        })
    }

    proptest! {
        /// Whatever ends first: what was begun stays in the answer, the limit holds, dependencies hold, all gets done.
        #[test]
        fn every_schedule_is_sound(sections in outlines(), most in 1_usize..5, picks in proptest::collection::vec(0_usize..100, 40)) {
            for order in [TeamOrder::Layered, TeamOrder::Dataflow] {
                let (mut finished, mut active, mut picks) = (Vec::<Job>::new(), Vec::<Job>::new(), picks.iter().cycle());
                loop {
                    let now = running(order, &sections, &finished, most);
                    prop_assert!(now.len() <= most);
                    prop_assert!(active.iter().all(|job| now.contains(job)), "{order:?}: {active:?} {now:?}");
                    for job in &now {
                        let section = sections.iter().find(|section| section.id == job.section).unwrap();
                        for parent in &section.parent_ids {
                            let before = Job { work: job.work, section: parent.clone() };
                            prop_assert!(finished.contains(&before));
                        }
                        if job.work == Work::Write {
                            prop_assert!(finished.contains(&Job::reason(&job.section)));
                        }
                    }
                    active = now;
                    if active.is_empty() {
                        break;
                    }
                    finished.push(active.remove(picks.next().unwrap() % active.len()));
                }
                prop_assert_eq!(finished.len(), sections.len() * 2);
            }
        }
    }
}
