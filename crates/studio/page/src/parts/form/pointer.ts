// Places in a JSON value, as JSON pointers: "" is the whole, "/items/0" the first of `items`.

/** The place of a member or an item of what is at `place`. */
export function inside(place: string, key: string | number): string {
  return `${place}/${String(key).replaceAll("~", "~0").replaceAll("/", "~1")}`;
}

/** The keys that lead to a place. */
export function keysOf(place: string): string[] {
  return place === "" ? [] : place.slice(1).split("/").map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Whether a place is another one, or is in it. */
export function isWithin(place: string, outer: string): boolean {
  return place === outer || place.startsWith(`${outer}/`);
}

/** The place that a server names as `items[0].name` or `items.0.name`. */
export function placeOfPath(path: string): string {
  const keys = path.split(/[.[\]]+/).filter((key) => key !== "" && key !== "?");
  return keys.reduce(inside, "");
}

/** A place in words: `items[0].name`. */
export function spoken(place: string): string {
  const keys = keysOf(place);
  return keys.map((key, at) => (/^\d+$/.test(key) ? `[${key}]` : at === 0 ? key : `.${key}`)).join("");
}
