/** Checks that a session store keeps the promises of the port. */

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { sessions } from "./sessions.ts";
import type { DueSession, SessionLease, SessionStore } from "./store.ts";

/** How {@link storeSuite} gets at the store. */
export interface StoreSuiteOptions {
  /** Opens the store. Called once per check. All of them can use the same database: the checks use new session ids. */
  readonly open: () => SessionStore | Promise<SessionStore>;
  /** Makes the current lease of a session expire, as if its process had been paused for longer than the lease. */
  readonly expire: (store: SessionStore, id: string) => Promise<void>;
}

/** One check of {@link storeSuite}. */
export interface StoreCheck {
  /** What the store promises, as a sentence. */
  readonly title: string;
  /** Rejects with an error if the store does not keep the promise. */
  readonly run: () => Promise<void>;
}

type Body = (store: SessionStore, id: string, options: StoreSuiteOptions) => Promise<void>;

/**
 * Returns checks for a {@link SessionStore}, for any test runner. The stores of Runahead pass them all.
 *
 * @example
 * ```ts
 * import { rm } from "node:fs/promises";
 * import { fileStore } from "@runahead/agent";
 * import { storeSuite } from "@runahead/agent/store-suite";
 *
 * const checks = storeSuite({
 *   open: () => fileStore({ home: "/tmp/store-suite" }),
 *   expire: async (store, id) => console.log("expire the lease of", id, "in", store.name),
 * });
 * console.log(checks.map(({ title }) => title).length > 10);
 * await rm("/tmp/store-suite", { recursive: true, force: true });
 * ```
 */
export function storeSuite(options: StoreSuiteOptions): readonly StoreCheck[] {
  return Object.entries(CHECKS).map(([title, body]) => ({
    title,
    run: async () => {
      const store = await options.open();
      try {
        await body(store, `s-${randomUUID()}`, options);
      } finally {
        await store.close();
      }
    },
  }));
}

const line = (text: string, type = "note"): string => JSON.stringify({ type, text });

async function textOf(store: SessionStore, id: string, from = 0, journal?: string): Promise<string[]> {
  const found: string[] = [];
  for (let at = from; ; ) {
    const lines = await store.read(id, { from: at, ...(journal === undefined ? {} : { journal }) });
    if (lines.length === 0) return found;
    found.push(...lines.map((one) => one.line));
    const next = lines.at(-1)?.next ?? at;
    assert.ok(next > at, `a read from ${at} ends at ${next}`);
    at = next;
  }
}

const named =
  (name: string) =>
  (error: unknown): boolean =>
    error instanceof Error && error.name === name;

const isDue = async (store: SessionStore, id: string): Promise<boolean> =>
  (await store.due(100_000)).some((one) => one.id === id && one.tenant === store.tenant);

/** Appends to a session with a lease of its own. */
async function write(store: SessionStore, id: string, ...lines: readonly string[]): Promise<void> {
  const lease = await store.lease(id);
  await lease.append({ at: (await store.ends([id])).get(id) ?? 0, lines });
  await lease.release();
}

