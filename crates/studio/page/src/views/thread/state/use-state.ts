// The state of a graph at a checkpoint, or the newest one while the thread goes on.

import { useEffect, useRef, useState } from "preact/hooks";
import { first } from "../../../api/first.ts";
import { type Api, isPassing, told } from "../../../api/http.ts";
import type { CheckpointRef, Json, JsonObject } from "../../../api/types.ts";
import { api } from "../../../connection.ts";
import { reference, type TaskOnWire } from "./checkpoint.ts";

export interface State {
  values: JsonObject;
  next: string[];
  tasks: TaskOnWire[];
  /** None of a thread on which nothing ran. */
  checkpoint: CheckpointRef | null;
  parent_checkpoint: CheckpointRef | null;
  metadata: JsonObject | null;
  created_at: string | null;
}

export interface Loaded {
  /** The state that is wanted; while it is read, the one that was shown before. */
  state: State | undefined;
  problem: string | undefined;
  /** Whether another one than `state` is wanted and not yet there. */
  isOld: boolean;
}

/** At most so many states are kept for going back and forth. */
const KEPT = 24;
/** The newest state is read again after a time between these, in milliseconds: the longer, the longer it takes. */
const SOONEST = 500;
const LATEST = 5000;
/** While a slider is drawn, the states that it passes are not read. */
const PASSING = 90;

const kept = new Map<string, State>();

function keep(key: string, state: State): void {
  kept.delete(key);
  kept.set(key, state);
  const oldest = kept.keys().next();
  if (kept.size > KEPT && oldest.done !== true) kept.delete(oldest.value);
}

/** All of a state but its values. */
const FRAME = ["next", "tasks", "metadata", "created_at", "checkpoint", "parent_checkpoint"];

/** What is read: a state of a graph, or of its values some fields only. */
interface Wanted {
  api: Api;
  thread: string;
  ns: string;
  fields: readonly string[] | undefined;
}

function keyOf({ api, thread, ns, fields }: Wanted, id: string): string {
  return [api.base, thread, ns, id, ...(fields ?? [])].join(" ");
}

async function load(wanted: Wanted, id: string | undefined, signal: AbortSignal): Promise<State> {
  const state = await read(wanted, id, signal);
  const at = state.checkpoint?.checkpoint_id;
  if (at !== undefined) keep(keyOf(wanted, at), state);
  return state;
}

function read({ api, thread, ns, fields }: Wanted, id: string | undefined, signal: AbortSignal): Promise<State> {
  if (ns === "" && fields === undefined) {
    const at = id === undefined ? "" : `/${encodeURIComponent(id)}`;
    return api.get<State>(`/threads/${thread}/state${at}`, signal);
  }
  const select = fields && { select: [...FRAME, ...fields.map((field) => `values.${field}`)] };
  return api.post<State>(`/threads/${thread}/state/checkpoint`, { checkpoint: reference(ns, id), ...select }, signal);
}

/** Whether a state is the one that is shown: of a long one only what can change at a checkpoint is compared. */
function isSame(shown: { state: State | undefined; problem: string | undefined }, state: State): boolean {
  const old = shown.state;
  if (old === undefined || shown.problem !== undefined) return false;
  if (old.checkpoint?.checkpoint_id !== state.checkpoint?.checkpoint_id) return false;
  return JSON.stringify([old.next, old.tasks]) === JSON.stringify([state.next, state.tasks]);
}

/**
 * `id` is that of a checkpoint, and nothing for the newest. The state is read again when `now` is another. Without a
 * namespace nothing is read. With `fields` only these fields of its values are, which may be paths; a saved file and older
 * servers answer all.
 */
export function useThreadState(
  thread: string,
  ns: string | undefined,
  id: string | undefined,
  now: string,
  fields?: readonly string[],
): Loaded {
  const server = api.value;
  const wanted = ns === undefined ? undefined : keyOf({ api: server, thread, ns, fields }, id ?? "");
  const [loaded, set] = useState<{ key: string | undefined; state: State | undefined; problem: string | undefined }>();
  const again = useRef<() => void>(() => undefined);
  useEffect(() => {
    if (ns === undefined || wanted === undefined) return set(undefined);
    const ended = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isReading = false;
    let isStale = false;
    let isFirst = true;
    let next = 0;
    const plan = (at: number) => {
      // What happens while the state is read may not be in it.
      if (isReading) isStale = true;
      else timer ??= setTimeout(() => void read(), Math.max(0, at - performance.now()));
    };
    const read = async () => {
      timer = undefined;
      isReading = true;
      isStale = false;
      let isLost = false;
      const began = performance.now();
      try {
        const reading = load({ api: server, thread, ns, fields }, id, ended.signal);
        const state = await (isFirst ? first(reading) : reading);
        isFirst = false;
        set((before) => {
          return before?.key === wanted && isSame(before, state) ? before : { key: wanted, state, problem: undefined };
        });
      } catch (error) {
        if (ended.signal.aborted) return;
        isLost = isPassing(error);
        set((before) => {
          const state = before?.key === wanted ? before.state : undefined;
          return { key: wanted, state, problem: told(error) };
        });
      }
      isReading = false;
      const end = performance.now();
      next = end + Math.min(LATEST, Math.max(SOONEST, 5 * (end - began)));
      if (ended.signal.aborted) return;
      if (isLost) plan(end + LATEST);
      else if (isStale) plan(next);
    };
    const old = id === undefined ? undefined : kept.get(wanted);
    if (old !== undefined) set({ key: wanted, state: old, problem: undefined });
    // A state that was read before may have tasks that have ended since.
    plan(performance.now() + (old !== undefined ? SOONEST : id !== undefined ? PASSING : 0));
    again.current = () => plan(next);
    return () => {
      again.current = () => undefined;
      clearTimeout(timer);
      ended.abort();
    };
  }, [server, wanted]);
  useEffect(() => again.current(), [now]);
  const isOld = wanted !== undefined && loaded?.key !== wanted;
  return { state: loaded?.state, problem: isOld ? undefined : loaded?.problem, isOld };
}

/** The bytes of a value as JSON. */
export function size(value: Json): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}
