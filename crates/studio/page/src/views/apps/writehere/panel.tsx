// What is shown below the tree, of a task or of a source: on a small screen it comes from below, over the text.

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useId, useRef } from "preact/hooks";

export interface PanelProps {
  title: ComponentChildren;
  /** What is shown, so that focus goes to another when it comes. */
  of: string;
  onClose: () => void;
  children: ComponentChildren;
}

export function Panel({ title, of, onClose, children }: PanelProps): JSX.Element {
  const id = useId();
  const heading = useRef<HTMLHeadingElement>(null);
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    // Whoever comes with a link to it begins at the top of the page.
    const isByHand = document.activeElement?.closest(".writehere") != null;
    if (isByHand) heading.current?.focus({ preventScroll: true });
    if (box.current !== null) box.current.scrollTop = 0;
  }, [of]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    event.preventDefault();
    event.stopPropagation();
    onClose();
  };
  return (
    <section ref={box} class="wh-panel" aria-labelledby={id} onKeyDown={onKeyDown}>
      <header class="row apart">
        <h3 id={id} ref={heading} tabIndex={-1}>
          {title}
        </h3>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </header>
      {children}
    </section>
  );
}
