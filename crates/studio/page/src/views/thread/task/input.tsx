// What a task began with. Where it is the state of a checkpoint, it is read from the server.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { told } from "../../../api/http.ts";
import type { Json, ThreadState } from "../../../api/types.ts";
import { api } from "../../../connection.ts";
import { Problem } from "../../../parts/basics.tsx";
import { JsonTree } from "../../../parts/json.tsx";
import { namespaceKey, type Task } from "../../../run/model.ts";

export function Input({ thread, task }: { thread: string; task: Task }): JSX.Element {
  if (task.input === null) return <p class="quiet">Nothing was told of it.</p>;
  if (task.input !== undefined) return <JsonTree value={task.input} label={`Input of ${task.node}`} />;
  const { from } = task;
  if (from === undefined) return <p class="quiet">It is not known.</p>;
  return <StateAt key={`${task.id} ${from}`} {...{ thread, task, from }} />;
}

/** The state on which the step of a task began. */
function StateAt({ thread, task, from }: { thread: string; task: Task; from: string }): JSX.Element {
  const read = useSignal<Json | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const tries = useSignal(0);
  useEffect(() => {
    const left = new AbortController();
    problem.value = undefined;
    const checkpoint = { thread_id: thread, checkpoint_ns: namespaceKey(task.namespace), checkpoint_id: from };
    const path = `/threads/${encodeURIComponent(thread)}/state/checkpoint`;
    api
      .peek()
      .post<ThreadState>(path, { checkpoint, select: ["values"] }, left.signal)
      .then((state) => (read.value = state.values))
      .catch((error: unknown) => {
        if (!left.signal.aborted) problem.value = told(error);
      });
    return () => left.abort();
  }, [tries.value]);
  const label = `Input of ${task.node}`;
  return (
    <>
      <p class="quiet">It is the state on which the step began.</p>
      {read.value !== undefined && <JsonTree value={read.value} label={label} />}
      {read.value === undefined && problem.value === undefined && <p role="status">It is being read …</p>}
      {problem.value !== undefined && (
        <>
          <Problem>{problem.value}</Problem>
          <button type="button" onClick={() => (tries.value += 1)}>
            Read it again
          </button>
        </>
      )}
    </>
  );
}
