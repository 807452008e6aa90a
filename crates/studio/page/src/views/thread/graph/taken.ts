// Which edges of a drawing a thread took, as far as its events tell.
//
// Events tell no edges. They tell on which commit a task began, and so which tasks ended in the super-step before it:
// - An edge that is always followed, from a node of the super-step before, was taken.
// - An edge that a router, a node or a send decides was taken where it alone explains the task. Several that might
//   explain one task all count: which of them it was is not told.
// - A task that was sent is explained by sends only, and one that was not sent never by them.
// - A join waits for nodes of many super-steps: when it begins, its edges from all nodes that had tasks in the same
//   graph count.
// - An edge to the end is known when the graph ends: from the last super-step all of them, from earlier ones those that
//   are always followed. That a branch was led to the end while others went on is not told.
// - What follows an update of the state by hand is not explained by what ran before it.

import { type Commit, namespaceKey, place, type RunModel, type Task } from "../../../run/model.ts";
import type { DrawnEdge, Drawing } from "./drawing.ts";

/** Kinds of edges that are followed only when something decides so. */
const DECIDED = new Set(["conditional", "goto", "send"]);

/** What began in one graph during one run: the newest super-step, and the newest task of each node. */
interface Course {
  after: string | undefined;
  newest: Set<Task>;
  tasks: Map<string, Task>;
}

/** Where the tasks of a super-step come from: the start of the graph, nodes, or what is not known. */
interface Origin {
  start: boolean;
  nodes: Set<string>;
}

const UNKNOWN: Origin = { start: false, nodes: new Set() };
const START: Origin = { start: true, nodes: new Set() };

/** The edges that were taken, kept while a run grows. */
export class Taken {
  private readonly into = new Map<string, number[]>();
  private readonly from = new Map<string, number[]>();
  private readonly starts = new Set<string>();
  private readonly ends = new Set<string>();
  private readonly taken = new Set<number>();
  private readonly commits = new Map<string, Commit>();
  /** The tasks that began on a commit. */
  private readonly members = new Map<string, Task[]>();
  private readonly origins = new Map<string, Origin>();
  private readonly courses = new Map<string, Course>();
  private readonly ended = new WeakSet<object>();
  private tasksSeen = 0;
  private commitsSeen = 0;

  /** `run` is the place of the run among those of the thread; all runs where it is `undefined`. */
  constructor(
    private readonly drawing: Drawing,
    private readonly run: number | undefined = undefined,
  ) {
    for (const node of drawing.nodes) {
      if (node.kind === "start") this.starts.add(node.id);
      if (node.kind === "end") this.ends.add(node.id);
    }
    drawing.edges.forEach((edge, at) => {
      put(this.into, edge.target, at);
      put(this.from, edge.source, at);
    });
  }

  has(edge: number): boolean {
    return this.taken.has(edge);
  }

  /** Takes up what is new in a model, and says which edges were taken since. */
  update(model: RunModel): Set<number> {
    const changed = new Set<number>();
    for (; this.commitsSeen < model.commits.length; this.commitsSeen++) {
      const commit = model.commits[this.commitsSeen] as Commit;
      this.commits.set(commit.id, commit);
    }
    const begun = model.tasks.slice(this.tasksSeen);
    this.tasksSeen = model.tasks.length;
    for (const task of begun) {
      if (task.after !== undefined) put(this.members, task.after, task);
    }
    for (const task of begun) this.begin(task, model, changed);
    for (const run of model.runs) {
      if (run.status === "done") this.end(run, [], run.index, model, changed);
    }
    for (const call of model.calls) {
      if (call.status === "done") this.end(call, call.namespace, call.run, model, changed);
    }
    return changed;
  }

  private mark(edge: number, changed: Set<number>): void {
    if (this.taken.has(edge)) return;
    this.taken.add(edge);
    changed.add(edge);
  }

  private edge(at: number): DrawnEdge {
    return this.drawing.edges[at] as DrawnEdge;
  }

