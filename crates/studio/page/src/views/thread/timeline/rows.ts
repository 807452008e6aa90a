// The rows of the timeline: tasks in the order in which they began, and below a task those of the subgraph it calls.

import { type Call, namespaceKey, type RunModel, type Status, type Task, taskOf } from "../../../run/model.ts";

/** A task, or a subgraph call of which the task is not known. */
export interface Row {
  key: string;
  task: Task | undefined;
  call: Call | undefined;
  depth: number;
  /** Whether the subgraph is open; `undefined` where there is none. */
  open: boolean | undefined;
}

export interface Wanted {
  /** Part of a node's name; empty for all. */
  name: string;
  status: Status | "";
  /** Keys of rows whose subgraphs are closed. */
  closed: ReadonlySet<string>;
}

/** The rows that are wanted. A task that is not wanted is there where one below it is. */
export function rowsOf(model: Pick<RunModel, "tasks" | "calls">, wanted: Wanted): Row[] {
  const inside = new Map<string, Task[]>();
  const root: Task[] = [];
  for (const task of model.tasks) {
    if (task.namespace.length === 0) {
      root.push(task);
      continue;
    }
    const caller = taskOf(task.namespace) ?? namespaceKey(task.namespace);
    const tasks = inside.get(caller);
    if (tasks === undefined) inside.set(caller, [task]);
    else tasks.push(task);
  }
  const known = new Set<string>();
  if (inside.size > 0 || model.calls.length > 0) for (const task of model.tasks) known.add(task.id);
  const calls = new Map<string, Call>();
  for (const call of model.calls) calls.set(taskOf(call.namespace) ?? namespaceKey(call.namespace), call);
  const rows: Row[] = [];
  const builder = { inside, calls, wanted, rows, name: wanted.name.toLowerCase() };
  for (const task of root) addTask(builder, task, 0);
  for (const [caller, call] of calls) {
    if (!known.has(caller)) addCall(builder, caller, call);
  }
  for (const [caller, tasks] of inside) {
    if (!known.has(caller) && !calls.has(caller)) for (const task of tasks) addTask(builder, task, 0);
  }
  return rows;
}

interface Builder {
  inside: Map<string, Task[]>;
  calls: Map<string, Call>;
  wanted: Wanted;
  rows: Row[];
  name: string;
}

/** Adds a task and those below it; says whether any of them is wanted. */
function addTask(builder: Builder, task: Task, depth: number): boolean {
  const { rows, wanted, name } = builder;
  const at = rows.length;
  const below = builder.inside.get(task.id);
  const call = builder.calls.get(task.id);
  const hasBelow = below !== undefined || call !== undefined;
  const open = hasBelow ? !wanted.closed.has(task.id) : undefined;
  rows.push({ key: task.id, task, call, depth, open });
  let any = matches(wanted, name, task.node, task.status);
  if (below !== undefined) {
    const first = rows.length;
    for (const one of below) any = addTask(builder, one, depth + 1) || any;
    if (open === false) rows.length = first;
  }
  if (!any) rows.length = at;
  return any;
}

function addCall(builder: Builder, caller: string, call: Call): void {
  const { rows, wanted } = builder;
  const at = rows.length;
  const open = !wanted.closed.has(caller);
  rows.push({ key: caller, task: undefined, call, depth: 0, open });
  let any = matches(wanted, builder.name, call.graph, call.status);
  for (const task of builder.inside.get(caller) ?? []) any = addTask(builder, task, 1) || any;
  if (!open) rows.length = at + 1;
  if (!any) rows.length = at;
}

function matches(wanted: Wanted, name: string, node: string, status: Status): boolean {
  return (wanted.status === "" || status === wanted.status) && (name === "" || node.toLowerCase().includes(name));
}
