// What a task began with. That of an older task is read from the server when somebody asks for it.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { told } from "../../../api/http.ts";
import type { Json, ThreadState } from "../../../api/types.ts";
import { api } from "../../../connection.ts";
import { Problem } from "../../../parts/basics.tsx";
import { JsonTree } from "../../../parts/json.tsx";
import { namespaceKey, type Task } from "../../../run/model.ts";

export function Input({ thread, task }: { thread: string; task: Task }): JSX.Element {
  const read = useSignal<Json | undefined>(undefined);
  const problem = useSignal<string | undefined>(undefined);
  const value = task.input ?? read.value;
  if (task.input === null) return <p class="quiet">Nothing was told of it.</p>;
  if (value !== undefined) return <JsonTree value={value} label={`Input of ${task.node}`} />;
  const { from } = task;
  if (from === undefined) return <p class="quiet">It is not known.</p>;
  const load = async () => {
    problem.value = undefined;
    const checkpoint = { thread_id: thread, checkpoint_ns: namespaceKey(task.namespace), checkpoint_id: from };
    try {
      const state = await api.value.post<ThreadState>(`/threads/${thread}/state/checkpoint`, { checkpoint });
      read.value = state.values;
    } catch (error) {
      problem.value = told(error);
    }
  };
  return (
    <>
      <p>
        It is the state on which the step began.{" "}
        <button type="button" onClick={() => void load()}>
          Read it
        </button>
      </p>
      {problem.value !== undefined && <Problem>{problem.value}</Problem>}
    </>
  );
}
