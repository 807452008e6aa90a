// The state of a thread at a checkpoint, and of the graphs inside: field by field, or what differs from the one before.

import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { Empty, Problem, Time } from "../../parts/basics.tsx";
import { count, counted, visible } from "../../parts/text.ts";
import { choose, route } from "../../route.ts";
import type { RunModel } from "../../run/model.ts";
import { branch, type Checkpoint, grouped, levels, nameOf } from "./state/checkpoint.ts";
import type { Checkpoints } from "./state/checkpoints.ts";
import { ChangedFields, Fields } from "./state/fields.tsx";
import { Tasks } from "./state/tasks.tsx";
import { standing, useCheckpoints, useReach } from "./state/use-checkpoints.ts";
import { type State, useThreadState } from "./state/use-state.ts";
import { DifferenceSwitch } from "./state/difference-switch.tsx";

export interface StateProps {
  thread: string;
  /** The checkpoint of the thread that is chosen; its newest one unless set. */
  checkpoint: string | undefined;
  model: RunModel;
}

export function StateView({ thread, checkpoint, model }: StateProps): JSX.Element {
  const { query } = route.value;
  const ns = query.get("ns") ?? "";
  // Checkpoints of a graph inside are its own.
  const name = ns === "" ? "checkpoint" : "at";
  const id = ns === "" ? checkpoint : (query.get("at") ?? undefined);
  const isDifference = query.get("diff") === "1";
  const checkpoints = useCheckpoints(thread, ns, model);
  const list = checkpoints.list.value;
  const isNewest = id === undefined || id === list[0]?.id;
  const { state, problem, isOld } = useThreadState(thread, ns, id, isNewest ? standing(model) : "");
  const inside = (to: string) => choose({ ns: to === "" ? undefined : to, at: undefined });
  const go = (to: string | undefined, replace = false) => choose({ [name]: to }, replace);
  return (
    <div class="state">
      {ns !== "" && <Path ns={ns} onInside={inside} />}
      <Steps checkpoints={checkpoints} id={id} shown={state?.checkpoint?.checkpoint_id} go={go} />
      {problem !== undefined && <Problem>{visible(problem)}</Problem>}
      {state === undefined && problem === undefined && <Empty>The state is being read …</Empty>}
      {state !== undefined && problem === undefined && state.checkpoint === null && (
        <Empty>Nothing has run on this thread, so it has no state.</Empty>
      )}
      {state?.checkpoint && (
        <div class={isOld ? "is-old" : undefined} aria-busy={isOld}>
          <div class="row apart state-choices">
            <Next state={state} />
            <DifferenceSwitch isOn={isDifference} />
          </div>
          <Tasks tasks={state.tasks} onInside={inside} />
          <Shown thread={thread} ns={ns} state={state} isDifference={isDifference} />
        </div>
      )}
    </div>
  );
}

/** The fields of a state, or their difference to the state before. */
export function Shown({
  thread,
  ns,
  state,
  isDifference,
}: {
  thread: string;
  ns: string;
  state: State;
  isDifference: boolean;
}): JSX.Element {
  const parent = state.parent_checkpoint?.checkpoint_id;
  if (!isDifference) return <Fields values={state.values} />;
  if (parent === undefined) return <Empty>This is the first checkpoint: there is none before.</Empty>;
  return <FromParent thread={thread} ns={ns} parent={parent} state={state} />;
}

interface FromParentProps {
  thread: string;
  ns: string;
  parent: string;
  state: State;
}

function FromParent({ thread, ns, parent, state }: FromParentProps): JSX.Element {
  const { state: before, problem, isOld } = useThreadState(thread, ns, parent, "");
  if (problem !== undefined) return <Problem>{visible(problem)}</Problem>;
  if (before === undefined || isOld) return <Empty>The state before is being read …</Empty>;
  return <ChangedFields before={before.values} after={state.values} />;
}

/** The nodes that run next. */
export function Next({ state }: { state: State }): JSX.Element {
  if (state.next.length === 0) return <span class="quiet">Nothing runs next</span>;
  return <span>Next: {grouped(state.next)}</span>;
}

/** The graphs around the one that is shown. */
function Path({ ns, onInside }: { ns: string; onInside: (ns: string) => void }): JSX.Element {
  const inside = levels(ns);
  return (
    <nav aria-label="Graphs around" class="state-path">
      <ol>
        <li>
          <button type="button" class="plain" onClick={() => onInside("")}>
            Thread
          </button>
        </li>
        {inside.map((level, at) => (
          <li key={level.ns}>
            {at === inside.length - 1 ? (
              <strong aria-current="page">{visible(level.node)}</strong>
            ) : (
              <button type="button" class="plain" onClick={() => onInside(level.ns)}>
                {visible(level.node)}
              </button>
            )}
          </li>
        ))}
      </ol>
    </nav>
  );
}

