// A file of a later version: nothing of it is understood, and its lines are shown as they are.

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { VERSION } from "../../archive/format.ts";
import type { NumberedLine } from "../../archive/lines.ts";
import type { Later } from "../../archive/read.ts";
import { count, short, visible } from "../../parts/text.ts";
import { VirtualList } from "../../parts/virtual.tsx";

/** Characters of a line in the list, and of one that is opened. */
const IN_LIST = 300;
const OPENED = 100_000;

export function LaterFile({ name, later }: { name: string; later: Later }): JSX.Element {
  const [open, setOpen] = useState<NumberedLine>();
  return (
    <section class="file-later" aria-labelledby="later-title">
      <h2 id="later-title">{visible(name)}, as it is</h2>
      <p class="notice" role="status">
        The file is of version {later.version}, and this page reads version {VERSION}: nothing of it is understood.
        These are its lines.
        {later.more > 0 && ` ${count(later.more)} more are not shown.`}
      </p>
      <VirtualList
        items={later.lines}
        rowHeight={30}
        label="Lines of the file: Enter shows one"
        keyOf={(line) => String(line.number)}
        isOpen={(line) => line === open}
        onOpen={(line) => setOpen(line)}
        render={(line) => (
          <code class="file-row">
            <span class="quiet">{line.number}</span> {visible(short(line.text, IN_LIST))}
          </code>
        )}
      />
      {open !== undefined && (
        <figure class="file-line">
          <figcaption class="quiet">Line {open.number}</figcaption>
          <pre tabIndex={0}>{visible(short(open.text, OPENED))}</pre>
        </figure>
      )}
    </section>
  );
}
