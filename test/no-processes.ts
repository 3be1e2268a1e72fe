/** Fails each unit test file that starts a process: such a test is a system test. */

import { channel } from "node:diagnostics_channel";
import { afterAll, beforeAll, expect } from "vitest";

const started: string[] = [];
const note = (message: unknown): void => {
  const { process: child } = message as { process: { spawnargs?: readonly string[] } };
  queueMicrotask(() => started.push((child.spawnargs ?? []).join(" ")));
};

beforeAll(() => {
  started.length = 0;
  channel("child_process").subscribe(note);
});

afterAll(() => {
  channel("child_process").unsubscribe(note);
  expect(started, "Unit tests start no processes. Rename this file to *.system.test.ts.").toEqual([]);
});
