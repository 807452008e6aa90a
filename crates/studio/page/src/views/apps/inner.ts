// The state of an application's own graph. A server runs it inside of a graph around it, a program runs it alone.

import { namespaceKey, type RunModel } from "../../run/model.ts";
import { type Loaded, useThreadState } from "../thread/state/use-state.ts";
import { namespaceOf } from "./namespace.ts";

/** The newest state of the application's graph, which is at this node of the graph around it, read again as it changes. */
export function useInnerState(thread: string, model: RunModel, node: string): Loaded {
  const ns = namespaceOf(model, node);
  return useThreadState(thread, ns, undefined, stand(model, ns));
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