const WRITING: Readonly<Record<string, Body>> = {
  "what was appended can be read from every position": async (store, id) => {
    const lease = await store.lease(id, { isNew: true });
    const lines = ["one", 'zwei "ü" \u{1F680}', "three\\n\u0000"].map((text) => line(text));
    const end = await lease.append({ at: 0, lines });
    assert.deepEqual(await textOf(store, id), lines);
    const read = await store.read(id);
    for (const [index, { next }] of read.entries())
      assert.deepEqual(await textOf(store, id, next), lines.slice(index + 1));
    assert.equal(read.at(-1)?.next, end);
    assert.equal((await store.ends([id, "s-absent"])).get(id), end);
    assert.equal((await store.ends([id, "s-absent"])).size, 1);
    assert.deepEqual(await store.read(id, { from: end }), []);
    assert.equal(lease.end, 0);
    const last = await lease.append({ at: end, lines: [line("four")] });
    assert.deepEqual(await textOf(store, id, end), [line("four")]);
    await lease.release();
    const next = await store.lease(id);
    assert.equal(next.end, last);
    await next.release();
  },
  "many and large lines are read completely": async (store, id) => {
    const lease = await store.lease(id);
    const lines = Array.from({ length: 300 }, (_, index) =>
      line("x".repeat(index === 150 ? 2_000_000 : 3_000)),
    );
    let at = 0;
    for (const part of [lines.slice(0, 100), lines.slice(100)]) at = await lease.append({ at, lines: part });
    assert.deepEqual(await textOf(store, id), lines);
    await lease.release();
  },
  "an append whose reply was lost can be repeated without storing it twice": async (store, id) => {
    const lease = await store.lease(id);
    const lines = [line("one"), line("two")];
    const end = await lease.append({ at: 0, lines });
    assert.equal(await lease.append({ at: 0, lines }), end);
    assert.deepEqual(await textOf(store, id), lines);
    await lease.release();
  },
  "an append at a position other than the end is rejected": async (store, id) => {
    const lease = await store.lease(id);
    const end = await lease.append({ at: 0, lines: [line("one")] });
    await assert.rejects(lease.append({ at: 0, lines: [line("other text")] }));
    await assert.rejects(lease.append({ at: end + 1_000, lines: [line("two")] }));
    assert.deepEqual(await textOf(store, id), [line("one")]);
    await lease.release();
  },
  "journals of sub-agents are separate from that of the session": async (store, id) => {
    const lease = await store.lease(id);
    await lease.append({ at: 0, lines: [line("main")] });
    await lease.append({ journal: "agent-1", at: 0, lines: [line("sub")] });
    assert.deepEqual(await store.journals(id), ["agent-1"]);
    assert.deepEqual(await textOf(store, id), [line("main")]);
    assert.deepEqual(await textOf(store, id, 0, "agent-1"), [line("sub")]);
    await lease.release();
  },
  "the last compaction is found": async (store, id) => {
    const lease = await store.lease(id);
    assert.equal(await store.lastCompaction(id), 0);
    const at = await lease.append({ at: 0, lines: [line("a"), line("b", "compacted"), line("c")] });
    await lease.append({ at, lines: [line("d", "compacted"), line("e")] });
    const from = await store.lastCompaction(id);
    assert.deepEqual(await textOf(store, id, from), [line("d", "compacted"), line("e")]);
    await lease.release();
  },
};

const LEASING: Readonly<Record<string, Body>> = {
  "a session has one lease at a time": async (store, id) => {
    const attempts = await Promise.allSettled(Array.from({ length: 6 }, () => store.lease(id)));
    const held = attempts.filter((one) => one.status === "fulfilled");
    assert.equal(held.length, 1);
    for (const one of attempts) if (one.status === "rejected") assert.ok(named("SessionLocked")(one.reason));
    await held[0]?.value.release();
    await (await store.lease(id)).release();
  },
  "each lease has a higher fencing number": async (store, id) => {
    const fences: number[] = [];
    for (let count = 0; count < 3; count++) {
      const lease = await store.lease(id);
      fences.push(lease.fence);
      await lease.release();
    }
    assert.deepEqual(
      fences,
      [...new Set(fences)].toSorted((one, other) => one - other),
    );
  },
  "nothing can be written with a lease that was released": async (store, id) => {
    const lease = await store.lease(id);
    const at = await lease.append({ at: 0, lines: [line("one")] });
    await lease.release();
    await lease.release();
    await assert.rejects(lease.append({ at, lines: [line("two")] }), named("LeaseLost"));
    await assert.rejects(lease.renew(), named("LeaseLost"));
    assert.deepEqual(await textOf(store, id), [line("one")]);
  },
  "nothing can be written with a lease that was taken over": async (store, id, { expire }) => {
    await store.post(id, { id: "m1", body: 1 });
    const paused = await store.lease(id);
    const at = await paused.append({ at: 0, lines: [line("one")] });
    await expire(store, id);
    const next = await store.lease(id);
    assert.ok(next.fence > paused.fence);
    await assert.rejects(paused.append({ at, lines: [line("late")], taken: ["m1"] }), named("LeaseLost"));
    await assert.rejects(paused.renew(), named("LeaseLost"));
    assert.deepEqual(await textOf(store, id), [line("one")]);
    assert.equal((await store.inbox(id)).length, 1);
    await paused.release();
    await next.append({ at, lines: [line("two")] });
    assert.deepEqual(await textOf(store, id), [line("one"), line("two")]);
    await next.release();
  },
  "a session is created once, and found by its exact id": async (store, id) => {
    await assert.rejects(store.lease(id, { isNew: false }), named("NoSuchSession"));
    await write(store, id, line("one"));
    await assert.rejects(store.lease(id, { isNew: true }), named("SessionExists"));
    await assert.rejects(store.lease(id.toUpperCase(), { isNew: true }), named("SessionExists"));
    await assert.rejects(store.lease(id.toUpperCase(), { isNew: false }), named("NoSuchSession"));
    await (await store.lease(id, { isNew: false })).release();
    await assert.rejects(store.lease("../escape"), TypeError);
  },
};

