/** A session store of your own, here in memory, and the checks that tell whether it keeps its promises. */

import { randomUUID } from "node:crypto";
import {
  type AppendBatch,
  type DueSession,
  type LeaseOptions,
  LeaseLost,
  type ListOptions,
  NoSuchSession,
  type PostMailOptions,
  type ReadPlace,
  type ReleaseOptions,
  SessionExists,
  type SessionLease,
  SessionLocked,
  type SessionMail,
  type SessionStatus,
  type SessionStore,
  checkSessionId,
  factsOfLines,
} from "@runahead/agent";
import { storeSuite } from "@runahead/agent/store-suite";

const LEASE_MS = 10_000;

/** What a database would have in its tables. */
interface Row {
  readonly tenant: string;
  readonly id: string;
  /** The lines of each journal; that of the session itself has an empty name. */
  readonly journals: Map<string, string[]>;
  readonly results: Map<string, string>;
  readonly createdAt: string;
  mail: SessionMail[];
  status: SessionStatus;
  wakeAt: number;
  fence: number;
  /** Until when it is leased, in milliseconds since 1970. A database uses its own clock. */
  leasedUntil: number;
  updatedAt: number;
}

const NEVER = Number.POSITIVE_INFINITY;
const TENANT = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

class MemoryStore implements SessionStore {
  readonly name = "memory";
  readonly tenant: string;
  readonly #rows: Map<string, Row>;

  constructor(rows: Map<string, Row>, tenant = "default") {
    if (!TENANT.test(tenant)) throw new TypeError(`Invalid tenant ${JSON.stringify(tenant)}.`);
    this.#rows = rows;
    this.tenant = tenant;
  }

