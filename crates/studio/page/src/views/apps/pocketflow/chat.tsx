// What was said, newest last. Long messages are folded, and the one that shows what is under review is only named.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Empty } from "../../../parts/basics.tsx";
import { Markdown } from "../../../parts/markdown.tsx";
import { count, visible } from "../../../parts/text.ts";
import { folded } from "./fold.ts";
import { announced } from "./sentences.ts";
import type { Waiting } from "./session.ts";
import type { Line } from "./use-conversation.ts";

/** Lines that are shown first, and earlier ones with every step. */
const STEP = 12;

export interface ChatProps {
  lines: readonly Line[];
  /** What the person has just said, before the conversation has it. */
  sent: string | undefined;
  /** Whether what is under review is shown below. */
  isReviewed: boolean;
  waiting: Waiting | undefined;
}

export function Chat({ lines, sent, isReviewed, waiting }: ChatProps): JSX.Element {
  const [shown, show] = useState(STEP);
  const first = Math.max(0, lines.length - shown);
  const last = lines.findLastIndex(({ isPerson }) => !isPerson);
  const isNamed = isReviewed && (waiting?.for === "queries" || waiting?.for === "report");
  if (lines.length === 0 && sent === undefined) return <Empty>Nothing was said yet. Name a topic to research.</Empty>;
  return (
    <>
      {first > 0 && (
        <button type="button" class="pf-earlier" onClick={() => show(shown + STEP)}>
          Show earlier messages ({count(first)})
        </button>
      )}
      <ol class="pf-lines" start={first + 1}>
        {lines.slice(first).map((line, at) => (
          <Said key={first + at} line={line} isNamed={isNamed && first + at === last} />
        ))}
        {sent !== undefined && <Said line={{ isPerson: true, text: sent }} isNamed={false} />}
      </ol>
    </>
  );
}

function Said({ line: { isPerson, text }, isNamed }: { line: Line; isNamed: boolean }): JSX.Element {
  const [isOpen, open] = useState(false);
  const head = isNamed ? announced(text).first : folded(text);
  const isWhole = isOpen || head.length >= text.trim().length;
  return (
    <li class={isPerson ? "pf-line is-person" : "pf-line"}>
      <span class="hidden">{isPerson ? "You: " : "PocketFlow: "}</span>
      {isPerson ? <p class="pf-words">{visible(isWhole ? text : head)}</p> : <Markdown text={isWhole ? text : head} />}
      {(isOpen || !isWhole) && (
        <button type="button" class="plain pf-more" aria-expanded={isOpen} onClick={() => open(!isOpen)}>
          {isOpen ? "Show less" : isNamed ? "Show the message" : `Show all (${count(text.length)} characters)`}
        </button>
      )}
    </li>
  );
}
