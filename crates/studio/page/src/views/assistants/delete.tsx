// Asks whether an assistant is really to be deleted, and says what goes with it and what stays.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Assistant } from "../../api/types.ts";
import { DeleteDialog } from "../../parts/delete-dialog.tsx";
import { counted, visible } from "../../parts/text.ts";
import { useAsked } from "../start/asked.ts";
import { isOfServer, nameShown } from "./names.ts";

export function DeleteAssistant({
  assistant,
  onDeleted,
  onClose,
}: {
  assistant: Assistant;
  onDeleted: () => void;
  onClose: () => void;
}): JSX.Element {
  const [withThreads, setWithThreads] = useState(false);
  const id = assistant.assistant_id;
  const of = { metadata: { assistant_id: id } };
  const threads = useAsked((api, signal) => api.post<number>("/threads/count", of, signal), [id]).value;
  const schedules = useAsked(
    (api, signal) => api.post<number>("/runs/crons/count", { assistant_id: id }, signal),
    [id],
  ).value;
  const hasThreads = threads.state !== "answered" || threads.answer > 0;
  const threadWords = threads.state === "answered" ? counted(threads.answer, "thread") : "threads";
  return (
    <DeleteDialog
      title={`Delete ${nameShown(assistant)}?`}
      path={`/assistants/${id}${withThreads ? "?delete_threads=true" : ""}`}
      onDeleted={onDeleted}
      onClose={onClose}
    >
      <p>This goes, and nothing brings it back:</p>
      <ul>
        <li>the assistant with all of its versions</li>
        <li>{schedules.state === "answered" ? `its ${counted(schedules.answer, "schedule")}` : "its schedules"}</li>
      </ul>
      {hasThreads ? (
        <>
          <p>Threads whose last run was of it stay, unless they are to go as well.</p>
          <label class="row">
            <input
              type="checkbox"
              checked={withThreads}
              onChange={(event) => setWithThreads(event.currentTarget.checked)}
            />
            Delete the {threadWords} whose last run was of it, too
          </label>
        </>
      ) : (
        <p>There is no thread whose last run was of it.</p>
      )}
      {isOfServer(assistant) && (
        <p class="notice">
          The server made it of the graph <code>{visible(assistant.graph_id)}</code>. Until the server is started again,
          no run can be asked for by the graph's name.
        </p>
      )}
    </DeleteDialog>
  );
}
