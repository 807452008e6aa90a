// The changes of the status of a task. They are of the state, and read when they are shown.

import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import { count, counted, visible } from "../../../../parts/text.ts";
import type { RunModel } from "../../../../run/model.ts";
import { useInnerState } from "../../inner.ts";
import { changesIn } from "../state.ts";
import { NODE } from "../work.ts";

const FIELDS = ["tree.log"];

export interface ChangesProps {
  thread: string;
  model: RunModel;
  /** The keys of the task, and of the one that carries it out. */
  keys: ReadonlySet<string>;
  execution: string | undefined;
}

export function Changes({ thread, model, keys, execution }: ChangesProps): JSX.Element | null {
  const { state } = useInnerState(thread, model, NODE, FIELDS);
  const all = useMemo(() => changesIn(state?.values), [state]);
  const changes = all.filter((change) => keys.has(change.node));
  if (changes.length === 0) return null;
  return (
    <details class="task-part">
      <summary>{counted(changes.length, "change")} of its status</summary>
      <ol class="wh-changes">
        {changes.map((change, at) => (
          <li key={at}>
            <span class="quiet">step {count(change.step)}</span> {change.from} → {change.to}
            {change.node === execution && " (carrying it out)"}
            <span class="quiet"> {visible(change.cause)}</span>
          </li>
        ))}
      </ol>
    </details>
  );
}
