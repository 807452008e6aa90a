// Which channels of a thread's events are streamed. Some the page can do without, and a person can leave them out.

import { CHANNELS, TRACE } from "./fold.ts";

export interface Choice {
  channel: string;
  name: string;
  /** What it is for. */
  about: string;
  /** What is not seen without it. */
  without: string;
}

export const CHOICES: readonly Choice[] = [
  {
    channel: "messages",
    name: "Messages, word by word",
    about: "what models say, while they say it",
    without: "Messages are shown when the state has them, and not while they are written.",
  },
  {
    channel: "tools",
    name: "Calls of tools",
    about: "what went in and out of each, in the page of its task",
    without: "Calls of tools are not shown.",
  },
  {
    channel: "custom",
    name: "What nodes tell",
    about: "events of the graph's own, such as progress, which views of applications show",
    without: "What nodes tell while they work is not shown.",
  },
  {
    channel: TRACE,
    name: "Attempts and calls of models",
    about: "attempts, waits and warnings, and all that is counted in Meters",
    without: "Attempts, waits, warnings and calls of models are not shown, and not counted in Meters.",
  },
];

/** The channels that are left out, as they are kept. What is no choice is no channel to leave out. */
export function leftOutIn(text: string | null): ReadonlySet<string> {
  const names = new Set((text ?? "").split(" "));
  return new Set(CHOICES.map(({ channel }) => channel).filter((channel) => names.has(channel)));
}

/** The channels that are streamed. */
export function channelsWithout(leftOut: ReadonlySet<string>): string[] {
  return [...CHANNELS, TRACE].filter((channel) => !leftOut.has(channel));
}
