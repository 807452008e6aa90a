// What is said of a thread as a whole: where it stands, what it asks, and which runs are shown.

import type { Run, Thread } from "../../api/types.ts";
import type { Question, RunLife, RunModel } from "../../run/model.ts";

/** Where a thread stands. Its record does not tell a question from a stop, nor what is done from what never ran. */
export function standing(record: Thread, questions: number, last: RunLife | undefined): string {
  if (record.status === "interrupted") return questions > 0 ? "asking" : "stopped";
  if (record.status === "idle" && last?.status === "done") return "done";
  return record.status;
}

/**
 * The open questions: what the record says where it is newer, and else what was told. As long as events may come, `isSilent`
 * is not set: they say in which order the questions of the record were asked, and nobody answers one while it moves.
 */
export function openQuestions(
  model: RunModel,
  record: Thread | undefined,
  isStale: boolean,
  isSilent: boolean,
): Question[] {
  const isFollowed = model.runs.length === 0 ? !isSilent : model.runs.at(-1)?.ended === undefined;
  if (record === undefined || isStale || isFollowed || record.status === "busy") return model.questions;
  const told = new Map(model.questions.map((question) => [question.id, question]));
  const time = Date.parse(record.updated_at);
  const open = Object.entries(record.interrupts).flatMap(([task, interrupts]) =>
    interrupts.map((interrupt) => {
      const known = told.get(interrupt.id);
      if (known !== undefined) return { ...known, ...interrupt };
      return { ...interrupt, namespace: [], task, time };
    }),
  );
  // The record has them by their tasks; the order in which they were told is that in which they were asked.
  const order = new Map([...told.keys()].map((id, at) => [id, at]));
  const at = (question: Question) => order.get(question.id) ?? order.size;
  return open.sort((one, other) => at(one) - at(other));
}

/**
 * Whether a run is under way. While earlier events are read again, the run that they tell of has no end yet: it is over where
 * the record says that the thread is not busy, and is newer than its beginning.
 */
export function isBusy(record: Thread, last: RunLife | undefined): boolean {
  if (record.status === "busy") return true;
  return last !== undefined && last.ended === undefined && last.began > Date.parse(record.updated_at);
}

/** The runs that are shown: one, or all. */
export function chosenRuns(model: RunModel, id: string | undefined): RunLife[] {
  const one = id === undefined ? undefined : model.runs.find((run) => run.id === id);
  return one === undefined ? model.runs : [one];
}

/** The part of a model that these runs did. */
export function ofRuns(model: RunModel, runs: RunLife[]): RunModel {
  if (runs.length === model.runs.length) return model;
  const chosen = new Set(runs.map((run) => run.index));
  return {
    ...model,
    runs,
    tasks: model.tasks.filter((task) => task.attempts.some((attempt) => chosen.has(attempt.run))),
    calls: model.calls.filter((call) => chosen.has(call.run)),
    modelCalls: model.modelCalls.filter((call) => chosen.has(call.run)),
    commits: model.commits.filter((commit) => chosen.has(commit.run)),
  };
}

/** Whether a run waits or is under way. */
export function isUnfinished(run: Run): boolean {
  return run.status === "pending" || run.status === "running";
}

/** The graph of a thread, as it or its runs say. */
export function graphOf(record: Thread, model: RunModel): string | undefined {
  const named = record.metadata.graph_id;
  return typeof named === "string" ? named : model.runs.at(-1)?.graph || undefined;
}
