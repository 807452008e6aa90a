// The choice of what is streamed of threads. It stays in this tab of the browser, and takes effect at once.

import { computed, signal } from "@preact/signals";
import type { JSX } from "preact";
import { api } from "../../connection.ts";
import { CHOICES, leftOutIn } from "../../run/streamed.ts";

const LEFT_OUT = "graphloom.left-out";
const NOTHING: ReadonlySet<string> = new Set();

const chosen = signal(leftOutIn(sessionStorage.getItem(LEFT_OUT)));

/** The channels that a person leaves out. A saved export has its events, and no stream. */
export const leftOut = computed(() => (api.value.isSaved ? NOTHING : chosen.value));

function leaveOut(channels: readonly string[]): void {
  const text = channels.join(" ");
  if (text === "") sessionStorage.removeItem(LEFT_OUT);
  else sessionStorage.setItem(LEFT_OUT, text);
  chosen.value = leftOutIn(text);
}

/** The choice itself, folded until it is asked for. */
export function Streamed(): JSX.Element {
  const out = leftOut.value;
  const turn = (channel: string, isStreamed: boolean) => {
    const others = [...out].filter((one) => one !== channel);
    leaveOut(isStreamed ? others : [...others, channel]);
  };
  return (
    <details class="streamed">
      <summary>What is streamed{out.size > 0 && ": not all"}</summary>
      <fieldset class="choices">
        <legend>Of every thread in this tab</legend>
        {CHOICES.map(({ channel, name, about }) => (
          <label key={channel}>
            <input
              type="checkbox"
              checked={!out.has(channel)}
              onChange={(event) => turn(channel, event.currentTarget.checked)}
            />{" "}
            {name}: <span class="quiet">{about}</span>
          </label>
        ))}
        <p class="quiet">Runs, tasks, commits and questions are always streamed: all views are made of them.</p>
      </fieldset>
    </details>
  );
}

/** That what is shown is not all that there is. */
export function LeftOutNotice(): JSX.Element | null {
  const out = leftOut.value;
  if (out.size === 0) return null;
  return (
    <div class="notice" role="status">
      <p class="row apart">
        Left out of the stream, as it was chosen in this tab:
        <button type="button" onClick={() => leaveOut([])}>
          Stream all
        </button>
      </p>
      <LeftOut channels={[...out]} />
    </div>
  );
}

/** What is not seen because these channels are left out; nothing where none of them is. */
export function LeftOut({ channels }: { channels: readonly string[] }): JSX.Element | null {
  const out = CHOICES.filter(({ channel }) => channels.includes(channel) && leftOut.value.has(channel));
  if (out.length === 0) return null;
  return (
    <ul class="left-out quiet">
      {out.map(({ channel, without }) => (
        <li key={channel}>{without}</li>
      ))}
    </ul>
  );
}