  forTenant(tenant: string): SessionStore {
    return new MemoryStore(this.#rows, tenant);
  }

  async lease(id: string, { isNew, status = "idle" }: LeaseOptions = {}): Promise<SessionLease> {
    checkSessionId(id);
    const found = this.row(id);
    // Ids that differ only in case are the same session.
    if (found !== undefined && (isNew === true || (isNew === undefined && found.id !== id)))
      throw new SessionExists(id, found.id);
    if (isNew === false && found?.id !== id) throw new NoSuchSession(id, this.name, []);
    if (found !== undefined && found.leasedUntil > Date.now())
      throw new SessionLocked(id, 0, "another process.");
    const row = found ?? this.#made(id);
    Object.assign(row, { status, wakeAt: NEVER, fence: row.fence + 1, leasedUntil: Date.now() + LEASE_MS });
    return new MemoryLease(row, (one) => this.row(id) === one);
  }

  async read(id: string, { journal = "", from = 0 }: ReadPlace = {}) {
    const lines = this.row(id)?.journals.get(journal) ?? [];
    return lines.slice(from).map((line, index) => ({ line, next: from + index + 1 }));
  }

  async lastCompaction(id: string, journal = ""): Promise<number> {
    const lines = this.row(id)?.journals.get(journal) ?? [];
    return Math.max(
      0,
      lines.findLastIndex((line) => line.startsWith('{"type":"compacted"')),
    );
  }

  async journals(id: string): Promise<string[]> {
    return [...(this.row(id)?.journals.keys() ?? [])].filter((name) => name !== "");
  }

  async ends(ids: readonly string[]): Promise<Map<string, number>> {
    const rows = ids.map((id) => this.row(id)).filter((row) => row !== undefined);
    return new Map(rows.filter(({ id }) => ids.includes(id)).map((row) => [row.id, endOf(row)]));
  }

  async list({ limit }: ListOptions = {}) {
    const own = [...this.#rows.values()].filter(({ tenant }) => tenant === this.tenant);
    const newest = own.toSorted((one, other) => other.updatedAt - one.updatedAt).slice(0, limit);
    return newest.map((row) => ({
      id: row.id,
      path: `memory/${row.id}`,
      ...factsOfLines(row.journals.get("") ?? []),
      createdAt: row.createdAt,
      updatedAt: new Date(row.updatedAt).toISOString(),
      sizeBytes: 0,
      isLocked: row.leasedUntil > Date.now(),
    }));
  }

  async result(id: string, name: string): Promise<string | undefined> {
    return this.row(id)?.results.get(name);
  }

  async post(id: string, mail: SessionMail, { isNew = false }: PostMailOptions = {}): Promise<boolean> {
    checkSessionId(id);
    const found = this.row(id);
    const isPosted = found?.mail.some((one) => one.id === mail.id) === true;
    if (isNew && found !== undefined && !isPosted) throw new SessionExists(id, found.id);
    if (!isPosted) (found ?? this.#made(id)).mail.push(structuredClone(mail));
    return !isPosted;
  }

  async inbox(id: string): Promise<SessionMail[]> {
    return structuredClone(this.row(id)?.mail ?? []);
  }

  async due(limit: number, after?: DueSession): Promise<DueSession[]> {
    const now = Date.now();
    const last = after === undefined ? "" : keyOf(after.tenant, after.id);
    const due = [...this.#rows]
      .filter(([key, row]) => key > last && row.leasedUntil <= now)
      .filter(([, row]) => row.mail.length > 0 || row.status === "running" || row.wakeAt <= now)
      .toSorted(([one], [other]) => (one < other ? -1 : 1));
    return due.slice(0, limit).map(([, { tenant, id, fence }]) => ({ tenant, id, fence }));
  }

  async delete(id: string): Promise<boolean> {
    const row = this.row(id);
    if (row?.id !== id) return false;
    if (row.leasedUntil > Date.now()) throw new SessionLocked(id, 0, "another process.");
    return this.#rows.delete(keyOf(this.tenant, id));
  }

  async close(): Promise<void> {}

  row(id: string): Row | undefined {
    return this.#rows.get(keyOf(this.tenant, id));
  }

  #made(id: string): Row {
    const now = Date.now();
    const row: Row = {
      tenant: this.tenant,
      id,
      journals: new Map([["", []]]),
      results: new Map(),
      createdAt: new Date(now).toISOString(),
      mail: [],
      status: "idle",
      wakeAt: NEVER,
      // A session that was deleted and created again must not start at a number that was used before.
      fence: now,
      leasedUntil: 0,
      updatedAt: now,
    };
    this.#rows.set(keyOf(this.tenant, id), row);
    return row;
  }
}

class MemoryLease implements SessionLease {
  readonly id: string;
  readonly fence: number;
  readonly end: number;
  validUntil = performance.now() + LEASE_MS;
  readonly #row: Row;
  readonly #isThere: (row: Row) => boolean;

  constructor(row: Row, isThere: (row: Row) => boolean) {
    this.#row = row;
    this.#isThere = isThere;
    this.id = row.id;
    this.fence = row.fence;
    this.end = endOf(row);
  }

  /** A database compares the fencing number in the statement that writes, and commits before it resolves. */
  async append({ journal = "", at, lines, taken = [] }: AppendBatch): Promise<number> {
    await this.renew();
    const row = this.#row;
    const stored = row.journals.get(journal) ?? [];
    const isRepeated = stored.length === at + lines.length && lines.every((one, n) => stored[at + n] === one);
    if (!isRepeated && stored.length !== at)
      throw new Error(`The journal ends at ${stored.length}, not at ${at}.`);
    if (!isRepeated) row.journals.set(journal, [...stored, ...lines]);
    row.mail = row.mail.filter(({ id }) => !taken.includes(id));
    row.updatedAt = Date.now();
    return at + lines.length;
  }

  async storeResult({ text }: { readonly text: string }): Promise<string> {
    await this.renew();
    const name = randomUUID();
    this.#row.results.set(name, text);
    return name;
  }

  async renew(): Promise<void> {
    if (!this.#isCurrent()) throw new LeaseLost(this.id);
    this.validUntil = performance.now() + LEASE_MS;
    this.#row.leasedUntil = Date.now() + LEASE_MS;
  }

  async release({ status = "idle", wakeAt = NEVER, batches = [] }: ReleaseOptions = {}) {
    for (const batch of batches) await this.append(batch);
    if (this.#isCurrent()) Object.assign(this.#row, { status, wakeAt, leasedUntil: 0 });
    return { hasMail: this.#row.mail.length > 0, end: endOf(this.#row) };
  }

  #isCurrent(): boolean {
    const { fence, leasedUntil } = this.#row;
    return this.#isThere(this.#row) && fence === this.fence && leasedUntil > 0;
  }
}

const keyOf = (tenant: string, id: string): string => `${tenant}/${id.toLowerCase()}`;
const endOf = ({ journals }: Row): number => journals.get("")?.length ?? 0;

const rows = new Map<string, Row>();
const checks = storeSuite({
  open: () => new MemoryStore(rows),
  // As if the process that has the lease had been paused for longer than the lease.
  expire: async (store, id) => {
    const row = (store as MemoryStore).row(id);
    if (row !== undefined) row.leasedUntil = Date.now() - 1;
  },
});
let failed = 0;
for (const { title, run } of checks)
  await run().catch((error: unknown) => {
    failed++;
    console.log(`${title}: ${String(error)}`);
  });
console.log(failed === 0 ? "all checks of the store passed" : `${failed} of ${checks.length} checks failed`);
