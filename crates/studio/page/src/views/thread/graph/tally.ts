// Counts of the tasks of each node, kept while a run grows: a batch of events changes the counts of its own tasks only.

import { namespaceKey, place, type RunModel, type Status, type Task, taskOf } from "../../../run/model.ts";

export type Counts = Record<Status, number>;

/** Where a node stands. One that had no task when the run had ended well was skipped. */
export type Standing = Status | "skipped";

/** What is counted of a node. */
export interface NodeTally {
  /** The node as the drawing names it: the nodes around it and its own name, joined by `:`. */
  place: string;
  /** How many tasks it had. */
  visits: number;
  /** Its tasks by where they stand. */
  counts: Counts;
  /** How many of them were sent here with an input of their own. */
  sent: number;
  /** The tasks of the graphs inside it, by where they stand. */
  inside: Counts;
  /** How its newest super-step stands: what still goes on, else the worst of how its tasks ended. */
  status: Standing | undefined;
}

const STATUSES: Status[] = ["waiting", "running", "done", "failed", "asking", "stopped"];

/** What a node is called that has tasks of several kinds, the first that there is. */
const LIVE: Status[] = ["running", "asking", "waiting"];
const ENDED: Status[] = ["failed", "stopped", "done"];

export function noCounts(): Counts {
  return { waiting: 0, running: 0, done: 0, failed: 0, asking: 0, stopped: 0 };
}

/** A node without a task. */
export function noTasks(place: string, status: Standing | undefined): NodeTally {
  return { place, visits: 0, counts: noCounts(), sent: 0, inside: noCounts(), status };
}

/** A task as it was counted. */
interface Counted {
  status: Status;
  node: Node;
  step: string;
}

interface Node {
  place: string;
  counts: Counts;
  inside: Counts;
  sent: number;
  tasks: Task[];
  /** The newest super-step of the outermost graph, and its tasks by where they stand. */
  step: string;
  newest: Counts;
}

/** Where a task stands in a run; `undefined` where it had no part in it. Without a run, where it stands at last. */
export function statusIn(task: Task, run: number | undefined): Status | undefined {
  if (run === undefined || (task.run === run && task.attempts.length === 0)) return task.status;
  if (task.run < run) return undefined;
  return task.attempts.findLast((attempt) => attempt.run === run)?.status;
}

/** The counts of all nodes of a model, of one run or of all of them. */
export class Tally {
  private readonly nodes = new Map<string, Node>();
  /** The versions of the tasks that were seen, by their places in the model. */
  private versions: number[] = [];
  private counted: (Counted | undefined)[] = [];
  private first: Task | undefined;
  private places = new Map<string, string>();

  /** `run` is the place of the run among those of the thread; all runs where it is `undefined`. */
  constructor(readonly run: number | undefined = undefined) {}

  /** Takes up what is new in a model, and says which places changed. */
  update(model: RunModel): Set<string> {
    const changed = new Set<string>();
    if (model.tasks.length < this.versions.length || model.tasks[0] !== this.first) {
      for (const place of this.nodes.keys()) changed.add(place);
      this.nodes.clear();
      this.counted = [];
      this.versions = [];
      this.first = model.tasks[0];
    }
    for (let at = 0; at < model.tasks.length; at++) {
      const task = model.tasks[at] as Task;
      if (task.version === this.versions[at]) continue;
      this.versions[at] = task.version;
      const status = statusIn(task, this.run);
      const before = this.counted[at];
      if (status === undefined || before?.status === status) continue;
      const counted = before ?? this.begin(task, model);
      if (before !== undefined) this.count(before, before.status, -1, changed);
      counted.status = status;
      this.count(counted, status, 1, changed);
      this.counted[at] = counted;
    }
    return changed;
  }

  /** What is counted of a node; `undefined` where it had no task. */
  of(id: string): NodeTally | undefined {
    const node = this.nodes.get(id);
    if (node === undefined) return undefined;
    const { counts, inside, sent } = node;
    const visits = total(counts);
    return { place: id, visits, counts: { ...counts }, inside: { ...inside }, sent, status: statusOf(node) };
  }

  /** The tasks of a node, in the order in which they began. */
  tasks(id: string): readonly Task[] {
    return this.nodes.get(id)?.tasks ?? [];
  }

  /** The places that have tasks of their own, in the order of their first. */
  reached(): string[] {
    return [...this.nodes.values()].filter((node) => node.tasks.length > 0).map((node) => node.place);
  }

  private begin(task: Task, model: RunModel): Counted {
    const node = this.node(this.placeOf(task));
    const step = stepOf(task, model);
    if (step !== node.step) {
      node.step = step;
      node.newest = noCounts();
    }
    node.tasks.push(task);
    if (task.sent) node.sent += 1;
    return { status: task.status, node, step };
  }

  private count({ node, step }: Counted, status: Status, by: number, changed: Set<string>): void {
    node.counts[status] += by;
    if (step === node.step) node.newest[status] += by;
    changed.add(node.place);
    for (let at = node.place.lastIndexOf(":"); at > 0; at = node.place.lastIndexOf(":", at - 1)) {
      const around = node.place.slice(0, at);
      this.node(around).inside[status] += by;
      changed.add(around);
    }
  }

  private node(id: string): Node {
    let node = this.nodes.get(id);
    if (node === undefined) {
      const counts = { counts: noCounts(), inside: noCounts(), newest: noCounts() };
      node = { place: id, ...counts, sent: 0, tasks: [], step: "" };
      this.nodes.set(id, node);
    }
    return node;
  }

  private placeOf(task: Task): string {
    if (task.namespace.length === 0) return task.node;
    const key = namespaceKey(task.namespace);
    let around = this.places.get(key);
    if (around === undefined) this.places.set(key, (around = place(task.namespace)));
    return `${around}:${task.node}`;
  }
}

/** How many tasks counts have in all. */
export function total(counts: Counts): number {
  return STATUSES.reduce((sum, status) => sum + counts[status], 0);
}

/** The super-step of the outermost graph that a task is in: all calls of a graph in it are one step inside. */
function stepOf(task: Task, model: RunModel): string {
  const outermost = taskOf(task.namespace.slice(0, 1));
  const around = outermost === undefined ? undefined : model.byId.get(outermost);
  return (around ?? task).after ?? "";
}

function statusOf(node: Node): Status | undefined {
  return LIVE.find((status) => node.counts[status] > 0) ?? ENDED.find((status) => node.newest[status] > 0);
}
