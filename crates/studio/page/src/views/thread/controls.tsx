// What can be done with a thread: cancel, go on, try again, give it another input, copy, delete.
// What the server refuses is said here.

import { useSignal } from "@preact/signals";
import type { JSX } from "preact";
import { told } from "../../api/http.ts";
import type { JsonObject, Run, Thread } from "../../api/types.ts";
import { api, readOnly } from "../../connection.ts";
import { Problem } from "../../parts/basics.tsx";
import { go, link } from "../../route.ts";
import { Confirm } from "./confirm.tsx";
import { useExport } from "./export.tsx";
import type { Followed, ListedRun } from "./follow.ts";
import { isUnfinished } from "./now.ts";
import { Streamed } from "./streamed.tsx";

export interface ControlsProps {
  followed: Followed;
  record: Thread;
  graph: string | undefined;
  /** How many questions are open: they are answered rather than passed over. */
  questions: number;
}

export function Controls({ followed, record, graph, questions }: ControlsProps): JSX.Element {
  const problem = useSignal<string | undefined>(undefined);
  const busy = useSignal(false);
  const asks = useSignal<"cancel" | "delete" | undefined>(undefined);
  const runs = followed.runs.value ?? [];
  const unfinished = runs.filter(isUnfinished);
  const path = `/threads/${encodeURIComponent(record.thread_id)}`;
  const saving = useExport({ thread: record.thread_id, graph, isRunning: record.status === "busy" });

  const act = async (action: () => Promise<unknown>) => {
    busy.value = true;
    problem.value = undefined;
    try {
      await action();
    } catch (error) {
      problem.value = told(error);
    }
    busy.value = false;
  };
  const cancel = (run: ListedRun, action: string) =>
    act(async () => {
      await api.value.send("POST", `${path}/runs/${run.run_id}/cancel?action=${action}`);
      await followed.read();
    });
  const goOn = () =>
    act(async () => {
      const [last] = await api.value.get<Run[]>(`${path}/runs?limit=1`);
      await api.value.post(`${path}/runs`, continued(record, last, graph));
      await followed.read();
    });
  const copy = () =>
    act(async () => {
      const made = await api.value.post<Thread>(`${path}/copy`, undefined);
      go(link(["threads", made.thread_id]));
    });
  const remove = () =>
    act(async () => {
      await api.value.send("DELETE", path);
      go(link(["runs"]));
    });

  const isFree = followed.runs.value !== undefined && unfinished.length === 0 && record.status !== "busy";
  const failed = isFree && record.status === "error";
  const canGoOn = followed.next.value?.length !== 0;
  const stopped = isFree && record.status === "interrupted" && questions === 0 && canGoOn;
  if (api.value.isSaved) return <div class="thread-controls" />;
  if (readOnly.value) {
    return (
      <>
        <div class="row thread-controls">
          {saving.button}
          <Streamed />
        </div>
        {saving.said}
      </>
    );
  }
  return (
    <>
      <div class="row thread-controls" role="group" aria-label="What can be done with this thread">
        {unfinished.length > 0 && (
          <button type="button" class="danger" disabled={busy.value} onClick={() => (asks.value = "cancel")}>
            Cancel
          </button>
        )}
        {stopped && (
          <button type="button" class="primary" disabled={busy.value} onClick={() => void goOn()}>
            Continue
          </button>
        )}
        {failed && (
          <button type="button" class="primary" disabled={busy.value} onClick={() => void goOn()}>
            Retry
          </button>
        )}
        {graph !== undefined && <a href={link(["start", graph], { thread: record.thread_id })}>New input</a>}
        <button type="button" disabled={busy.value} onClick={() => void copy()}>
          Copy thread
        </button>
        {saving.button}
        <button type="button" class="danger" disabled={busy.value} onClick={() => (asks.value = "delete")}>
          Delete
        </button>
        <Streamed />
      </div>
      {saving.said}
      {problem.value !== undefined && <Problem>The server refused it: {problem.value}</Problem>}
      {asks.value === "cancel" && (
        <CancelDialog runs={unfinished} onCancel={cancel} onClose={() => (asks.value = undefined)} />
      )}
      {asks.value === "delete" && (
        <Confirm
          title="Delete this thread?"
          action="Delete"
          onConfirm={() => void remove()}
          onClose={() => (asks.value = undefined)}
        >
          <p>Its runs, its state and its history are deleted for good.</p>
        </Confirm>
      )}
    </>
  );
}

interface CancelProps {
  runs: ListedRun[];
  onCancel: (run: ListedRun, action: string) => Promise<void>;
  onClose: () => void;
}

function CancelDialog({ runs, onCancel, onClose }: CancelProps): JSX.Element {
  // The run under way is cancelled rather than those that wait behind it.
  const first = runs.find((run) => run.status === "running") ?? runs.at(-1);
  const chosen = useSignal(first?.run_id ?? "");
  const action = useSignal("interrupt");
  const run = runs.find((one) => one.run_id === chosen.value) ?? first;
  return (
    <Confirm
      title="Cancel the run?"
      action="Cancel the run"
      onConfirm={() => run !== undefined && void onCancel(run, action.value)}
      onClose={onClose}
    >
      {runs.length > 1 && (
        <label>
          Run{" "}
          <select value={chosen.value} onChange={(event) => (chosen.value = event.currentTarget.value)}>
            {runs.map((one) => (
              <option key={one.run_id} value={one.run_id}>
                …{one.run_id.slice(-8)}, {one.status === "pending" ? "in the queue" : "running"}
              </option>
            ))}
          </select>
        </label>
      )}
      <fieldset class="choices">
        <legend>What becomes of what it did</legend>
        <Choice value="interrupt" name="It stays, and the run can go on from there." chosen={action} />
        <Choice value="rollback" name="It is taken back: the thread is as it was before the run." chosen={action} />
      </fieldset>
    </Confirm>
  );
}

function Choice({ value, name, chosen }: { value: string; name: string; chosen: { value: string } }): JSX.Element {
  return (
    <label>
      <input type="radio" name="action" checked={chosen.value === value} onChange={() => (chosen.value = value)} />{" "}
      {name}
    </label>
  );
}

/** A run that goes on where the thread stands, as the last one was asked for. */
function continued(record: Thread, last: Run | undefined, graph: string | undefined): JsonObject {
  const assistant = last?.assistant_id ?? record.metadata.assistant_id ?? graph ?? "";
  const body: JsonObject = { assistant_id: assistant, input: null };
  for (const field of ["context", "interrupt_before", "interrupt_after"]) {
    const value = last?.kwargs?.[field];
    if (value !== undefined && value !== null) body[field] = value;
  }
  const config = last?.kwargs?.config;
  if (body.context === undefined && config !== undefined && config !== null) body.config = config;
  return body;
}
