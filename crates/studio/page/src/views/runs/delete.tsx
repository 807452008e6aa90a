// Asks whether a thread is really to be deleted, and says what goes with it.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { told } from "../../api/http.ts";
import type { Run, Thread } from "../../api/types.ts";
import { api } from "../../connection.ts";
import { Problem } from "../../parts/basics.tsx";
import { DeleteDialog } from "../../parts/delete-dialog.tsx";
import { counted } from "../../parts/text.ts";

/** At most this many runs are counted. */
const COUNTED = 1000;

interface Belongings {
  runs: number;
  isBusy: boolean;
  asks: number;
}

export function DeleteThread({
  thread,
  onDeleted,
  onClose,
}: {
  thread: string;
  onDeleted: () => void;
  onClose: () => void;
}): JSX.Element {
  const [has, setHas] = useState<Belongings>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    const asking = new AbortController();
    const runs = api.value.get<Run[]>(`/threads/${thread}/runs?limit=${COUNTED}&select=run_id`, asking.signal);
    const record = api.value.get<Thread>(`/threads/${thread}`, asking.signal);
    Promise.all([runs, record]).then(
      ([runs, record]) => {
        const asks = Object.values(record.interrupts).flat().length;
        setHas({ runs: runs.length, isBusy: record.status === "busy", asks });
      },
      (error: unknown) => {
        if (!asking.signal.aborted) setProblem(told(error));
      },
    );
    return () => asking.abort();
  }, [thread]);
  return (
    <DeleteDialog title="Delete this thread?" path={`/threads/${thread}`} onDeleted={onDeleted} onClose={onClose}>
      <p>
        <code>{thread}</code>
      </p>
      <p>This goes, and nothing brings it back:</p>
      <ul>
        <li>
          the thread with its state, and every state that it had before
          {has !== undefined && has.asks > 0 && `; ${counted(has.asks, "question")} there without an answer`}
        </li>
        <li>
          {has === undefined ? "all of its runs" : counted(has.runs, "run")}
          {has?.runs === COUNTED && " or more"}
          , with {has?.runs === 1 ? "its" : "their"} events, answers and errors
          {has?.isBusy && "; one is under way, and is stopped"}
        </li>
        <li>the documents that it made, and its schedules</li>
      </ul>
      {problem !== undefined && <Problem>{problem}</Problem>}
    </DeleteDialog>
  );
}
