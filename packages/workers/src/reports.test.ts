import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { LIMITS } from "./limits.ts";
import { type Reported, Reports } from "./reports.ts";

function gathered(): { reports: Reports; sent: Reported[] } {
  const sent: Reported[] = [];
  return { reports: new Reports((reported) => sent.push(reported)), sent };
}

test("the first report is sent at once, and those that follow closely are batched", async () => {
  const { reports, sent } = gathered();
  reports.add(1);
  expect(sent).toEqual([{ progress: [1], dropped: 0 }]);
  reports.add(2);
  reports.add(3);
  expect(sent).toHaveLength(1);
  await pause(5 * LIMITS.progressMs);
  expect(sent.slice(1)).toEqual([{ progress: [2, 3], dropped: 0 }]);
  expect(reports.end()).toEqual({});
});

test("unsent reports go with the answer, and nothing is sent after it", async () => {
  const { reports, sent } = gathered();
  reports.add("a");
  reports.add("b");
  expect(reports.end()).toEqual({ progress: ["b"], dropped: 0 });
  reports.add("c");
  await pause(3 * LIMITS.progressMs);
  expect(sent).toHaveLength(1);
});

test("a flood of reports takes bounded memory, and dropped reports are counted", () => {
  const { reports } = gathered();
  const text = "x".repeat(1_000);
  for (let at = 0; at < 1_000; at++) reports.add(text);
  const { progress = [], dropped = 0 } = reports.end();
  expect(JSON.stringify(progress).length).toBeLessThanOrEqual(LIMITS.progressBytes + progress.length + 1);
  // One went out at once.
  expect(progress.length + dropped).toBe(999);
});

test("a report is a snapshot; one that cannot be serialized is dropped", () => {
  const { reports, sent } = gathered();
  const changing = { at: 1 };
  reports.add(changing);
  changing.at = 2;
  expect(sent).toEqual([{ progress: [{ at: 1 }], dropped: 0 }]);
  reports.add(1n);
  expect(reports.end()).toEqual({ progress: [], dropped: 1 });
});
