// When a schedule runs, and whether it does.

import type { JSX } from "preact";
import { Time } from "../../parts/basics.tsx";
import { visible } from "../../parts/text.ts";
import { type Cron, standingOf } from "./cron.ts";
import { inWords } from "./words.ts";

/** The schedule in words where they say all of it, else as it is written; and its time zone. */
export function When({ cron }: { cron: Pick<Cron, "schedule" | "timezone"> }): JSX.Element {
  const words = inWords(cron.schedule) ?? <code>{visible(cron.schedule)}</code>;
  return (
    <>
      {words} <span class="quiet">{visible(cron.timezone ?? "UTC")}</span>
    </>
  );
}

const STANDINGS = { on: ["is-done", "on"], off: ["is-stopped", "off"], over: ["is-stopped", "over"] } as const;

export function StandingBadge({ cron }: { cron: Cron }): JSX.Element {
  const [colour, word] = STANDINGS[standingOf(cron)];
  return <span class={`badge ${colour}`}>{word}</span>;
}

/** When it runs next, and what time that is where its zone is. */
export function NextRun({ cron, withZone = false }: { cron: Cron; withZone?: boolean }): JSX.Element | null {
  if (standingOf(cron) !== "on" || cron.next_run_date === null) return null;
  const there = withZone ? timeIn(cron.next_run_date, cron.timezone ?? "UTC") : undefined;
  return (
    <>
      <Time at={cron.next_run_date} />
      {there !== undefined && (
        <span class="quiet">
          {" "}
          here, {there} in {visible(cron.timezone ?? "UTC")}
        </span>
      )}
    </>
  );
}

/** The time of day in a zone that is not the browser's. */
function timeIn(instant: string, zone: string): string | undefined {
  if (zone === Intl.DateTimeFormat().resolvedOptions().timeZone) return undefined;
  try {
    return new Date(instant).toLocaleTimeString(undefined, { timeZone: zone, hour: "2-digit", minute: "2-digit" });
  } catch {
    return undefined;
  }
}
