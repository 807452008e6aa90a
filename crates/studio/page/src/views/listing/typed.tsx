// A search field of a list.

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** After this long without a key the search begins, in milliseconds. */
const TYPED = 350;

/** A text that counts when a person stops to type. */
export function Typed({
  value = "",
  placeholder,
  onTyped,
  field,
}: {
  value: string | undefined;
  placeholder: string;
  onTyped: (text: string) => void;
  field?: { current: HTMLInputElement | null };
}): JSX.Element {
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const given = useRef(value);
  useEffect(() => {
    // The address changed by something else than this field.
    if (value !== given.current) setText(value);
    given.current = value;
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const give = (to: string) => {
    clearTimeout(timer.current);
    given.current = to.trim();
    onTyped(to.trim());
  };
  return (
    <input
      ref={field ?? null}
      type="search"
      autocomplete="off"
      spellcheck={false}
      placeholder={placeholder}
      value={text}
      onInput={(event) => {
        const to = event.currentTarget.value;
        setText(to);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => give(to), TYPED);
      }}
      onKeyDown={(event) => {
        if (event.key === "Enter") give(event.currentTarget.value);
      }}
    />
  );
}
