// A long text of Markdown cut into sections that are read one by one, so that none takes long.

/** A section ends at the next block when it has so many characters, or so many that may begin or end something. */
const LONG = 8_000;
const BUSY = 1000;
/** A section with more is shown as its source: the time to read it grows with the square. */
const LONGEST = 100_000;
const BUSIEST = 3000;
const DEEPEST = 16;
/** Definitions at most that are given to every section. */
const DEFINITIONS = 500;

export interface Section {
  text: string;
  /** Whether it is shown as it is written. */
  raw: boolean;
}

const FENCE = /^ {0,3}(`{3,}|~{3,})/;
/** A list item or a block at the margin. */
const MARGIN = /^\S/;
const DELIMITER_ROW = /^ {0,3}\|?[ \t:|-]*-[ \t:|-]*$/;
const MARKER = /^[ \t]*(?:>|[-+*](?=[ \t]|$)|\d{1,9}[.)](?=[ \t]|$))/;
const DEFINITION = /^ {0,3}\[[^\]\n]{1,200}\]:[ \t]*\S/;

/** Characters that may begin or end something inline. */
function busy(line: string): number {
  let number = 0;
  for (let at = 0; at < line.length; at += 1) {
    switch (line.charCodeAt(at)) {
      case 0x2a: // *
      case 0x5f: // _
      case 0x5b: // [
      case 0x7e: // ~
      case 0x3c: // <
      case 0x60: // `
        number += 1;
    }
  }
  return number;
}

/** How many quotes and list items a line opens. */
function depth(line: string): number {
  let rest = line;
  let markers = 0;
  while (markers <= DEEPEST) {
    const found = MARKER.exec(rest);
    if (found === null) break;
    markers += 1;
    rest = rest.slice(found[0].length);
  }
  return markers;
}

/** The sections of a text, in order. */
export function sections(text: string): Section[] {
  const found: Section[] = [];
  let lines: string[] = [];
  let length = 0;
  let specials = 0;
  // In a table each row is read alone.
  let most = 0;
  let isTable = false;
  let isDeep = false;
  let fence: string | undefined;
  let isBlank = true;
  const end = () => {
    if (lines.length === 0) return;
    const raw = isDeep || length > LONGEST || specials > BUSIEST || most > BUSIEST;
    found.push({ text: lines.join("\n"), raw });
    lines = [];
    length = specials = most = 0;
    isDeep = false;
  };
  for (const line of text.split(/\r\n|\n|\r/)) {
    const mark = FENCE.exec(line)?.[1];
    if (fence === undefined) {
      const begins = MARGIN.test(line) && (isBlank || MARKER.test(line));
      if (begins && (length > LONG || specials > BUSY)) end();
      if (DELIMITER_ROW.test(line) && line.includes("|")) isTable = true;
      else if (!line.includes("|")) isTable = false;
      const here = busy(line);
      if (isTable) most = Math.max(most, here);
      else specials += here;
      // Every level is a mark or some blanks.
      const blanks = line.length - line.trimStart().length;
      if (line.trim() !== "" && depth(line) + blanks / 4 > DEEPEST && MARKER.test(line)) isDeep = true;
      fence = mark;
    } else if (mark?.startsWith(fence) === true && line.trim() === mark) {
      fence = undefined;
    }
    lines.push(line);
    length += line.length + 1;
    isBlank = line.trim() === "";
  }
  end();
  return found;
}

/** The lines of a text that define links and footnotes: those of one section count in all. */
export function definitions(text: string): string {
  const lines = text.split(/\r\n|\n|\r/).filter((line) => line.length < 2000 && DEFINITION.test(line));
  return lines.slice(0, DEFINITIONS).join("\n");
}
