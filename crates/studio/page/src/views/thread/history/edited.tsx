// What an edit changed, in short. It is read only for rows that are seen: no log tells what an edit wrote.

import type { JSX } from "preact";
import { differing } from "../state/checkpoint.ts";
import { useThreadState } from "../state/use-state.ts";

export function Edited({ thread, id, parent }: { thread: string; id: string; parent: string }): JSX.Element {
  const before = useThreadState(thread, "", parent, "");
  const after = useThreadState(thread, "", id, "");
  if (before.state === undefined || after.state === undefined || before.isOld || after.isOld) return <></>;
  return <>{differing(before.state.values, after.state.values)}</>;
}
