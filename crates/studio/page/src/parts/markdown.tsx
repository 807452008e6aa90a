// Markdown as elements of the page. Nothing of it is run, and nothing is loaded.

import { Fragment, type JSX } from "preact";
import { useId, useMemo, useState } from "preact/hooks";
import { definitions, type Section, sections } from "./markdown-sections.ts";
import { type Cell, type Own, type Piece, tree } from "./markdown-tree.ts";
import { useStepwise } from "./stepwise.ts";
import { LongText } from "./long-text.tsx";
import { count } from "./text.ts";

/** Headings of a text are below those of the page. */
const HEADINGS = ["h3", "h4", "h5", "h6"] as const;

/** Links of which a view makes something itself, such as citations. It stays the same object while the text does. */
export interface OwnLinks extends Own {
  /** Shows one, by its address or as the sign that it is. */
  show: (url: string, inside: JSX.Element) => JSX.Element;
}

export interface MarkdownProps {
  text: string;
  own?: OwnLinks | undefined;
  /** How many sections of some thousand characters are shown before more are asked for. */
  first?: number;
}

export function Markdown({ text, own, first = 1 }: MarkdownProps): JSX.Element {
  const parts = useMemo(() => sections(text), [text]);
  const defined = useMemo(() => (parts.length > 1 ? definitions(text) : ""), [parts, text]);
  const [wanted, show] = useState(first);
  const shown = useStepwise(Math.min(wanted, parts.length));
  const rest = parts.slice(wanted).reduce((length, part) => length + part.text.length + 1, 0);
  return (
    <div class="markdown">
      {parts.slice(0, shown).map((part, at) => (
        <Part key={at} section={part} definitions={defined} own={own} />
      ))}
      {rest > 0 && (
        <button type="button" onClick={() => show(wanted + 1)}>
          Show more ({count(rest)} characters are left)
        </button>
      )}
    </div>
  );
}

interface PartProps {
  section: Section;
  definitions: string;
  own: OwnLinks | undefined;
}

function Part({ section, definitions, own }: PartProps): JSX.Element {
  const { text, raw } = section;
  const pieces = useMemo(() => (raw ? [] : tree(text, definitions, own)), [text, raw, definitions, own]);
  const id = useId();
  // Levels that are left out would tell a structure that is not there.
  const levels = useMemo(() => [...headings(pieces, new Set())].sort(), [pieces]);
  return raw ? <LongText text={text} /> : <Pieces of={pieces} place={{ id, levels, own }} />;
}

interface Place {
  /** What the ids of the footnotes begin with. */
  id: string;
  /** The levels of headings that the text has. */
  levels: number[];
  own: OwnLinks | undefined;
}

function headings(pieces: readonly Piece[], found: Set<number>): Set<number> {
  for (const piece of pieces) {
    if (typeof piece === "string" || !("in" in piece)) continue;
    if (piece.is === "heading") found.add(piece.level);
    else headings(piece.in, found);
  }
  return found;
}

function Pieces({ of, place }: { of: readonly Piece[]; place: Place }): JSX.Element {
  return (
    <>
      {of.map((piece, at) => (
        <Fragment key={at}>{typeof piece === "string" ? piece : element(piece, place)}</Fragment>
      ))}
    </>
  );
}

function element(piece: Exclude<Piece, string>, place: Place): JSX.Element {
  const inside = "in" in piece ? <Pieces of={piece.in} place={place} /> : null;
  switch (piece.is) {
    case "heading": {
      const Heading = HEADINGS[Math.min(place.levels.indexOf(piece.level), HEADINGS.length - 1)] ?? "h6";
      return <Heading>{inside}</Heading>;
    }
    case "p":
      return <p>{inside}</p>;
    case "em":
      return <em>{inside}</em>;
    case "strong":
      return <strong>{inside}</strong>;
    case "del":
      return <del>{inside}</del>;
    case "code":
      return <code>{inside}</code>;
    case "pre":
    case "html":
      return (
        <pre>
          <code>{inside}</code>
        </pre>
      );
    case "blockquote":
      return <blockquote>{inside}</blockquote>;
    case "ul":
      return <ul>{inside}</ul>;
    case "ol":
      return <ol start={piece.start}>{inside}</ol>;
    case "li":
      return <li>{inside}</li>;
    case "task":
      return (
        <li class="task">
          <span aria-hidden="true">{piece.done ? "☑" : "☐"}</span>{" "}
          <span class="hidden">{piece.done ? "done:" : "to do:"}</span>
          {inside}
        </li>
      );
    case "hr":
      return <hr />;
    case "br":
      return <br />;
    case "link":
      return (
        <a href={piece.href} title={piece.href} rel="noopener noreferrer" target="_blank">
          {inside}
        </a>
      );
    case "own":
      return place.own?.show(piece.url, <>{inside}</>) ?? <>{inside}</>;
    case "table":
      return <Table head={piece.head} rows={piece.rows} place={place} />;
    case "note":
      return (
        <sup>
          <button
            type="button"
            class="plain"
            aria-label={`Footnote ${piece.number}`}
            onClick={() => document.getElementById(`${place.id}-note-${piece.number}`)?.focus()}
          >
            {piece.number}
          </button>
        </sup>
      );
    case "notes":
      return (
        <ol class="notes" aria-label="Footnotes">
          {piece.notes.map((note) => (
            <li key={note.number} id={`${place.id}-note-${note.number}`} tabIndex={-1}>
              <Pieces of={note.in} place={place} />
            </li>
          ))}
        </ol>
      );
  }
}

function Table({ head, rows, place }: { head: Cell[]; rows: Cell[][]; place: Place }): JSX.Element {
  const align = (cell: Cell) => (cell.align === undefined ? undefined : `to-${cell.align}`);
  return (
    <div class="scrolls" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            {head.map((cell, at) => (
              <th key={at} scope="col" class={align(cell)}>
                <Pieces of={cell.in} place={place} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={at}>
              {row.map((cell, column) => (
                <td key={column} class={align(cell)}>
                  <Pieces of={cell.in} place={place} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
