// A part of the panel of a task, with its heading.

import type { ComponentChildren, JSX } from "preact";

export function Part({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  return (
    <section class="task-part" aria-label={title}>
      <h4>{title}</h4>
      {children}
    </section>
  );
}
