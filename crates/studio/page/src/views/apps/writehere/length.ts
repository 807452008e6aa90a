// Lengths of texts in words, read and counted as WriteHERE does (crates/apps/writehere/src/length.rs).

/** A length as a plan states it: `800 words`, `1,500`, `500-800 words` (the middle), `2k words`. */
export function wordsIn(text: string | undefined): number | undefined {
  const found = [...(text ?? "").matchAll(/(\d[\d,_\u00a0]*(?:\.\d+)?)(k?)/gi)];
  const numbers = found.map(([, digits = "", thousands]) => {
    return Number(digits.replace(/[,_\u00a0]/g, "")) * (thousands === "" ? 1 : 1000);
  });
  const [low, high] = numbers;
  if (low === undefined) return undefined;
  const isRange = high !== undefined && high > low && /[-–~t]/.test(text ?? "");
  const words = Math.round(isRange ? (low + high) / 2 : low);
  return words >= 1 && words < 2 ** 32 ? words : undefined;
}

/** Signs of scripts that are written without spaces count as words. */
const UNSPACED = "\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}";
const WORD = new RegExp(`[${UNSPACED}]|[^\\s${UNSPACED}]+`, "gu");

/** The words of a text. Marks of citations are none. */
export function countWords(text: string): number {
  const plain = text.replace(MARK, " ");
  return (plain.match(WORD) ?? []).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}

/** The mark of a citation in a text that is not finished: `[reference:ID]`, `[ref: ID, ID]`. */
export const MARK = /\[(?:references?|refs?)\s*[:：]\s*([^\]\s]+(?:[,;，]\s*[^\]\s]+)*)\s*\]/gi;
