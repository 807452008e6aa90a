import assert from "node:assert/strict";
import { test } from "node:test";
import { inWords } from "./words.ts";

test("what words can say is said", () => {
  const cases: [schedule: string, words: string][] = [
    ["* * * * *", "every minute"],
    ["*/1 * * * *", "every minute"],
    [" */15  * * * * ", "every 15 minutes"],
    ["*/60 * * * *", "at minute 0 of every hour"],
    ["5 * * * *", "at minute 5 of every hour"],
    ["5,35 * * * *", "at minutes 5 and 35 of every hour"],
    ["0 9 * * *", "every day at 09:00"],
    ["30 8,17 * * *", "every day at 08:30 and 17:30"],
    ["0 9 * * MON-FRI", "at 09:00 from Monday to Friday"],
    ["0 9 * * 1-5", "at 09:00 from Monday to Friday"],
    ["0 9 * * sat,sun", "at 09:00 on Saturdays and Sundays"],
    ["0 9 * * 0,6", "at 09:00 on Saturdays and Sundays"],
    ["0 9 * * 7", "at 09:00 on Sundays"],
    ["0 9 * * 1,3,5", "at 09:00 on Mondays, Wednesdays and Fridays"],
    ["0 0 1 * *", "at 00:00 on the 1st of the month"],
    ["0 0 1,15,23 * *", "at 00:00 on the 1st, 15th and 23rd of the month"],
    ["30 8 1 jan,JUL *", "at 08:30 on the 1st of the month in January and July"],
    ["0 */6 * * *", "every 6 hours from 00:00 on"],
    ["15 */1 * * *", "at minute 15 of every hour"],
    ["*/10 9-17 * * 1-5", "every 10 minutes from 09:00 to 17:50 from Monday to Friday"],
    ["* 9 * * *", "every minute from 09:00 to 09:59"],
    ["0 0 29 2 *", "at 00:00 on the 29th of the month in February"],
  ];
  for (const [schedule, words] of cases) assert.equal(inWords(schedule), words, schedule);
});

test("what they cannot say exactly stays as it is written", () => {
  const cases = [
    "",
    "* * * *",
    "0 * * * * *",
    "@daily",
    "61 * * * *",
    "*/0 * * * *",
    "*/7 * * * *",
    "0 */5 * * *",
    "0 0 1 * 1",
    "0 0 L * *",
    "0 0 * * 5#2",
    "0 0 ? * *",
    "0-30/5 * * * *",
    "0 0 15W * *",
    "0 22-2 * * *",
    "0 0 * * FRI-MON",
    "0 0 */2 * *",
    "0 0 * */2 *",
    "1-30 * * * *",
    "* 9,11 * * *",
  ];
  for (const schedule of cases) assert.equal(inWords(schedule), undefined, schedule);
});