  private begin(task: Task, model: RunModel, changed: Set<number>): void {
    const around = place(task.namespace);
    const run = task.attempts[0]?.run ?? task.run;
    this.note(task, around, run);
    if (this.run !== undefined && this.run !== run) return;
    const { start, nodes } = this.origin(task.after);
    const id = placed(around, task.node);
    const into = this.into.get(id) ?? [];
    if (start) {
      for (const at of into) if (this.starts.has(this.edge(at).source)) this.mark(at, changed);
      return;
    }
    const may = into.filter((at) => nodes.has(this.edge(at).source) && (this.edge(at).kind === "send") === task.sent);
    const known = may.filter((at) => !DECIDED.has(this.edge(at).kind));
    for (const at of known.length > 0 ? known : may) this.mark(at, changed);
    if (!known.some((at) => this.edge(at).kind === "join")) return;
    const courses = this.course(task.namespace, run, model);
    for (const at of into) {
      const { kind, source } = this.edge(at);
      if (kind === "join" && courses.some((course) => course.tasks.has(source))) this.mark(at, changed);
    }
  }

  private note(task: Task, around: string, run: number): void {
    const key = courseKey(task.namespace, run);
    let course = this.courses.get(key);
    if (course === undefined) {
      course = { after: task.after, newest: new Set(), tasks: new Map() };
      this.courses.set(key, course);
    }
    if (course.after !== task.after) {
      course.after = task.after;
      course.newest = new Set();
    }
    course.newest.add(task);
    course.tasks.set(placed(around, task.node), task);
  }

  /** The course of a graph up to a run: newest first, with the runs before that it went on from. */
  private course(namespace: readonly string[], run: number, model: RunModel): Course[] {
    const courses = [];
    for (let at = run; at >= 0; at--) {
      const course = this.courses.get(courseKey(namespace, at));
      if (course !== undefined) courses.push(course);
      if (model.runs[at]?.goesOn !== true) break;
    }
    return courses;
  }

  /** What led to the tasks that begin on a commit. */
  private origin(id: string | undefined): Origin {
    if (id === undefined) return UNKNOWN;
    let origin = this.origins.get(id);
    if (origin === undefined) this.origins.set(id, (origin = this.originOf(id)));
    return origin;
  }

  private originOf(id: string): Origin {
    let commit = this.commits.get(id);
    // A fork goes on with what was next on the commit that it begins from.
    while (commit?.source === "fork") commit = this.commit(commit.parent);
    if (commit === undefined || commit.source === "update") return UNKNOWN;
    let before = this.commit(commit.parent);
    if (commit.source === "input" || before?.source === "input") return START;
    const nodes = new Set<string>();
    const take = (of: string) => {
      for (const task of this.members.get(of) ?? []) {
        if (task.status === "done") nodes.add(placed(place(task.namespace), task.node));
      }
    };
    if (commit.parent !== undefined) take(commit.parent);
    // Answers that come with an update of the state commit it between the beginning of a task and its end.
    for (; before?.source === "update" && before.parent !== undefined; before = this.commit(before.parent)) {
      take(before.parent);
    }
    return { start: false, nodes };
  }

  private commit(id: string | undefined): Commit | undefined {
    return id === undefined ? undefined : this.commits.get(id);
  }

  private end(of: object, namespace: readonly string[], run: number, model: RunModel, changed: Set<number>): void {
    if (this.ended.has(of)) return;
    this.ended.add(of);
    if (this.run !== undefined && this.run !== run) return;
    const courses = this.course(namespace, run, model);
    for (const course of courses) {
      for (const [id, task] of course.tasks) {
        if (task.status !== "done") continue;
        const isLast = course === courses[0] && course.newest.has(task);
        for (const at of this.from.get(id) ?? []) {
          const { kind, target } = this.edge(at);
          if (this.ends.has(target) && (isLast || !DECIDED.has(kind))) this.mark(at, changed);
        }
      }
    }
  }
}

function courseKey(namespace: readonly string[], run: number): string {
  return `${run} ${namespaceKey(namespace)}`;
}

function placed(around: string, node: string): string {
  return around === "" ? node : `${around}:${node}`;
}

function put<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}
