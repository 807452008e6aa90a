// The difference of the states at two checkpoints, on one branch or on two.

import type { JSX } from "preact";
import { Empty, Problem } from "../../../parts/basics.tsx";
import { visible } from "../../../parts/text.ts";
import { CheckpointId } from "../state.tsx";
import { ChangedFields } from "../state/fields.tsx";
import { useThreadState } from "../state/use-state.ts";

export function Compared({
  thread,
  a,
  b,
  titles,
  onSwap,
  onEnd,
}: {
  thread: string;
  a: string;
  b: string;
  titles: [string, string];
  onSwap: () => void;
  onEnd: () => void;
}): JSX.Element {
  const left = useThreadState(thread, "", a, "");
  const right = useThreadState(thread, "", b, "");
  const problem = left.problem ?? right.problem;
  return (
    <section aria-label="Two checkpoints compared" class="history-chosen">
      <h2>What leads from A to B</h2>
      <dl class="history-two">
        <dt>A</dt>
        <dd>
          {titles[0]} <CheckpointId of={a} />
        </dd>
        <dt>B</dt>
        <dd>
          {titles[1]} <CheckpointId of={b} />
        </dd>
      </dl>
      <p class="row">
        <button type="button" onClick={onSwap}>
          Swap A and B
        </button>
        <button type="button" onClick={onEnd}>
          Stop comparing
        </button>
      </p>
      {problem !== undefined && <Problem>{visible(problem)}</Problem>}
      {problem === undefined && (left.isOld || right.isOld) && <Empty>The states are being read …</Empty>}
      {left.state !== undefined && right.state !== undefined && !left.isOld && !right.isOld && (
        <ChangedFields before={left.state.values} after={right.state.values} />
      )}
    </section>
  );
}
