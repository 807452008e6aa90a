// The state of an application's own graph. A server runs it inside of a graph around it, a program runs it alone.

import { useEffect, useState } from "preact/hooks";
import { namespaceKey, type RunModel } from "../../run/model.ts";
import { type Loaded, useThreadState } from "../thread/state/use-state.ts";
import { namespaceOf } from "./namespace.ts";

/** In milliseconds. */
const SILENCE = 1000;

/**
 * The newest state of the application's graph, which is at this node of the graph around it, read again as it changes; with
 * `fields`, only these of its values.
 */
export function useInnerState(thread: string, model: RunModel, node: string, fields?: readonly string[]): Loaded {
  const ns = namespaceOf(model, node);
  // Before anything is told it is not known where the graph is.
  const isTold = useTold(model);
  return useThreadState(thread, isTold ? ns : undefined, undefined, stand(model, ns), fields);
}

/** Whether anything was told of a run, or nothing for so long that nothing will be: of a copy there are no events. */
function useTold(model: RunModel): boolean {
  const [isSilent, setSilent] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSilent(true), SILENCE);
    return () => clearTimeout(timer);
  }, []);
  return isSilent || model.runs.length > 0;
}

/** The newest state of the graph that is served, read again as it changes. */
export function useOuterState(thread: string, model: RunModel): Loaded {
  return useThreadState(thread, "", undefined, stand(model, ""));
}

/** Changes whenever a state in this namespace may be another. */
export function stand(model: RunModel, ns: string): string {
  const commit = model.commits.findLast((one) => namespaceKey(one.namespace) === ns);
  const run = model.runs.at(-1);
  return `${commit?.id} ${run?.id} ${run?.ended}`;
}