/** The part of a checkpoint's id that tells it from others; the whole of it on hover. */
export function CheckpointId({ of }: { of: string }): JSX.Element {
  return (
    <code class="id" title={of}>
      {of.slice(0, 13)}
    </code>
  );
}

/** What a checkpoint is called. */
export function titleOf(checkpoint: Checkpoint, known: ReadonlyMap<string, Checkpoint>): string {
  return `Step ${checkpoint.step}: ${nameOf(checkpoint, known.get(checkpoint.parent ?? ""))}`;
}

/** Goes from checkpoint to checkpoint along a branch. */
function Steps({
  checkpoints,
  id,
  shown,
  go,
}: {
  checkpoints: Checkpoints;
  id: string | undefined;
  /** The checkpoint whose state is on the page. */
  shown: string | undefined;
  go: (id: string | undefined, replace?: boolean) => void;
}): JSX.Element | null {
  const list = checkpoints.list.value;
  const newest = list[0];
  const here = id ?? shown ?? newest?.id;
  const isBefore = useReach(checkpoints, here);
  const isLoading = checkpoints.isLoading.value;
  const line = here === undefined ? [] : branch(list, here);
  const at = line.findIndex((checkpoint) => checkpoint.id === here);
  const current = line[at];
  const known = new Map(line.map((checkpoint) => [checkpoint.id, checkpoint]));
  const to = (index: number, replace = false) => {
    const checkpoint = line[index];
    if (checkpoint === undefined) return;
    // The newest one is followed as the thread goes on.
    go(checkpoint.id === newest?.id ? undefined : checkpoint.id, replace);
  };
  const isStart = line[0]?.parent === undefined;
  useEffect(() => {
    // The earlier part of the branch is on a page that is not there yet.
    if (at === 0 && !isStart && !isLoading) void checkpoints.more();
  }, [at, isStart, isLoading]);
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.metaKey || (event.ctrlKey && !event.altKey) || isWriting(event.target)) return;
      if (event.key === "[") to(at - 1);
      else if (event.key === "]") to(at + 1);
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  });
  if (newest === undefined) {
    const problem = checkpoints.problem.value;
    return problem === undefined ? null : <Problem>The checkpoints could not be read: {visible(problem)}</Problem>;
  }
  return (
    <div class="state-steps card">
      <div class="row">
        <button type="button" disabled={at <= 0} onClick={() => to(at - 1)} aria-keyshortcuts="[" title="Key: [">
          ◀ Before
        </button>
        <input
          class="grow"
          type="range"
          aria-label="Checkpoint"
          aria-valuetext={current === undefined ? undefined : titleOf(current, known)}
          min={0}
          max={Math.max(0, line.length - 1)}
          value={Math.max(0, at)}
          disabled={line.length < 2}
          onInput={(event) => to(Number(event.currentTarget.value), true)}
        />
        <button
          type="button"
          disabled={at < 0 || at >= line.length - 1}
          onClick={() => to(at + 1)}
          aria-keyshortcuts="]"
          title="Key: ]"
        >
          After ▶
        </button>
        <button type="button" disabled={id === undefined} onClick={() => go(undefined)}>
          Newest
        </button>
      </div>
      <div class="row" aria-live="polite">
        {current === undefined ? (
          <span class="quiet">
            {isBefore ? "Earlier checkpoints are being read …" : "This checkpoint is not in the list."}
          </span>
        ) : (
          <>
            <h2>{titleOf(current, known)}</h2>
            <span class="quiet">
              {isStart ? `${count(at + 1)} of ${count(line.length)}` : after(line.length - at - 1)}
            </span>
            <Time at={current.time} />
            <CheckpointId of={current.id} />
          </>
        )}
        {id === undefined ? <span class="quiet">follows the newest</span> : null}
      </div>
      {checkpoints.problem.value !== undefined && (
        <Problem>The checkpoints could not be read: {visible(checkpoints.problem.value)}</Problem>
      )}
    </div>
  );
}

/** How many checkpoints follow, where it is not known how many are before. */
function after(number: number): string {
  return number === 0 ? "" : counted(number, "more follows", "more follow");
}

/** Whether keys are letters there. */
export function isWriting(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return target.type !== "range" && target.type !== "checkbox";
  return target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}
