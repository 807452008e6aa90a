// The checkpoint that is chosen in a history: its state, and what can be done from there.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { told } from "../../../api/http.ts";
import type { Run } from "../../../api/types.ts";
import { api, readOnly } from "../../../connection.ts";
import { Empty, Problem, Time } from "../../../parts/basics.tsx";
import { visible } from "../../../parts/text.ts";
import { choose } from "../../../route.ts";
import { CheckpointId, Next, Shown } from "../state.tsx";
import type { Checkpoint } from "../state/checkpoint.ts";
import { Tasks } from "../state/tasks.tsx";
import { useThreadState } from "../state/use-state.ts";
import { EditDialog } from "./edit-dialog.tsx";
import { DifferenceSwitch } from "../state/difference-switch.tsx";

export function Chosen({
  thread,
  checkpoint,
  title,
  assistant,
  now,
  isDifference,
  isPicking,
  onPick,
  onForked,
}: {
  thread: string;
  checkpoint: Checkpoint;
  title: string;
  /** Who runs from here: the assistant that made the checkpoint, or one before it. */
  assistant: string | undefined;
  /** Is another one whenever the tasks at the checkpoint may be others. */
  now: string;
  isDifference: boolean;
  isPicking: boolean;
  onPick: () => void;
  onForked: (id: string) => void;
}): JSX.Element {
  const { state, problem, isOld } = useThreadState(thread, "", checkpoint.id, now);
  // An edit is of the checkpoint at which it was begun.
  const [edited, edit] = useState<string>();
  const [said, say] = useState<{ of: string; text: string; isProblem: boolean }>();
  const [isSent, send] = useState(false);
  const run = async () => {
    send(true);
    try {
      const body = {
        assistant_id: assistant,
        input: null,
        checkpoint: { thread_id: thread, checkpoint_ns: "", checkpoint_id: checkpoint.id },
        checkpoint_id: checkpoint.id,
      };
      const started = await api.peek().post<Run>(`/threads/${thread}/runs`, body);
      say({ of: checkpoint.id, text: `Run ${started.run_id} was started from here.`, isProblem: false });
    } catch (error) {
      say({ of: checkpoint.id, text: told(error), isProblem: true });
    }
    send(false);
  };
  const hasNext = checkpoint.next.length > 0;
  const isInput = checkpoint.source === "input";
  const isShown = state?.checkpoint != null && !isOld;
  return (
    <section aria-label="The checkpoint that is chosen" class="history-chosen">
      <div class="row">
        <h2>{title}</h2>
        <Time at={checkpoint.time} />
        <CheckpointId of={checkpoint.id} />
      </div>
      <div class="row history-actions">
        {!readOnly.value && (
          <>
            <button
              type="button"
              disabled={!hasNext || assistant === undefined || isSent}
              title={whyNot(hasNext, assistant)}
              onClick={() => void run()}
            >
              Run again from here
            </button>
            <button
              type="button"
              disabled={!isShown || isInput}
              title={isInput ? "There is nothing to edit before an input" : undefined}
              onClick={() => edit(checkpoint.id)}
            >
              Edit state and fork
            </button>
          </>
        )}
        <button type="button" aria-pressed={isPicking} onClick={onPick}>
          {isPicking ? "Choose the other one in the list …" : "Compare"}
        </button>
      </div>
      <div role="status" aria-live="polite">
        {said?.of === checkpoint.id && !said.isProblem && <p class="notice">{said.text}</p>}
      </div>
      {said?.of === checkpoint.id && said.isProblem && <Problem>{visible(said.text)}</Problem>}
      {problem !== undefined && <Problem>{visible(problem)}</Problem>}
      {problem === undefined && !isShown && <Empty>The state is being read …</Empty>}
      {state !== undefined && isShown && (
        <>
          <div class="row apart state-choices">
            <Next state={state} />
            <DifferenceSwitch isOn={isDifference} />
          </div>
          <Tasks tasks={state.tasks} onInside={(ns) => choose({ tab: "state", ns, at: undefined })} />
          <Shown thread={thread} ns="" state={state} isDifference={isDifference} />
          {edited === checkpoint.id && (
            <EditDialog
              thread={thread}
              checkpoint={checkpoint}
              title={title}
              values={state.values}
              assistant={assistant}
              onDone={onForked}
              onClose={() => edit(undefined)}
            />
          )}
        </>
      )}
    </section>
  );
}

/** Why nothing can be run from a checkpoint. */
function whyNot(hasNext: boolean, assistant: string | undefined): string | undefined {
  if (!hasNext) return "Nothing runs next at this checkpoint";
  return assistant === undefined ? "It is not known which assistant ran here" : undefined;
}
