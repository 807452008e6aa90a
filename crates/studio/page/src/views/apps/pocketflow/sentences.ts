// What the controls of a review say for the person: the fixed forms that the application reads without any doubt.

/** The most bytes of a message that the application reads. */
const MOST_BYTES = 16 * 1024;

export const APPROVE = "/approve";
export const CANCEL = "/cancel";
export const YES = "yes";
export const NO = "no";
export const RETRY = "retry";
export const INSIST = "go on without records";

/** Has it made again, for this reason. */
export function reject(reason: string): string {
  return `/reject ${reason.trim()}`.trim();
}

/** Has other literature looked for, for this reason. */
export function search(reason: string): string {
  return `/search ${reason.trim()}`.trim();
}

export function newTopic(topic: string): string {
  return `new topic: ${oneLine(topic)}`;
}

/** A change of a list, of which places count from 1 and are those before any change. */
export type Edit =
  | { is: "remove"; at: number }
  | { is: "replace"; at: number; text: string }
  | { is: "add"; text: string };

/** A text of many lines can be said alone only: in several edits a line or a semicolon ends one. */
export function single(edit: Edit): string {
  switch (edit.is) {
    case "remove":
      return `/remove ${edit.at}`;
    case "replace":
      return `/edit ${edit.at} ${edit.text.trim()}`;
    case "add":
      return `/add ${edit.text.trim()}`;
  }
}

/** Several edits at once, or why they cannot be said so. */
export function several(edits: readonly Edit[]): { say: string } | { problem: string } {
  const [first] = edits;
  if (first !== undefined && edits.length === 1) return { say: single(first) };
  const parted = edits.find((edit) => edit.is !== "remove" && edit.text.includes(";"));
  if (parted !== undefined) {
    return { problem: "A text with a semicolon can be changed or added alone only, and not with other changes." };
  }
  const lines = edits.map((edit) => {
    if (edit.is === "remove") return `remove ${edit.at}`;
    return edit.is === "add" ? `add: ${oneLine(edit.text)}` : `edit ${edit.at}: ${oneLine(edit.text)}`;
  });
  return { say: lines.join("\n") };
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** The changes that make a list of another; `undefined` in `after` is what was removed. */
export function edits(
  before: readonly string[],
  after: readonly (string | undefined)[],
  added: readonly string[],
): Edit[] {
  const changes = before.flatMap((old, at): Edit[] => {
    const now = after[at];
    if (now === undefined || now.trim() === "") return [{ is: "remove", at: at + 1 }];
    return oneLine(now) === oneLine(old) ? [] : [{ is: "replace", at: at + 1, text: oneLine(now) }];
  });
  const more = added.map(oneLine).filter((text) => text !== "");
  return [...changes, ...more.map((text): Edit => ({ is: "add", text }))];
}

/** Why a message would not be read, where it would not. */
export function tooLong(message: string): string | undefined {
  const { length } = new TextEncoder().encode(message);
  return length > MOST_BYTES ? `This is longer than the ${MOST_BYTES} bytes that the application reads.` : undefined;
}

/** What is said with all of it under review, and the notes and the question behind. */
export interface Announced {
  first: string;
  notes: string[];
  /** How a reply was read, where that is asked. */
  confirm: string | undefined;
}

/** The parts of the message with which something is shown for review. */
export function announced(message: string): Announced {
  const [said = "", notes = ""] = message.split("\n\nTo know:\n", 2);
  const listed = notes.split("\n").filter((line) => line.startsWith("- "));
  return {
    first: said.split("\n", 1)[0] ?? "",
    notes: listed.map((line) => line.slice(2)),
    confirm: /^I take this as: [^]*? Is that right\?/m.exec(said)?.[0],
  };
}
