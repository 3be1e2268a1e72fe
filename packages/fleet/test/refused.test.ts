import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Model, type SessionLease, type SessionStore, fileStore, scripted } from "@runahead/agent";
import { createAgentQueue, startAgentWorker } from "../src/index.ts";

/** Refuses lines with this word, as a database refuses a text that it cannot encode. */
function refusing(store: SessionStore, word: string): SessionStore {
  const check = (lines: readonly string[]): void => {
    if (lines.some((line) => line.includes(word))) throw new Error("invalid byte sequence");
  };
  const with_ = <Thing extends object>(thing: Thing, members: Partial<Thing>): Thing =>
    new Proxy(thing, {
      get: (target, name) => {
        const value: unknown = Reflect.get(name in members ? members : target, name);
        return typeof value === "function" && !(name in members) ? value.bind(target) : value;
      },
    });
  const leased = (lease: SessionLease): SessionLease =>
    with_(lease, {
      append: async (batch) => {
        check(batch.lines);
        return lease.append(batch);
      },
      release: async (options = {}) => {
        check((options.batches ?? []).flatMap(({ lines }) => lines));
        return lease.release(options);
      },
    });
  return with_(store, {
    forTenant: (tenant) => refusing(store.forTenant(tenant), word),
    lease: async (id, options) => leased(await store.lease(id, options)),
  });
}

/** Ends its response later than it has said everything. */
function slow(model: Model, delayMs: number): Model {
  return {
    ...model,
    name: model.name,
    async *stream(...asked) {
      yield* model.stream(...asked);
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    },
  };
}

test("a session whose lines the store refuses fails with the reason, and does not hold its worker", async () => {
  const home = await mkdtemp(join(tmpdir(), "fleet-refused-"));
  const real = fileStore({ home });
  const queue = createAgentQueue({ store: refusing(real, "unspeakable") });
  let runs = 0;
  const worker = await startAgentWorker({
    queue,
    concurrency: 1,
    sweepMs: 50,
    agent: ({ session }) => {
      runs++;
      const text = session.id.startsWith("bad") ? "unspeakable" : "Done.";
      // Refused with the last lines of the run, or while the run goes on.
      const delayMs = session.id === "bad2" ? 100 : 0;
      return { model: slow(scripted([[{ type: "text", text }]]), delayMs), tools: [] };
    },
  });
  try {
    await queue.start("bad", "Hi");
    await queue.start("bad2", "Hi");
    await queue.start("good", "Hi");
    const run = async (id: string): Promise<unknown> => (await queue.info(id)).run;
    await expect.poll(() => run("good"), { timeout: 30_000 }).toMatchObject({ text: "Done." });
    for (const id of ["bad", "bad2"]) {
      const detail = `The store refuses to save session ${id}: invalid byte sequence`;
      await expect.poll(() => run(id), { timeout: 30_000 }).toEqual({ status: "failed", detail });
      expect(await real.inbox(id)).toEqual([]);
    }
    expect([runs, await real.due(10)]).toEqual([3, []]);
  } finally {
    await worker.drain();
    await queue.close();
    await rm(home, { recursive: true, force: true });
  }
}, 60_000);