const MAIL: Readonly<Record<string, Body>> = {
  "the last lines are stored when the lease ends, and not if it was lost": async (store, id, { expire }) => {
    await store.post(id, { id: "m1", body: 1 });
    const lease = await store.lease(id, { status: "running" });
    const own = { at: 0, lines: [line("one"), line("two")], taken: ["m1"] };
    const other = { journal: ".other", at: 0, lines: [line("beside")] };
    const { hasMail, end } = await lease.release({ status: "waiting", batches: [own, other] });
    assert.equal(hasMail, false);
    assert.equal(end ?? (await store.ends([id])).get(id), (await store.ends([id])).get(id));
    assert.deepEqual(await textOf(store, id), own.lines);
    assert.deepEqual(await textOf(store, id, 0, ".other"), other.lines);
    assert.equal(await isDue(store, id), false);
    const paused = await store.lease(id);
    await expire(store, id);
    const next = await store.lease(id);
    const late = { at: paused.end, lines: [line("late")] };
    await assert.rejects(paused.release({ batches: [late] }), named("LeaseLost"));
    await store.post(id, { id: "m2", body: 2 });
    assert.equal((await next.release()).hasMail, true);
    assert.deepEqual(await textOf(store, id), own.lines);
  },
  "a lease has the mail that waited, or leaves it to the inbox": async (store, id) => {
    await store.post(id, { id: "m1", body: { text: "one" } });
    await store.post(id, { id: "m2", body: "two" });
    const lease = await store.lease(id);
    assert.deepEqual(lease.mail ?? (await store.inbox(id)), await store.inbox(id));
    await lease.release();
  },
  "mail to a session that must be new creates it once, and can be repeated": async (store, id) => {
    const mail = { id: "m1", body: "one" };
    assert.equal(await store.post(id, mail, { isNew: true }), true);
    assert.equal(await store.post(id, mail, { isNew: true }), false);
    await assert.rejects(store.post(id, { id: "m2", body: "two" }, { isNew: true }), named("SessionExists"));
    await assert.rejects(
      store.post(id.toUpperCase(), { id: "m3", body: "three" }, { isNew: true }),
      named("SessionExists"),
    );
    assert.deepEqual(await store.inbox(id), [mail]);
  },
  "a session that only mail has created exists, until it is deleted": async (store, id) => {
    await store.post(id, { id: "m1", body: "one" });
    const lease = await store.lease(id, { isNew: false });
    assert.equal(lease.end, 0);
    await lease.release();
    assert.deepEqual([...(await store.ends([id]))], [[id, 0]]);
    assert.equal(await store.delete(id), true);
    await assert.rejects(store.lease(id, { isNew: false }), named("NoSuchSession"));
    assert.equal((await store.ends([id])).size, 0);
  },
  "mail waits in order, once per id, whether or not the session is leased": async (store, id) => {
    assert.deepEqual(await store.inbox(id), []);
    assert.equal(await store.post(id, { id: "m1", body: { text: "one" } }), true);
    const lease = await store.lease(id);
    assert.equal(await store.post(id, { id: "m2", body: "two" }), true);
    assert.equal(await store.post(id, { id: "m1", body: "again" }), false);
    assert.deepEqual(await store.inbox(id), [
      { id: "m1", body: { text: "one" } },
      { id: "m2", body: "two" },
    ]);
    await lease.append({ at: 0, lines: [line("one")], taken: ["m1"] });
    assert.deepEqual(await store.inbox(id), [{ id: "m2", body: "two" }]);
    await lease.release();
  },
  "a session with mail is due until the mail is taken, and not while it is leased": async (store, id) => {
    assert.equal(await isDue(store, id), false);
    await store.post(id, { id: "m1", body: "one" });
    assert.equal(await isDue(store, id), true);
    const lease = await store.lease(id, { status: "running" });
    assert.equal(await isDue(store, id), false);
    await lease.append({ at: 0, lines: [line("one")], taken: ["m1"] });
    await lease.release();
    assert.equal(await isDue(store, id), false);
  },
  "a running session whose worker died is due, and an idle one is not": async (store, id, { expire }) => {
    const idle = `${id}-idle`;
    const [lease] = [await store.lease(id, { status: "running" }), await store.lease(idle)];
    for (const one of [id, idle]) await expire(store, one);
    assert.equal(await isDue(store, id), true);
    assert.equal(await isDue(store, idle), false);
    await assert.rejects((await takeOver(store, id, lease)).append({ at: 0, lines: [] }), named("LeaseLost"));
    assert.equal(await isDue(store, id), false);
  },
  "the release of a lost lease does not change the session": async (store, id, { expire }) => {
    const lost = await store.lease(id);
    await expire(store, id);
    await store.lease(id, { status: "running" });
    await lost.release({ status: "idle" });
    await expire(store, id);
    assert.equal(await isDue(store, id), true);
  },
  "sessions that are due are listed page by page, each of them once": async (store, id) => {
    const tenants = ["a", "b"].map((name) => store.forTenant(`${name}-${id.slice(2, 10)}`));
    const posted: string[] = [];
    for (const one of tenants)
      for (const name of ["x", "y", "z"]) {
        await one.post(`${name}-${id}`, { id: "mail", body: {} });
        posted.push(`${one.tenant} ${name}-${id}`);
      }
    const found: string[] = [];
    for (let after: DueSession | undefined; ; ) {
      const page = await store.due(2, after);
      assert.ok(page.length <= 2);
      const names = page.map((one) => `${one.tenant} ${one.id}`);
      for (const name of names) assert.ok(!found.includes(name), `${name} is on two pages`);
      found.push(...names);
      after = page.at(-1);
      if (after === undefined) break;
    }
    for (const one of posted) assert.ok(found.includes(one), `${one} is missing`);
    for (const one of tenants) for (const name of ["x", "y", "z"]) await one.delete(`${name}-${id}`);
  },
  "a waiting session is due when its time has come": async (store, id) => {
    const release = async (wakeAt?: number): Promise<void> => {
      const lease = await store.lease(id, { status: "running" });
      await lease.release({ status: "waiting", ...(wakeAt === undefined ? {} : { wakeAt }) });
    };
    await release();
    assert.equal(await isDue(store, id), false);
    await release(Date.now() + 3_600_000);
    assert.equal(await isDue(store, id), false);
    await release(Date.now() - 1_000);
    assert.equal(await isDue(store, id), true);
    await (await store.lease(id)).release();
    assert.equal(await isDue(store, id), false);
  },
};

