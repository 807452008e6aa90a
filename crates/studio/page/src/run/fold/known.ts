// What is remembered while events are read, beside the model itself: what is under way, and how things are found.

import type { Call, Question, RunLife, RunModel, Shared, Spoken, Task, ToolRun } from "../model.ts";
import { nodeKey } from "../model.ts";

/** The event that is read, as far as it is of any kind. */
export interface Here {
  seq: number;
  time: number;
  namespace: readonly string[];
  /** The namespace as a key. */
  key: string;
  node: string | undefined;
  /** The task that tells it, where the server says it. */
  task: string | undefined;
  event_id: string;
}

/** Inputs that are the state of a checkpoint are kept of this many tasks; older ones are read from the server. */
export const INPUTS = 200;

/** Events of one entry of the server's log have numbers that differ in their last twelve bits only. */
const PLACES = 4096;

export class Known {
  readonly model: RunModel;
  readonly byId = new Map<string, Task>();
  readonly shared = new Map<string, Shared>();
  /** Tasks under way, by node and namespace. */
  readonly open = new Map<string, Set<Task>>();
  readonly callsByKey = new Map<string, Call>();
  readonly openCalls = new Set<Call>();
  readonly questions = new Map<string, Question>();
  /** Messages that are being written, with the task that writes them. */
  readonly writing = new Map<string, { message: Spoken; task: Task | undefined }>();
  readonly tools = new Map<string, { tool: ToolRun; task: Task | undefined }>();
  /** The checkpoint on which each namespace stands, as this run told. */
  readonly heads = new Map<string, string>();
  /** The last commit of each namespace, of any run. */
  readonly lastCommits = new Map<string, string>();
  /** The last commit of the graph itself. */
  head: string | undefined;
  /** Whether the run that is told has committed anything in the graph itself. */
  hasCommitted = false;
  /** The task of which the last event told that it began or ended, and the entry that told it. */
  latest: { task: Task; entry: number } | undefined;
  /** Tasks whose inputs are kept, in a ring. */
  private readonly inputs: Task[] = [];
  private nextInput = 0;
  /** Whether the list of questions has to be made anew. */
  private questionsChanged = false;

  constructor() {
    this.model = {
      version: 0,
      seq: 0,
      time: 0,
      runs: [],
      tasks: [],
      byId: this.byId,
      commits: [],
      calls: [],
      modelCalls: [],
      questions: [],
      notices: [],
      messages: [],
      shared: this.shared,
    };
  }

  /** The run that is told. */
  get run(): RunLife | undefined {
    return this.model.runs.at(-1);
  }

  get runIndex(): number {
    return Math.max(0, this.model.runs.length - 1);
  }

  /** The one task that tells an event; `undefined` where it could be one of several. */
  teller(here: Here): Task | undefined {
    if (here.task !== undefined) return this.byId.get(here.task);
    if (here.node === undefined) return undefined;
    const open = this.open.get(nodeKey(here.namespace, here.node));
    return open?.size === 1 ? open.values().next().value : undefined;
  }

  /** What the tasks of a node share, because the events do not say whose it is. */
  sharedOf(here: Here, node: string): Shared {
    const key = nodeKey(here.namespace, node);
    let shared = this.shared.get(key);
    if (shared === undefined) {
      shared = { node, namespace: here.namespace, told: [], messages: [] };
      this.shared.set(key, shared);
    }
    return shared;
  }

  opened(task: Task): void {
    const key = nodeKey(task.namespace, task.node);
    const open = this.open.get(key);
    if (open === undefined) this.open.set(key, new Set([task]));
    else open.add(task);
  }

  closed(task: Task): void {
    const key = nodeKey(task.namespace, task.node);
    const open = this.open.get(key);
    if (open?.delete(task) && open.size === 0) this.open.delete(key);
  }

  /** Keeps the input of a task, and forgets the oldest one that can be read again. */
  keepInput(task: Task): void {
    if (this.inputs.includes(task)) return;
    const oldest = this.inputs[this.nextInput];
    if (oldest !== undefined) oldest.input = undefined;
    this.inputs[this.nextInput] = task;
    this.nextInput = (this.nextInput + 1) % INPUTS;
  }

  ask(question: Question): void {
    this.questions.set(question.id, question);
    this.questionsChanged = true;
  }

  answered(id: string): void {
    if (this.questions.delete(id)) this.questionsChanged = true;
  }

  /** Brings the lists of the model up to date. */
  settle(): void {
    if (this.questionsChanged) this.model.questions = [...this.questions.values()];
    this.questionsChanged = false;
  }
}

/** The entry of the server's log that told the event of a number. */
export function entryOf(seq: number): number {
  return Math.floor(seq / PLACES);
}
