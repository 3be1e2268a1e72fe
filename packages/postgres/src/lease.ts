/** A lease in Postgres. */

import { randomUUID } from "node:crypto";
import {
  type AppendBatch,
  LeaseLost,
  type ReleaseOptions,
  type ReleasedSession,
  type SessionLease,
  type SessionMail,
  factsOfLines,
} from "@runahead/agent";
import type { StoreParts } from "./postgres.ts";

export interface LeaseFacts {
  readonly tenant: string;
  readonly key: string;
  readonly id: string;
  readonly fence: number;
  readonly end: number;
  readonly validUntil: number;
  readonly mail: readonly SessionMail[] | undefined;
}

export class PostgresLease implements SessionLease {
  readonly id: string;
  readonly fence: number;
  readonly end: number;
  readonly mail?: readonly SessionMail[];
  readonly #parts: StoreParts;
  readonly #facts: LeaseFacts;
  #validUntil: number;

  constructor(parts: StoreParts, facts: LeaseFacts) {
    this.#parts = parts;
    this.#facts = facts;
    this.id = facts.id;
    this.fence = facts.fence;
    this.end = facts.end;
    if (facts.mail !== undefined) this.mail = facts.mail;
    this.#validUntil = facts.validUntil;
  }

  get validUntil(): number {
    return this.#validUntil;
  }

  async append(batch: AppendBatch): Promise<number> {
    const { at, lines, journal } = batch;
    if (lines.length === 0) {
      await this.renew();
      return at;
    }
    const validUntil = performance.now() + this.#parts.leaseMs;
    const end = journal === undefined ? await this.#append(batch) : await this.#appendTo(journal, batch);
    if (end === undefined) return this.#whyNot(batch);
    this.#validUntil = validUntil;
    return end;
  }

  async storeResult({ text }: { readonly text: string }): Promise<string> {
    const { tenant, key } = this.#facts;
    const { results, sql } = this.#parts;
    const name = `result-${randomUUID()}`;
    const object = `${tenant}/${key}/${name}`;
    await results?.put(object, text);
    // Postgres cannot store this character in a text.
    const kept = results === undefined ? text.replaceAll("\0", "\u{2400}") : null;
    const [row] = await this.#parts.run(sql.storeResult, [...this.#held(), name, kept]);
    if (row !== undefined) return name;
    // Nobody would find it to delete it.
    await results?.delete(object).catch(() => {});
    throw new LeaseLost(this.id);
  }

  async renew(): Promise<void> {
    const { sql, leaseMs } = this.#parts;
    const validUntil = performance.now() + leaseMs;
    const [row] = await this.#parts.run(sql.renew, [...this.#held(), leaseMs]);
    if (row === undefined) throw new LeaseLost(this.id);
    this.#validUntil = validUntil;
  }

  async release({ status = "idle", wakeAt, batches = [] }: ReleaseOptions = {}): Promise<ReleasedSession> {
    const { own, other, more } = inOneStep(batches);
    for (const batch of more) await this.append(batch);
    const { at = -1, lines = [], taken = [] } = own ?? {};
    const bytes = bytesOf(lines) + bytesOf(other?.lines ?? []);
    const beside = [other?.journal ?? "", other?.at ?? 0, other?.lines ?? []];
    const { firstPrompt, cwd } = factsOfLines(lines);
    // The database adds this to its own time, because the clock of this machine can be wrong.
    const wake = wakeAt === undefined ? null : wakeAt - Date.now();
    const values = [...this.#held(), at, lines, bytes, status, wake, taken, ...beside, firstPrompt, cwd];
    const [row] = await this.#parts.run(this.#parts.sql.release, values);
    if (row !== undefined) return { hasMail: Number(row["mail"]) > 0, end: Number(row["length"]) };
    if (batches.length > 0) await this.#checkReleased();
    return { hasMail: true };
  }

  /** Nothing was stored: the lease is lost, or the statement was repeated after its reply was lost. */
  async #checkReleased(): Promise<void> {
    const { tenant, key, fence } = this.#facts;
    const [row] = await this.#parts.run(this.#parts.sql.state, [tenant, key]);
    if (row === undefined) throw new LeaseLost(this.id, "the session was deleted");
    if (Number(row["fence"]) !== fence) throw new LeaseLost(this.id);
    if (row["held"] === true) throw new Error(`Session ${this.id} does not end where its last lines belong`);
  }

  #held(): readonly unknown[] {
    const { tenant, key, fence } = this.#facts;
    return [tenant, key, fence];
  }

  async #append({ at, lines, taken = [] }: AppendBatch): Promise<number | undefined> {
    const { sql, leaseMs } = this.#parts;
    const { firstPrompt, cwd } = factsOfLines(lines);
    const values = [...this.#held(), at, lines, bytesOf(lines), leaseMs, firstPrompt, cwd, taken];
    const [row] = await this.#parts.run(sql.append, values);
    return row === undefined ? undefined : Number(row["length"]);
  }

  async #appendTo(journal: string, { at, lines }: AppendBatch): Promise<number | undefined> {
    const { sql, leaseMs } = this.#parts;
    const values = [...this.#held(), at, lines, bytesOf(lines), leaseMs, journal];
    const [row] = await this.#parts.run(sql.appendToAgent, values);
    return row === undefined ? undefined : Number(row["length"]);
  }

  /** Nothing was stored: the lease is lost, the lines are there already, or the position is wrong. */
  async #whyNot({ at, lines, journal }: AppendBatch): Promise<number> {
    const { sql } = this.#parts;
    const { tenant, key, fence } = this.#facts;
    const [row] = await this.#parts.run(sql.state, [tenant, key]);
    if (row === undefined) throw new LeaseLost(this.id, "the session was deleted");
    if (Number(row["fence"]) !== fence) throw new LeaseLost(this.id);
    if (row["held"] !== true) throw new LeaseLost(this.id, "it was released");
    const found = await this.#parts.run(sql.read, [tenant, key, journal ?? "", at, lines.length + 1]);
    const isThere =
      found.length === lines.length && found.every((one, index) => one["line"] === lines[index]);
    if (isThere) return at + lines.length;
    throw new Error(`Session ${this.id} does not end at line ${at}`);
  }
}

/** The statement that ends a lease takes the lines of the session's journal and of one other. */
function inOneStep(batches: readonly AppendBatch[]) {
  const filled = batches.filter(({ lines }) => lines.length > 0);
  const own = filled.find(({ journal }) => journal === undefined);
  const other = filled.find(({ journal }) => journal !== undefined);
  return { own, other, more: filled.filter((one) => one !== own && one !== other) };
}

function bytesOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + Buffer.byteLength(line) + 1, 0);
}
