// JSON as a person writes it: read with the line and the column of the first thing that is wrong.

import type { Json } from "../../api/types.ts";

export interface JsonProblem {
  message: string;
  /** Where in the text, in characters from its beginning. */
  offset: number;
}

export type JsonRead = { value: Json } | { problem: JsonProblem };

/** Arrays and objects within each other; a server takes no more. */
const DEEPEST = 127;

class Unreadable extends Error {
  constructor(
    readonly wrong: string,
    readonly offset: number,
  ) {
    super(wrong);
  }
}

/** Reads a text as JSON. */
export function readJson(text: string): JsonRead {
  const reader = new Reader(text);
  try {
    reader.whole();
    return { value: JSON.parse(text) as Json };
  } catch (error) {
    const [wrong, offset] = error instanceof Unreadable ? [error.wrong, error.offset] : ["This is no JSON.", 0];
    const before = text.slice(0, offset);
    const line = before.split("\n").length;
    const column = offset - before.lastIndexOf("\n");
    return { problem: { message: `Line ${line}, column ${column}: ${wrong}`, offset } };
  }
}

class Reader {
  private at = 0;

  constructor(private readonly text: string) {}

  whole(): void {
    this.blank();
    if (this.at === this.text.length) throw new Unreadable("A value is needed.", this.at);
    this.value(0);
    this.blank();
    if (this.at < this.text.length) {
      throw new Unreadable(`Nothing may follow the value; here is ${this.here()}.`, this.at);
    }
  }

  private here(): string {
    const character = this.text.slice(this.at)[Symbol.iterator]().next().value as string | undefined;
    if (character === undefined) return "the end of the text";
    return character === "\n" ? "the end of the line" : `\`${character}\``;
  }

  private blank(): void {
    while (/[ \t\r\n]/.test(this.text[this.at] ?? "")) this.at += 1;
  }

  private value(depth: number): void {
    const first = this.text[this.at];
    if (depth > DEEPEST) throw new Unreadable("This is nested too deeply.", this.at);
    if (first === "{") return this.members(depth);
    if (first === "[") return this.items(depth);
    if (first === '"') return this.string();
    const rest = this.text.slice(this.at, this.at + 400);
    const word = /^[A-Za-z_]\w*/.exec(rest)?.[0];
    if (word === "true" || word === "false" || word === "null") {
      this.at += word.length;
      return;
    }
    const number = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/.exec(rest)?.[0];
    if (number !== undefined) {
      if (/^-?\d+$/.test(number) && !Number.isSafeInteger(Number(number))) {
        throw new Unreadable("A browser cannot keep a whole number of this size exactly.", this.at);
      }
      this.at += number.length;
      return;
    }
    if (word !== undefined) throw new Unreadable(`\`${word}\` is no value; a text stands in double quotes.`, this.at);
    if (first === "'") throw new Unreadable("A text stands in double quotes.", this.at);
    throw new Unreadable(`A value is needed; here is ${this.here()}.`, this.at);
  }

  private string(): void {
    const start = this.at;
    this.at += 1;
    for (;;) {
      const character = this.text[this.at];
      if (character === undefined) throw new Unreadable("This text has no end.", start);
      if (character === '"') break;
      if (character === "\n") {
        throw new Unreadable("A text ends in its line; a line break in it is written \\n.", this.at);
      }
      if (character < " ") throw new Unreadable("A control character in a text is written \\uXXXX.", this.at);
      if (character === "\\") {
        const escape = /^\\(["\\/bfnrt]|u[0-9a-fA-F]{4})/.exec(this.text.slice(this.at, this.at + 6));
        if (escape === null) throw new Unreadable("A backslash in a text is written \\\\.", this.at);
        this.at += escape[0].length;
      } else {
        this.at += 1;
      }
    }
    this.at += 1;
  }

  private items(depth: number): void {
    this.at += 1;
    this.blank();
    if (this.taken("]")) return;
    for (;;) {
      this.value(depth + 1);
      this.blank();
      if (this.taken("]")) return;
      this.separator("]");
    }
  }

  private members(depth: number): void {
    this.at += 1;
    this.blank();
    if (this.taken("}")) return;
    for (;;) {
      if (this.text[this.at] !== '"') {
        throw new Unreadable(`A name in double quotes is needed; here is ${this.here()}.`, this.at);
      }
      this.string();
      this.blank();
      if (!this.taken(":")) throw new Unreadable(`A colon is needed; here is ${this.here()}.`, this.at);
      this.blank();
      this.value(depth + 1);
      this.blank();
      if (this.taken("}")) return;
      this.separator("}");
    }
  }

  private taken(character: string): boolean {
    if (this.text[this.at] !== character) return false;
    this.at += 1;
    return true;
  }

  private separator(end: string): void {
    const comma = this.at;
    if (!this.taken(",")) throw new Unreadable(`A comma or \`${end}\` is needed; here is ${this.here()}.`, this.at);
    this.blank();
    if (this.text[this.at] === end) throw new Unreadable("Nothing follows this comma; take it away.", comma);
  }
}

/** A value as JSON text that a person reads; empty for none. */
export function jsonText(value: Json | undefined): string {
  return value === undefined ? "" : JSON.stringify(value, null, 2);
}
