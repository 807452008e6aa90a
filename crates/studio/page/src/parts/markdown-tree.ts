// Markdown as a tree of a few harmless elements. Anything else is text: HTML, links to what is neither web nor mail.

import type { List, Nodes, PhrasingContent, RootContent, Table } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { visible } from "./text.ts";

/** An element without anything but what is in it. */
export type Plain = "p" | "em" | "strong" | "del" | "code" | "pre" | "blockquote" | "ul" | "li" | "hr" | "br" | "html";

/** A part of the tree: a text, or an element. */
export type Piece =
  | string
  | { is: Plain; in: Piece[] }
  | { is: "heading"; level: number; in: Piece[] }
  | { is: "ol"; start: number; in: Piece[] }
  | { is: "task"; done: boolean; in: Piece[] }
  | { is: "link"; href: string; in: Piece[] }
  /** A link to what only the view knows that shows the text: one with such an address, or a sign that is one. */
  | { is: "own"; url: string; in: Piece[] }
  | { is: "table"; head: Cell[]; rows: Cell[][] }
  | { is: "note"; number: number }
  | { is: "notes"; notes: { number: number; in: Piece[] }[] };

export interface Cell {
  align: "left" | "right" | "center" | undefined;
  in: Piece[];
}

/** What is nested deeper is shown as its source. */
const DEEPEST = 24;

/** The address of a link as the browser reads it, if it leads to the web or is a mail; nothing for any other. */
export function harmless(url: string): string | undefined {
  // A browser drops blanks and control characters from an address: one that has any is not what it seems.
  if (!/^(https?:\/\/|mailto:)/i.test(url) || /[\u0000-\u0020\u007f-\u009f]/.test(url)) return undefined;
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return undefined;
  }
  return ["http:", "https:", "mailto:"].includes(parsed.protocol) ? parsed.href : undefined;
}

/** What a view makes something of itself. */
export interface Own {
  /** Whether it is a link to this address. */
  has?: (url: string) => boolean;
  /** What stands in the text and is a link as it stands, such as `[1]`. It is global, and is not looked for in code. */
  signs?: RegExp;
}

