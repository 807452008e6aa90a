// A button that puts a text onto the clipboard.

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";

/** Puts a text onto the clipboard, also where the page came without encryption and has no clipboard of its own. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "hidden";
    document.body.append(field);
    const focused = document.activeElement;
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    if (focused instanceof HTMLElement) focused.focus();
    return done;
  }
}

/** `text` is made only when it is asked for. */
export function Copy({ text, name = "Copy" }: { text: () => string; name?: string }): JSX.Element {
  const [said, say] = useState("");
  useEffect(() => {
    if (said === "") return;
    const timer = setTimeout(() => say(""), 2000);
    return () => clearTimeout(timer);
  }, [said]);
  const onClick = async () => say((await copy(text())) ? "Copied" : "The browser does not let it be copied");
  return (
    <span class="copy">
      <button type="button" class="plain" onClick={() => void onClick()}>
        {name}
      </button>
      <span role="status" aria-live="polite" class="quiet">
        {said}
      </span>
    </span>
  );
}
