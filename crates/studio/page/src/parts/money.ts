// Amounts of money, which are told in millionths of a dollar.

/** Dollars, as exact as it helps: `$0.000123`, `$0.0123`, `$1.23`. What is not nothing is never shown as nothing. */
export function dollars(micros: number): string {
  if (micros >= 1_000_000) return `$${(micros / 1_000_000).toFixed(2)}`;
  const digits = micros >= 10_000 ? 4 : 6;
  return `$${(micros / 1_000_000).toFixed(digits).replace(/\.?0+$/, "")}`;
}
