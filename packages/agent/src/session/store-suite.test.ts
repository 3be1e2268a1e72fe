import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fileStore } from "./file-store.ts";
import { projectFolder } from "./folder.ts";
import { lockPath } from "./lock.ts";
import type { SessionLease, SessionStore } from "./store.ts";
import { storeSuite } from "./store-suite.ts";

let home: string;
beforeEach(async () => void (home = await mkdtemp(join(tmpdir(), "store-suite-"))));
afterEach(() => rm(home, { recursive: true, force: true }));

interface Change {
  readonly store?: (store: SessionStore) => Partial<SessionStore>;
  readonly lease?: (lease: SessionLease) => Partial<SessionLease>;
}

/** The same object with other members. The rest is called on the object itself, which has private members. */
function changed<Thing extends object>(thing: Thing, members: Partial<Thing>): Thing {
  return new Proxy(thing, {
    get: (target, name) => {
      const value: unknown = Reflect.get(name in members ? members : target, name);
      return typeof value === "function" && !(name in members) ? value.bind(target) : value;
    },
  });
}

function broken(store: SessionStore, change: Change): SessionStore {
  const { lease: changeLease } = change;
  const members: Partial<SessionStore> = {
    forTenant: (tenant) => broken(store.forTenant(tenant), change),
    ...(changeLease === undefined
      ? {}
      : {
          lease: async (...args: Parameters<SessionStore["lease"]>) => {
            const lease = await store.lease(...args);
            return changed(lease, changeLease(lease));
          },
        }),
    ...change.store?.(store),
  };
  return changed(store, members);
}

/** Each breaks one promise of the port. */
const BROKEN: Readonly<Record<string, Change>> = {
  "tenants share their sessions": { store: (store) => ({ forTenant: () => store }) },
  "mail that is posted twice is there twice": {
    store: (store) => ({
      post: (id, mail, options) => store.post(id, { ...mail, id: `${mail.id}-${Math.random()}` }, options),
    }),
  },
  "mail creates no session": {
    store: (store) => ({
      lease: async (id, options) => {
        if (options?.isNew === false && (await store.read(id)).length === 0)
          throw Object.assign(new Error("no session"), { name: "NoSuchSession" });
        return store.lease(id, options);
      },
    }),
  },
  "mail stays after it was taken": {
    lease: (lease) => ({ append: ({ taken: _taken, ...batch }) => lease.append(batch) }),
  },
  "an existing session can be created again": {
    store: (store) => ({
      lease: (id, { isNew: _new, ...options } = {}) => store.lease(id, options),
      post: (id, mail) => store.post(id, mail),
    }),
  },
  "a session that is leased can be leased again": {
    store: (store) => {
      const held = new Map<string, SessionLease>();
      return {
        lease: async (id, options) => {
          const lease = await store.lease(id, options).catch((error: unknown) => {
            const other = held.get(id);
            if (other === undefined) throw error;
            return other;
          });
          held.set(id, lease);
          return lease;
        },
      };
    },
  },
  "fencing numbers do not grow": { lease: () => ({ fence: 1 }) },
  "what is written with a lost lease is reported as stored": {
    lease: (lease) => ({ append: (batch) => lease.append(batch).catch(() => batch.at) }),
  },
  "the lines that come with the release are lost": {
    lease: (lease) => ({ release: ({ batches: _lines, ...options } = {}) => lease.release(options) }),
  },
  "the status is lost": {
    store: (store) => ({ lease: (id, { status: _status, ...options } = {}) => store.lease(id, options) }),
  },
  "the time to wake up is lost": {
    lease: (lease) => ({ release: ({ wakeAt: _at, ...options } = {}) => lease.release(options) }),
  },
  "sub-agents write into the journal of the session": {
    lease: (lease) => ({ append: ({ journal: _journal, ...batch }) => lease.append(batch) }),
  },
  "nothing is ever due": { store: () => ({ due: async () => [] }) },
  "every page of what is due is the first one": { store: (store) => ({ due: (limit) => store.due(limit) }) },
  "lists have no limit": { store: (store) => ({ list: () => store.list() }) },
  "reads begin at the beginning": {
    store: (store) => ({ read: (id, { from: _from, ...place } = {}) => store.read(id, place) }),
  },
  "results are not found": { store: () => ({ result: async () => undefined }) },
  "the ends of sessions are unknown": { store: () => ({ ends: async () => new Map<string, number>() }) },
  "a deleted session is still there": { store: () => ({ delete: async () => true }) },
};

const expire = async (_store: unknown, id: string): Promise<void> => {
  const folder = await projectFolder(home, process.cwd(), () => {});
  await rm(lockPath(folder, id), { recursive: true, force: true });
};

/** Stops at the first check that fails: a broken store must not make a later one wait for ever. */
async function isNoticed(change: Change): Promise<boolean> {
  const open = (): SessionStore => broken(fileStore({ home }), change);
  for (const { run } of storeSuite({ open, expire }))
    if (
      await run().then(
        () => false,
        () => true,
      )
    )
      return true;
  return false;
}

test("a store that keeps every promise passes", async () => {
  expect(await isNoticed({})).toBe(false);
});

for (const [title, change] of Object.entries(BROKEN))
  test(`the suite notices a store in which ${title}`, async () => {
    expect(await isNoticed(change)).toBe(true);
  });
