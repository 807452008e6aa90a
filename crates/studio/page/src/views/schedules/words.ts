// A schedule of five fields in words, where they can say all of it; nothing else is said.

const MONTHS = "January February March April May June July August September October November December".split(" ");
/** From Monday, 1, to Sunday, 7. */
const DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(" ");
/** More times of a day than these are no words. */
const MOST = 6;

/** What a field allows: anything, every n-th value from the first on, or some values. */
type Allowed = { is: "any" } | { is: "step"; step: number } | { is: "some"; values: number[] };

interface Range {
  first: number;
  last: number;
  names?: string[];
}

export function inWords(schedule: string): string | undefined {
  const fields = schedule.trim().split(/\s+/);
  if (fields.length !== 5) return undefined;
  const all = [
    read(fields[0], { first: 0, last: 59 }),
    read(fields[1], { first: 0, last: 23 }),
    read(fields[2], { first: 1, last: 31 }),
    read(fields[3], { first: 1, last: 12, names: MONTHS }),
    read(fields[4], { first: 0, last: 7, names: ["Sunday", ...DAYS] }),
  ].filter((field) => field !== undefined);
  const [minute, hour, date, month, day] = all;
  if (!minute || !hour || !date || !month || !day) return undefined;
  // A run on a day of the month or of the week, or of both: servers differ.
  if (date.is !== "any" && day.is !== "any") return undefined;
  if (date.is === "step" || day.is === "step" || month.is === "step") return undefined;
  const time = timeWords(minute, hour);
  if (time === undefined) return undefined;
  const on = date.is === "some" ? dateWords(date.values) : day.is === "some" ? dayWords(day.values) : undefined;
  const months = month.is === "some" ? `in ${listed(month.values.map((one) => MONTHS[one - 1] ?? ""))}` : undefined;
  const isOfDay = time.startsWith("at ") && !time.endsWith(" of every hour");
  const begin = isOfDay && on === undefined ? `every day ${time}` : time;
  return [begin, on, months].filter((part) => part !== undefined).join(" ");
}

function read(text: string | undefined, range: Range): Allowed | undefined {
  if (text === undefined) return undefined;
  if (text === "*") return { is: "any" };
  const step = /^\*\/(\d{1,2})$/.exec(text)?.[1];
  if (step !== undefined) return Number(step) === 0 ? undefined : { is: "step", step: Number(step) };
  const values = new Set<number>();
  for (const part of text.split(",")) {
    const [from, to, ...more] = part.split("-");
    const first = valueOf(from, range);
    const last = to === undefined ? first : valueOf(to, range);
    if (first === undefined || last === undefined || first > last || more.length > 0) return undefined;
    for (let value = first; value <= last; value += 1) values.add(value);
  }
  return { is: "some", values: [...values].sort((a, b) => a - b) };
}

function valueOf(text: string | undefined, range: Range): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,2}$/.test(text)) {
    const value = Number(text);
    return value >= range.first && value <= range.last ? value : undefined;
  }
  const at = range.names?.findIndex((name) => name.slice(0, 3).toLowerCase() === text.toLowerCase()) ?? -1;
  return at < 0 ? undefined : range.first + at;
}

function timeWords(minute: Allowed, hour: Allowed): string | undefined {
  const every = minute.is === "any" ? 1 : minute.is === "step" && 60 % minute.step === 0 ? minute.step : undefined;
  if (every !== undefined) {
    const often = every === 1 ? "every minute" : `every ${every} minutes`;
    if (hour.is === "any") return often === "every 60 minutes" ? "at minute 0 of every hour" : often;
    const span = hour.is === "some" ? spanOf(hour.values) : undefined;
    if (span === undefined || every > 30) return undefined;
    return `${often} from ${clock(span[0], 0)} to ${clock(span[1], 60 - every)}`;
  }
  if (minute.is !== "some") return undefined;
  const { values } = minute;
  if (hour.is === "any") {
    if (values.length > MOST) return undefined;
    return `at minute${values.length === 1 ? "" : "s"} ${listed(values.map(String))} of every hour`;
  }
  if (hour.is === "step") {
    if (24 % hour.step !== 0 || values.length !== 1 || hour.step > 12) return undefined;
    if (hour.step === 1) return `at minute ${values[0]} of every hour`;
    return `every ${hour.step} hours from ${clock(0, values[0] ?? 0)} on`;
  }
  if (hour.values.length * values.length > MOST) return undefined;
  return `at ${listed(hour.values.flatMap((one) => values.map((other) => clock(one, other))))}`;
}

function clock(hour: number, minute: number): string {
  return `${String(hour).padStart(2, "0")}:${String(minute).padStart(2, "0")}`;
}

/** The first and the last of values that follow each other. */
function spanOf(values: readonly number[]): [number, number] | undefined {
  const [first, last] = [values[0], values.at(-1)];
  return first !== undefined && last !== undefined && last - first === values.length - 1 ? [first, last] : undefined;
}

function dateWords(dates: readonly number[]): string {
  return `on the ${listed(dates.map(ordinal))} of the month`;
}

function ordinal(date: number): string {
  const end = date % 10;
  return `${date}${date > 10 && date < 14 ? "th" : end === 1 ? "st" : end === 2 ? "nd" : end === 3 ? "rd" : "th"}`;
}

function dayWords(days: readonly number[]): string | undefined {
  // Sunday is 0 and 7.
  const week = [...new Set(days.map((day) => (day === 0 ? 7 : day)))].sort((a, b) => a - b);
  if (week.length === 7) return "on every day of the week";
  const span = spanOf(week);
  if (span !== undefined && week.length > 2) return `from ${DAYS[span[0] - 1]} to ${DAYS[span[1] - 1]}`;
  return `on ${listed(week.map((day) => `${DAYS[day - 1]}s`))}`;
}

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`;
}
