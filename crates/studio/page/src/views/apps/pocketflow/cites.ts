// The marks `[1]` of a proposal as links to its references.

/** Code stays as it is; a mark that is a link already is none of ours. */
const MARK = /(```[^]*?(?:```|$)|`[^`\n]*`)|\[(\d{1,3})\](?![([:])/g;

const SCHEME = "#reference:";

/** The same Markdown, in which the marks of known references are links. */
export function linked(text: string, numbers: ReadonlySet<number>): string {
  return text.replace(MARK, (all, code: string | undefined, number: string | undefined) => {
    if (code !== undefined || number === undefined || !numbers.has(Number(number))) return all;
    return `[\\[${number}\\]](${SCHEME}${number})`;
  });
}

/** The number of the reference that a link leads to. */
export function numberOf(url: string): number | undefined {
  return url.startsWith(SCHEME) ? Number(url.slice(SCHEME.length)) : undefined;
}
