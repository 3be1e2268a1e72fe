import { expect, test } from "vitest";
import { LeaseLost } from "./error.ts";
import type { AppendBatch } from "./store.ts";
import { StoreWriter } from "./store-writer.ts";

/** A lease whose store fails on demand. */
function leased() {
  const lines: string[] = [];
  const state = { isAway: false, refuses: "", isLost: false, attempts: 0, renewals: 0 };
  const answers = (): void => {
    if (state.isAway) throw new Error("connection refused");
    if (state.isLost) throw new LeaseLost("s1");
  };
  const lease = {
    id: "s1",
    validUntil: Number.POSITIVE_INFINITY,
    async append(batch: AppendBatch): Promise<number> {
      state.attempts++;
      answers();
      if (state.refuses !== "" && batch.lines.some((line) => line.includes(state.refuses)))
        throw new Error("invalid byte sequence");
      lines.push(...batch.lines);
      return batch.at + batch.lines.length;
    },
    async renew(): Promise<void> {
      state.renewals++;
      answers();
    },
  };
  return { lease, lines, state };
}

test("lines that a store refuses although it answers are given up, and the caller that waits learns why", async () => {
  const { lease, lines, state } = leased();
  const notices: string[] = [];
  const onNotice = (message: string): void => void notices.push(message);
  const writer = new StoreWriter({ lease, at: 0, onNotice, refusedMs: 100 });
  writer.append("one");
  await writer.sync();
  state.refuses = "bad";
  writer.append("bad");
  const saved = writer.sync();
  await expect(saved).rejects.toThrow("The store refuses to save session s1: invalid byte sequence");
  expect(writer.lost.aborted).toBe(true);
  expect((writer.lost.reason as Error).name).toBe("StoreRefused");
  await expect(writer.sync()).rejects.toThrow("The store refuses to save session s1");
  writer.append("more");
  expect(lines).toEqual(["one"]);
  expect(notices).toEqual([
    "Session s1 waits for its store: invalid byte sequence. It continues when the store responds.",
    "The store refuses to save session s1: invalid byte sequence",
  ]);
});

test("a store that is away is waited for however long, and lines that it refuses only for a moment are saved", async () => {
  const { lease, lines, state } = leased();
  const writer = new StoreWriter({ lease, at: 0, onNotice: () => {}, refusedMs: 1 });
  state.isAway = true;
  writer.append("one");
  const saved = writer.sync();
  await expect.poll(() => state.attempts, { timeout: 30_000 }).toBeGreaterThan(3);
  state.isAway = false;
  await saved;
  const patient = new StoreWriter({ lease, at: 1, onNotice: () => {}, refusedMs: 1_000_000 });
  state.refuses = "two";
  patient.append("two");
  const later = patient.sync();
  await expect.poll(() => state.renewals, { timeout: 30_000 }).toBeGreaterThan(5);
  state.refuses = "";
  await later;
  expect(lines).toEqual(["one", "two"]);
});

test("a writer that is closed while its store refuses lines ends at once", async () => {
  const { lease, state } = leased();
  const writer = new StoreWriter({ lease, at: 0, onNotice: () => {} });
  state.refuses = "bad";
  writer.append("bad");
  await expect.poll(() => state.attempts).toBeGreaterThan(1);
  await writer.close();
  expect(writer.isSaved).toBe(false);
  const ending = new StoreWriter({ lease, at: 0, onNotice: () => {}, endsWithLease: true });
  ending.append("bad");
  const before = state.attempts;
  await expect.poll(() => state.attempts).toBeGreaterThan(before + 1);
  expect(await ending.finish()).toEqual({ at: 0, lines: ["bad"] });
});

test("a lease that is found to be lost while the store refuses lines is reported as lost", async () => {
  const { lease, state } = leased();
  const writer = new StoreWriter({ lease, at: 0, onNotice: () => {} });
  state.refuses = "bad";
  writer.append("bad");
  const saved = writer.sync();
  await expect.poll(() => state.attempts).toBeGreaterThan(1);
  state.isLost = true;
  await expect(saved).rejects.toThrow("The lease of session s1 is lost");
});
