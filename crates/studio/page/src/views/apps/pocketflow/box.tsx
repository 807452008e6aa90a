// The box in which the next thing is said. Enter sends it, Shift and Enter begin a new line.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { Session } from "./session.ts";
import type { Say } from "./use-say.ts";

export function Box({ session, say }: { session: Session | undefined; say: Say }): JSX.Element {
  const [text, setText] = useState("");
  const isEmpty = text.trim() === "";
  const send = async () => {
    if (isEmpty || say.isBusy) return;
    const said = text;
    setText("");
    // What was not taken stays to be said again.
    if (!(await say.say(said.trim()))) setText((now) => (now === "" ? said : now));
  };
  return (
    <form
      class="pf-box"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <label class="grow">
        <span class="hidden">What you say next</span>
        <textarea
          rows={2}
          value={text}
          placeholder={hintOf(session)}
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
            event.preventDefault();
            void send();
          }}
        />
      </label>
      <button type="submit" class="primary" disabled={isEmpty || say.isBusy}>
        Say it
      </button>
    </form>
  );
}

function hintOf(session: Session | undefined): string {
  switch (session?.waiting.for) {
    case "queries":
      return "Ask about the queries, or say what you want of them";
    case "report":
      return "Ask about the proposal, or say what you want of it";
    case "slot":
      if (session.waiting.missing.length === 0) return "Say “retry”, or name a new topic";
      return session.waiting.missing.includes("queries") ? "Other queries, one a line" : "Say what is missing";
  }
  return session?.proposal === undefined ? "A topic to research" : "Ask about the proposal, or name a new topic";
}
