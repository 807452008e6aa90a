// A conversation: who spoke, what was said, which tools were called.

import type { JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import type { Json } from "../../../api/types.ts";
import { isObject } from "../../../parts/json-values.ts";
import { JsonTree } from "../../../parts/json.tsx";
import { Markdown } from "../../../parts/markdown.tsx";
import { count, counted, visible } from "../../../parts/text.ts";
import { type Message, readMessage } from "./message.ts";

/** Newest messages that are shown first, and earlier ones with every step. */
const STEP = 40;

export function Messages({ value }: { value: readonly Json[] }): JSX.Element {
  const [shown, show] = useState(STEP);
  const first = Math.max(0, value.length - shown);
  return (
    <div class="messages">
      {first > 0 && (
        <button type="button" onClick={() => show(shown + STEP)}>
          Show earlier ones ({count(first)} are above)
        </button>
      )}
      <ol start={first + 1}>
        {value.slice(first).map((message, at) => (
          <One key={first + at} value={message} />
        ))}
      </ol>
    </div>
  );
}

function One({ value }: { value: Json }): JSX.Element {
  const message = useMemo(() => (isObject(value) ? readMessage(value) : undefined), [value]);
  if (message === undefined) {
    return (
      <li class="message is-other">
        <JsonTree value={value} label="Message" />
      </li>
    );
  }
  return (
    <li class={`message is-${message.kind}`}>
      <div class="message-head">
        <strong>{visible(message.role)}</strong>
        {message.name !== undefined && <span>{visible(message.name)}</span>}
        {message.answers !== undefined && (
          <span class="quiet">
            answers <code>{visible(message.answers)}</code>
          </span>
        )}
        <span class="grow" />
        {message.usage !== undefined && <span class="quiet">{message.usage}</span>}
      </div>
      {message.parts.map((part, at) => (
        <Part key={at} part={part} />
      ))}
      {message.calls.map((call, at) => (
        <div key={at} class="message-call">
          <div>
            calls <strong>{visible(call.name)}</strong>
            {call.id !== undefined && (
              <span class="quiet">
                {" "}
                as <code>{visible(call.id)}</code>
              </span>
            )}
          </div>
          <JsonTree value={call.args} label={`Arguments of ${visible(call.name)}`} />
        </div>
      ))}
      {message.parts.length + message.calls.length === 0 && <p class="quiet">says nothing</p>}
    </li>
  );
}

function Part({ part }: { part: Message["parts"][number] }): JSX.Element {
  switch (part.is) {
    case "text":
      return <Markdown text={part.text} />;
    case "reasoning":
      return (
        <details class="message-reasoning">
          <summary>Reasoning, {counted(part.text.length, "character")}</summary>
          <Markdown text={part.text} />
        </details>
      );
    case "other":
      return <JsonTree value={part.value} label="Part of the message" />;
  }
}