/** The tree of a section of Markdown. `definitions` are lines of link and footnote definitions that are elsewhere. */
export function tree(section: string, definitions = "", own: Own = {}): Piece[] {
  const source = definitions === "" ? section : `${section}\n\n${definitions}`;
  try {
    const root = fromMarkdown(source, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
    return new Reader(source, own).read(root.children);
  } catch {
    // Nested deeper than the stack goes.
    return [{ is: "pre", in: [visible(section)] }];
  }
}

class Reader {
  private readonly targets = new Map<string, string>();
  private readonly noted = new Map<string, RootContent[]>();
  /** Footnotes in the order in which they are referred to. */
  private readonly order: string[] = [];
  /** How many links are around what is read: no link is in another. */
  private links = 0;

  constructor(
    private readonly source: string,
    private readonly own: Own,
  ) {}

  read(children: RootContent[]): Piece[] {
    this.define(children);
    const pieces = this.all(children, 0);
    // A footnote may refer to others, which are appended meanwhile.
    const notes: { number: number; in: Piece[] }[] = [];
    for (let at = 0; at < this.order.length; at += 1) {
      notes.push({ number: at + 1, in: this.all(this.noted.get(this.order[at] ?? "") ?? [], 1) });
    }
    return notes.length === 0 ? pieces : [...pieces, { is: "notes", notes }];
  }

  private define(children: readonly Nodes[]): void {
    const waiting: Nodes[] = [...children].reverse();
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      if (node.type === "definition" && !this.targets.has(node.identifier)) this.targets.set(node.identifier, node.url);
      if (node.type === "footnoteDefinition" && !this.noted.has(node.identifier)) {
        this.noted.set(node.identifier, node.children);
      }
      if ("children" in node) {
        for (let at = node.children.length - 1; at >= 0; at -= 1) waiting.push(node.children[at] as Nodes);
      }
    }
  }

  private all(nodes: readonly Nodes[], depth: number): Piece[] {
    return nodes.flatMap((node) => this.one(node, depth));
  }

  private one(node: Nodes, depth: number): Piece[] {
    if (depth > DEEPEST) return [{ is: "code", in: [this.written(node)] }];
    const inside = () => this.all("children" in node ? node.children : [], depth + 1);
    switch (node.type) {
      case "text":
        return this.text(visible(node.value));
      case "paragraph":
        return [{ is: "p", in: inside() }];
      case "heading":
        return [{ is: "heading", level: node.depth, in: inside() }];
      case "emphasis":
        return [{ is: "em", in: inside() }];
      case "strong":
        return [{ is: "strong", in: inside() }];
      case "delete":
        return [{ is: "del", in: inside() }];
      case "inlineCode":
        return [{ is: "code", in: [visible(node.value)] }];
      case "code":
        return [{ is: "pre", in: [visible(node.value)] }];
      case "html":
        return [{ is: "html", in: [visible(node.value)] }];
      case "blockquote":
        return [{ is: "blockquote", in: inside() }];
      case "thematicBreak":
        return [{ is: "hr", in: [] }];
      case "break":
        return [{ is: "br", in: [] }];
      case "list":
        return [this.list(node, depth)];
      case "link":
        return this.link(node.url, this.linked(inside));
      case "image":
        return this.image(node.url, node.alt);
      case "linkReference": {
        const url = this.targets.get(node.identifier);
        return url === undefined ? this.text(this.written(node)) : this.link(url, this.linked(inside));
      }
      case "imageReference": {
        const url = this.targets.get(node.identifier);
        return url === undefined ? [this.written(node)] : this.image(url, node.alt);
      }
      case "footnoteReference": {
        if (!this.noted.has(node.identifier)) return [this.written(node)];
        if (!this.order.includes(node.identifier)) this.order.push(node.identifier);
        return [{ is: "note", number: this.order.indexOf(node.identifier) + 1 }];
      }
      case "table":
        return [this.table(node, depth)];
      case "definition":
      case "footnoteDefinition":
        return [];
      default:
        return [this.written(node)];
    }
  }

  /** A text, and the signs in it that the view makes something of. */
  private text(text: string): Piece[] {
    const { signs } = this.own;
    if (signs === undefined || this.links > 0) return [text];
    const pieces: Piece[] = [];
    let from = 0;
    for (const { 0: sign, index } of text.matchAll(signs)) {
      if (index > from) pieces.push(text.slice(from, index));
      pieces.push({ is: "own", url: sign, in: [sign] });
      from = index + sign.length;
    }
    if (from < text.length || pieces.length === 0) pieces.push(text.slice(from));
    return pieces;
  }

  private linked(inside: () => Piece[]): Piece[] {
    this.links += 1;
    const pieces = inside();
    this.links -= 1;
    return pieces;
  }

  private link(url: string, inside: Piece[]): Piece[] {
    if (this.own.has?.(url) === true) return [{ is: "own", url, in: inside }];
    const href = harmless(url);
    if (href !== undefined) return [{ is: "link", href, in: inside }];
    return [...inside, ` (${visible(url)})`];
  }

  /** An image is never loaded: whoever wrote the text would learn that it is read. */
  private image(url: string, alt: string | null | undefined): Piece[] {
    return this.link(url, [`[image${alt ? `: ${visible(alt)}` : ""}]`]);
  }

  private list(node: List, depth: number): Piece {
    // The texts of a list without blank lines are no paragraphs.
    const isTight = node.spread !== true && node.children.every((item) => item.spread !== true);
    const items = node.children.map((item): Piece => {
      const pieces = this.all(item.children, depth + 1);
      const children = isTight ? pieces.flatMap((piece) => (isParagraph(piece) ? piece.in : [piece])) : pieces;
      if (typeof item.checked === "boolean") return { is: "task", done: item.checked, in: children };
      return { is: "li", in: children };
    });
    return node.ordered === true ? { is: "ol", start: node.start ?? 1, in: items } : { is: "ul", in: items };
  }

  private table(node: Table, depth: number): Piece {
    const rows = node.children.map((row) =>
      row.children.map((cell, at): Cell => {
        const content: PhrasingContent[] = cell.children;
        return { align: node.align?.[at] ?? undefined, in: this.all(content, depth + 1) };
      }),
    );
    return { is: "table", head: rows[0] ?? [], rows: rows.slice(1) };
  }

  private written(node: Nodes): string {
    const { start, end } = node.position ?? {};
    return visible(this.source.slice(start?.offset ?? 0, end?.offset ?? 0));
  }
}

function isParagraph(piece: Piece): piece is { is: "p"; in: Piece[] } {
  return typeof piece !== "string" && piece.is === "p";
}
