// The tree as rows. A task that is carried out as it is has one task inside, which does its work: both are one row.

import { namespaceKey, type RunModel, type Status, type Task } from "../../../run/model.ts";
import type { Node, TaskType } from "./node.ts";

type Nodes = ReadonlyMap<string, Node>;
type Works = ReadonlyMap<string, Task[]>;

export interface Row {
  /** That of its node. */
  key: string;
  node: Node;
  /** The task inside that carries it out, where it is carried out as it is. */
  execution: Node | undefined;
  depth: number;
  /** Its place among the rows beside it, from 1, and how many they are. */
  place: number;
  beside: number;
  /** Whether what is inside is shown; `undefined` where nothing is. */
  open: boolean | undefined;
}

/** The rows that are seen while the rows of these keys are closed, in the order of the plan. */
export function rowsOf(nodes: Nodes, closed: ReadonlySet<string>): Row[] {
  const rows: Row[] = [];
  const add = (key: string, depth: number, place: number, beside: number) => {
    const node = nodes.get(key);
    if (node === undefined) return;
    const execution = executionOf(nodes, node);
    const inside = execution === undefined ? node.inner.filter((one) => nodes.has(one)) : [];
    const open = inside.length === 0 ? undefined : !closed.has(key);
    rows.push({ key, node, execution, depth, place, beside, open });
    if (open === true) inside.forEach((one, at) => add(one, depth + 1, at + 1, inside.length));
  };
  add("root", 0, 1, 1);
  return rows;
}

/** The task that carries this one out as it is. */
export function executionOf(nodes: Nodes, node: Node): Node | undefined {
  const [only] = node.inner;
  const inside = only === undefined || node.inner.length > 1 ? undefined : nodes.get(only);
  return inside?.isLeaf === true && inside.key.split(".").at(-1) === "0" ? inside : undefined;
}

/** The key of the row that shows a node. */
export function rowKey(nodes: Nodes, key: string): string {
  if (key !== "0" && !key.endsWith(".0")) return key;
  const outer = outerOf(key) ?? "root";
  const node = nodes.get(outer);
  return node !== undefined && executionOf(nodes, node)?.key === key ? outer : key;
}

/** The key of the task that one stands inside. */
export function outerOf(key: string): string | undefined {
  if (key === "root") return undefined;
  const end = key.lastIndexOf(".");
  return end < 0 ? "root" : key.slice(0, end);
}

/** The tasks of the run that work on a row. */
export function tasksOf(works: Works, row: Pick<Row, "key" | "execution">): Task[] {
  const own = works.get(row.key) ?? [];
  return row.execution === undefined ? own : [...own, ...(works.get(row.execution.key) ?? [])];
}

export interface Standing {
  status: Status;
  words: string;
}

/** Where a row stands, and what is done about it now. `goesOn` says whether the run is under way. */
export function standingOf(row: Row, tasks: readonly Task[], goesOn: boolean): Standing {
  const { status } = row.node;
  if (status === "FINISH") return { status: "done", words: "done" };
  if (status === "FAILED") return { status: "failed", words: "failed" };
  const now = tasks.findLast((task) => task.status !== "done");
  if (now?.status === "asking") return { status: "asking", words: "asks" };
  if (now?.status === "waiting") return { status: "waiting", words: "is tried again" };
  if (now?.status === "running") return { status: "running", words: doing(now.node, row.node.type) };
  if (row.execution?.status === "FAILED") return { status: "failed", words: "failed" };
  switch (status) {
    case "NOT_READY":
      return { status: "waiting", words: "waits" };
    case "DOING":
      return goesOn ? { status: "running", words: "under way" } : { status: "stopped", words: "open" };
  }
  return goesOn ? { status: "waiting", words: "is next" } : { status: "stopped", words: "open" };
}

const DOING: Record<string, string> = {
  plan: "is planned",
  update: "is brought up to date",
  final_aggregate: "is put together",
};
const CARRIES_OUT: Record<TaskType, string> = { write: "is written", think: "is thought about", search: "is searched" };

function doing(action: string, type: TaskType): string {
  return action === "execute" ? CARRIES_OUT[type] : (DOING[action] ?? "is looked at");
}

/** How long tasks of the run worked, in milliseconds; `undefined` where nothing is known of any. */
export function workedOn(tasks: readonly Task[], now: number): number | undefined {
  if (tasks.length === 0) return undefined;
  const attempts = tasks.flatMap((task) => task.attempts);
  return attempts.reduce((sum, { began, ended }) => sum + Math.max(0, (ended ?? now) - began), 0);
}

/** Whether the newest run is under way in this namespace. */
export function isUnderWay(model: Pick<RunModel, "runs" | "tasks">, ns: string): boolean {
  const run = model.runs.at(-1);
  if (run === undefined || run.ended !== undefined) return false;
  return ns === "" || model.tasks.some((task) => task.run === run.index && namespaceKey(task.namespace) === ns);
}
