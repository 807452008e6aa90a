// What a turn that is under way does now.

import type { JSX } from "preact";
import { Badge } from "../../../parts/basics.tsx";
import { visible } from "../../../parts/text.ts";
import type { Turn } from "./log.ts";
import { Coded } from "./coded.tsx";

export function AtWork({ turn }: { turn: Turn | undefined }): JSX.Element {
  const isOn = turn !== undefined && turn.run.ended === undefined;
  const entry = isOn ? turn.entries.at(-1) : undefined;
  const does = entry?.is === "action" && entry.task.ended === undefined ? entry : undefined;
  const thought = does?.thoughts.at(-1) ?? (entry?.is === "decision" ? entry.why : undefined);
  return (
    <div class="pf-at-work" role="status">
      <Badge status="running" /> <strong>{does === undefined ? "Deciding what follows" : visible(does.name)}</strong>
      {thought !== undefined && (
        <p class="quiet">
          <Coded text={thought} />
        </p>
      )}
    </div>
  );
}
