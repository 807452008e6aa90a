// Minutes as a person writes them.

export type Minutes = { minutes: number | undefined } | { problem: string };

export function minutesOf(text: string): Minutes {
  const trimmed = text.trim().replace(",", ".");
  if (trimmed === "") return { minutes: undefined };
  const minutes = Number(trimmed);
  if (!/^\d*\.?\d+$/.test(trimmed) || !(minutes > 0)) return { problem: "A number above 0 is needed, or nothing." };
  return { minutes };
}
