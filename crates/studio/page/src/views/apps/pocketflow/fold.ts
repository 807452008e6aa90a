// The beginning of a long message.

/** Messages up to this long are shown whole, in characters. */
const WHOLE = 800;
/** A longer one is cut about here. */
const CUT = 450;

/** The whole of a short text; of a long one the paragraphs at its beginning. */
export function folded(text: string): string {
  if (text.length <= WHOLE) return text;
  const paragraph = text.lastIndexOf("\n\n", CUT);
  const line = text.lastIndexOf("\n", CUT);
  const word = text.lastIndexOf(" ", CUT);
  const end = [paragraph, line, word].find((at) => at > CUT / 4) ?? CUT;
  return `${text.slice(0, end).trimEnd()} …`;
}
