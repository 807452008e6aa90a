// Formats of texts that a JSON Schema names. What is not known here is left to the server.

const FORMATS: Record<string, [fits: (text: string) => boolean, wanted: string]> = {
  date: [(text) => /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)), "a date such as 2025-01-31"],
  time: [(text) => /^\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/i.test(text), "a time such as 13:45:00Z"],
  "date-time": [
    (text) =>
      /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/i.test(text) && !Number.isNaN(Date.parse(text)),
    "an instant such as 2025-01-31T13:45:00Z",
  ],
  email: [(text) => /^[^\s@]+@[^\s@]+$/.test(text), "an e-mail address"],
  uri: [(text) => URL.canParse(text), "an address such as https://example.org/"],
  url: [(text) => URL.canParse(text), "an address such as https://example.org/"],
  uuid: [(text) => /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text), "a UUID"],
  ipv4: [
    (text) => /^\d{1,3}(\.\d{1,3}){3}$/.test(text) && text.split(".").every((part) => Number(part) < 256),
    "an IPv4 address",
  ],
};

/** What a text of a format must be, where this one is not. */
export function fitsFormat(format: string, text: string): string | undefined {
  const [fits, wanted] = FORMATS[format] ?? [];
  return fits === undefined || fits(text) ? undefined : wanted;
}
