// The checkpoints of the graph that is shown, kept up to date while its thread goes on.

import { useEffect, useMemo } from "preact/hooks";
import { api } from "../../../connection.ts";
import type { RunModel } from "../../../run/model.ts";
import { Checkpoints } from "./checkpoints.ts";

/** What of a thread's events says that its states are others. */
export function standing(model: RunModel): string {
  const run = model.runs.at(-1);
  return [model.commits.length, model.questions.length, model.runs.length, run?.status, model.tasks.length].join(" ");
}

export function useCheckpoints(thread: string, ns: string, model: RunModel): Checkpoints {
  const server = api.value;
  const checkpoints = useMemo(() => new Checkpoints(server, thread, ns), [server, thread, ns]);
  useEffect(() => () => checkpoints.end(), [checkpoints]);
  const now = standing(model);
  useEffect(() => checkpoints.soon(), [checkpoints, now]);
  return checkpoints;
}

/** Reads on until a checkpoint is in the list, to which a link may lead; whether it is on the way. */
export function useReach(checkpoints: Checkpoints, id: string | undefined): boolean {
  const list = checkpoints.list.value;
  const isLoading = checkpoints.isLoading.value;
  const hasProblem = checkpoints.problem.value !== undefined;
  const isBefore = id !== undefined && !checkpoints.isWhole.value && list.length > 0 && id < (list.at(-1)?.id ?? "");
  useEffect(() => {
    if (isBefore && !isLoading && !hasProblem) void checkpoints.more();
  }, [isBefore, isLoading, hasProblem, list.length]);
  return isBefore && !hasProblem;
}
