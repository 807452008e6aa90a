// What the run does about each task of the tree: the tasks of the graph by the node of the tree that they were sent for.

import { isObject } from "../../../parts/json-values.ts";
import { namespaceKey, type RunModel, type Task } from "../../../run/model.ts";

/** The node of the graph around it at which WriteHERE's own graph is. */
export const NODE = "write";

/** The tasks of the graph in this namespace, by the key of the node, in the order in which they began. */
export function worksOf(model: Pick<RunModel, "tasks">, ns: string): Map<string, Task[]> {
  const works = new Map<string, Task[]>();
  for (const task of model.tasks) {
    const node = isObject(task.input) ? task.input.node : undefined;
    if (typeof node !== "string" || namespaceKey(task.namespace) !== ns) continue;
    const known = works.get(node);
    if (known === undefined) works.set(node, [task]);
    else known.push(task);
  }
  return works;
}

/** The keys of the nodes that are carried out now. */
export function carriedOut(works: ReadonlyMap<string, Task[]>): string[] {
  const isNow = (task: Task) => task.node === "execute" && task.status === "running";
  return [...works].flatMap(([key, tasks]) => (tasks.some(isNow) ? [key] : []));
}