/** Takes the session over and ends the new lease. Returns the old one, which is lost now. */
async function takeOver(store: SessionStore, id: string, lost: SessionLease): Promise<SessionLease> {
  await (await store.lease(id)).release();
  return lost;
}

const KEEPING: Readonly<Record<string, Body>> = {
  "a large result is read by its name, in its own session only": async (store, id) => {
    const lease = await store.lease(id);
    const text = "ä\n".repeat(100_000);
    const name = await lease.storeResult({ callId: "call 1/..", text });
    assert.equal(await store.result(id, name), text);
    assert.equal(await store.result(`${id}-other`, name), undefined);
    assert.equal(await store.result(id, `${name}x`), undefined);
    assert.equal(await store.result(id, "/etc/passwd"), undefined);
    await lease.release();
  },
  "tenants do not see each other's sessions": async (store, id) => {
    const other = store.forTenant(`t-${id.slice(-12)}`);
    const lease = await store.lease(id);
    await lease.append({ at: 0, lines: [line("secret")] });
    const name = await lease.storeResult({ callId: "c", text: "secret" });
    await store.post(id, { id: "m1", body: "secret" });
    assert.deepEqual(await other.list(), []);
    assert.deepEqual(await other.read(id), []);
    assert.deepEqual(await other.inbox(id), []);
    assert.equal((await other.ends([id])).size, 0);
    assert.equal(await other.result(id, name), undefined);
    assert.equal(await other.delete(id), false);
    await write(other, id, line("theirs"));
    assert.deepEqual(await textOf(store, id), [line("secret")]);
    assert.deepEqual(await textOf(other, id), [line("theirs")]);
    assert.throws(() => store.forTenant("../other"), TypeError);
    await lease.release();
  },
  "a deleted session is gone, and one that is leased is not deleted": async (store, id) => {
    const lease = await store.lease(id);
    const name = await lease.storeResult({ callId: "c", text: "text" });
    await lease.append({ at: 0, lines: [line("one")] });
    await store.post(id, { id: "m1", body: "one" });
    await assert.rejects(store.delete(id), named("SessionLocked"));
    await lease.release();
    assert.equal(await store.delete(id), true);
    assert.equal(await store.delete(id), false);
    assert.equal((await store.ends([id])).size, 0);
    assert.equal(await store.result(id, name), undefined);
    assert.equal(await isDue(store, id), false);
    await assert.rejects(lease.append({ at: 0, lines: [line("late")] }), named("LeaseLost"));
    await write(store, id, line("new"));
    assert.deepEqual(await textOf(store, id), [line("new")]);
    assert.deepEqual(await store.inbox(id), []);
  },
  "sessions are listed newest first, with their first prompt": async (store, id) => {
    const tenant = store.forTenant(`t-${id.slice(-12)}`);
    for (const name of ["first", "second"]) {
      const session = await sessions({ store: tenant }).create(name);
      session.append({ type: "message", message: { role: "user", content: `Prompt of ${name}` } });
      await session.close();
      // The times of two files can be equal.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const listed = await tenant.list();
    assert.deepEqual(
      listed.map((one) => [one.id, one.firstPrompt, one.isLocked]),
      [
        ["second", "Prompt of second", false],
        ["first", "Prompt of first", false],
      ],
    );
    const [newest, ...others] = await tenant.list({ limit: 1 });
    assert.deepEqual([newest?.id, others], ["second", []]);
  },
  "a turn that a crash interrupted has the same fates as on disk": async (store, id, { expire }) => {
    const before = await sessions({ store }).create(id);
    before.append({ type: "message", message: { role: "user", content: "Write." } });
    const journal = before.journalOf({ turn: 1 });
    for (const name of ["done", "started"])
      before.append({ type: "call", block: { type: "tool_use", id: name, name: "Write", input: { name } } });
    const access = { claims: [], readOnly: false, interrupt: "block", onError: "isolate" } as const;
    const arrived = {
      type: "call-arrived",
      toolName: "Write",
      access,
      hooked: false,
      permitted: true,
    } as const;
    await journal.record({ ...arrived, id: "done" });
    await journal.record({ type: "call-launched", id: "done" });
    const ending = { type: "succeeded", content: "written", ranMs: 1, output: "" } as never;
    await journal.record({ type: "call-finished", id: "done", ending } as never);
    await journal.record({ ...arrived, id: "started" });
    await journal.record({ type: "call-launched", id: "started" });
    await expire(store, id);
    const after = await sessions({ store }).resume(id);
    assert.equal(after.recovered.find(({ callId }) => callId === "started")?.fate, "unknown");
    assert.deepEqual(
      after.messages.map(({ role }) => role),
      ["user", "assistant", "user"],
    );
    await assert.rejects(async () => {
      before.append({ type: "message", message: { role: "user", content: "late" } });
      await before.sync();
    }, named("LeaseLost"));
    await after.close();
    const again = await sessions({ store }).resume(id);
    assert.deepEqual(again.messages, after.messages);
    assert.deepEqual(again.recovered, []);
    await again.close();
  },
};

const CHECKS: Readonly<Record<string, Body>> = { ...WRITING, ...LEASING, ...MAIL, ...KEEPING };
