// Text of others, made safe to look at: characters that cannot be seen, or that change how others are seen, are named.

/** The names of the control characters from 0 on. */
const NAMES = (
  "NUL SOH STX ETX EOT ENQ ACK BEL BS TAB LF VT FF CR SO SI " +
  "DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM SUB ESC FS GS RS US"
).split(" ");

const UNSEEN = new RegExp(
  "[" +
    // Control characters without tab and line feed.
    "\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f" +
    // Soft hyphen, directions, separators, characters without width, annotations, tags.
    "\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u2064\\u2066-\\u206f" +
    "\\ufeff\\ufff9-\\ufffb\\u{e0000}-\\u{e007f}" +
    // Halves of pairs that stand alone.
    "\\ud800-\\udfff]",
  "gu",
);

function named(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const name = code === 0x7f ? "DEL" : NAMES[code];
  return `⟨${name ?? `U+${code.toString(16).toUpperCase().padStart(4, "0")}`}⟩`;
}

/** A text in which everything is seen: terminal escapes, bidirectional overrides and the like are named, not obeyed. */
export function visible(text: string): string {
  return text.replace(/\r\n/g, "\n").replace(UNSEEN, named);
}

/** The first part of a text, cut between characters. */
export function short(text: string, most: number): string {
  if (text.length <= most) return text;
  const end = /[\ud800-\udbff]/.test(text[most - 1] ?? "") ? most - 1 : most;
  return `${text.slice(0, end)}…`;
}

/** A number with its thousands apart. */
export function count(number: number): string {
  return number.toLocaleString("en").replaceAll(",", "\u202f");
}

/** `1 item`, `2 items`. */
export function counted(number: number, one: string, several = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : several}`;
}

/** Bytes in words: `512 B`, `3.4 kB`, `12 MB`. */
export function bytes(number: number): string {
  const units = ["B", "kB", "MB", "GB"];
  let unit = 0;
  let value = number;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}
