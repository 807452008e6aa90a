// What was decided and done, turn by turn: the newest turn is open.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Badge, duration, Empty, Time } from "../../../parts/basics.tsx";
import { count, short, visible } from "../../../parts/text.ts";
import { choose } from "../../../route.ts";
import type { Task } from "../../../run/model.ts";
import { Growing } from "../../thread/task/growing.tsx";
import { Coded } from "./coded.tsx";
import type { Entry, Turn } from "./log.ts";

/** Turns that are shown first, and earlier ones with every step. */
const STEP = 5;
/** Of what a person said, this much names the turn. */
const NAME = 60;

export function Thoughts({ turns }: { turns: readonly Turn[] }): JSX.Element {
  const [shown, show] = useState(STEP);
  const first = Math.max(0, turns.length - shown);
  if (turns.length === 0) return <Empty>Nothing was thought on this thread.</Empty>;
  return (
    <div class="pf-turns">
      {first > 0 && (
        <button type="button" onClick={() => show(shown + STEP)}>
          Show earlier turns ({count(first)})
        </button>
      )}
      {turns.slice(first).map((turn) => (
        <details key={turn.run.id} open={turn.number === turns.length}>
          <summary>
            <span class="pf-turn">
              {turn.number}. {turn.said === undefined ? "Turn" : `“${visible(short(turn.said, NAME))}”`}
            </span>{" "}
            <span class="quiet">
              <Time at={turn.run.began} />
            </span>{" "}
            {turn.run.status !== "done" && <Badge status={turn.run.status} />}
          </summary>
          {turn.run.error !== undefined && <p class="problem">{visible(turn.run.error)}</p>}
          <ol class="pf-entries">
            {turn.entries.map((entry, at) => (
              <li key={at} class={`is-${entry.is}`}>
                <One entry={entry} />
              </li>
            ))}
          </ol>
        </details>
      ))}
    </div>
  );
}

function One({ entry }: { entry: Entry }): JSX.Element {
  switch (entry.is) {
    case "thought":
      return <Coded text={entry.text} />;
    case "decision":
      return (
        <>
          {visible(entry.why)} <code class="quiet">{visible(entry.rule)}</code>
          {entry.evidence.length > 0 && (
            <span class="quiet">
              {" "}
              read by <Coded text={entry.evidence.join(", ")} />
            </span>
          )}
        </>
      );
    case "action":
      return <Action entry={entry} />;
  }
}

function Action({ entry: { name, thoughts, task } }: { entry: Entry & { is: "action" } }): JSX.Element {
  const writes = task.ended === undefined ? task.messages.at(-1) : undefined;
  return (
    <>
      <button type="button" class="plain pf-action" onClick={() => choose({ task: task.id })}>
        {name}
      </button>{" "}
      <Standing task={task} />
      {task.error !== undefined && <p class="is-failed">{visible(task.error)}</p>}
      {thoughts.length > 0 && (
        <ul>
          {thoughts.map((thought, at) => (
            <li key={at}>
              <Coded text={thought} />
            </li>
          ))}
        </ul>
      )}
      {writes !== undefined && !writes.done && writes.text !== "" && (
        <div class="pf-writes mono" aria-hidden="true">
          <Growing key={writes.id} text={writes.text} />
        </div>
      )}
    </>
  );
}

function Standing({ task }: { task: Task }): JSX.Element {
  if (task.ended === undefined || task.status !== "done") return <Badge status={task.status} />;
  return <span class="quiet">{duration(task.ended - task.began)}</span>;
}
