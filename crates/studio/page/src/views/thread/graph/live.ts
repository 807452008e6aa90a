// What the drawing shows of a run, as a signal for each node and each edge: only those that changed are drawn anew.

import { batch, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { RunModel } from "../../../run/model.ts";
import type { Drawing } from "./drawing.ts";
import { Taken } from "./taken.ts";
import { type SkippedIn, skippedIn } from "./skipped.ts";
import { type NodeTally, noTasks, Tally } from "./tally.ts";

/** The nodes, in one run or in all. */
export class LiveNodes {
  readonly tally: Tally;
  /** The nodes that run now. */
  readonly running: ReadonlySignal<ReadonlySet<string>>;
  private readonly runs: Signal<ReadonlySet<string>> = signal(new Set());
  /** Nodes that changed, and were not told yet. */
  private readonly changed = new Set<string>();
  private readonly nodes = new Map<string, Signal<NodeTally | undefined>>();
  /** Which nodes the run passed by, when it has ended well. */
  private skipped: SkippedIn | undefined;

  constructor(private readonly run: number | undefined) {
    this.tally = new Tally(run);
    this.running = this.runs;
  }

  node(id: string): ReadonlySignal<NodeTally | undefined> {
    let node = this.nodes.get(id);
    if (node === undefined) this.nodes.set(id, (node = signal(this.of(id))));
    return node;
  }

  private of(id: string): NodeTally | undefined {
    return this.tally.of(id) ?? (this.skipped?.(id) === true ? noTasks(id, "skipped") : undefined);
  }

  /** Takes up what is new in a model. */
  take(model: RunModel): void {
    for (const id of this.tally.update(model)) this.changed.add(id);
    const before = this.skipped;
    this.skipped = skippedIn(model, this.run, before);
    if (this.skipped === before) return;
    // Whether it was passed by is another for each node without a task.
    for (const id of this.nodes.keys()) if (this.tally.of(id) === undefined) this.changed.add(id);
  }

  /** Tells all who look at a node what was taken up. */
  tell(): void {
    if (this.changed.size === 0) return;
    const changed = [...this.changed];
    this.changed.clear();
    const before = this.runs.peek();
    const running = new Set(before);
    batch(() => {
      for (const id of changed) {
        const tally = this.tally.of(id);
        if ((tally?.counts.running ?? 0) > 0) running.add(id);
        else running.delete(id);
        const node = this.nodes.get(id);
        if (node !== undefined) node.value = tally ?? this.of(id);
      }
      if (running.size !== before.size || [...running].some((id) => !before.has(id))) this.runs.value = running;
    });
  }
}

/** The edges of a drawing, in one run or in all: whether they were taken. */
export class LiveEdges {
  private readonly taken: Taken;
  private readonly edges: Signal<boolean>[];

  constructor(drawing: Drawing, run: number | undefined) {
    this.taken = new Taken(drawing, run);
    this.edges = drawing.edges.map(() => signal(false));
  }

  edge(at: number): ReadonlySignal<boolean> {
    return this.edges[at] as Signal<boolean>;
  }

  update(model: RunModel): void {
    batch(() => {
      for (const at of this.taken.update(model)) (this.edges[at] as Signal<boolean>).value = true;
    });
  }
}
