/** A caller's heartbeat: reports that it is alive, and checks calls without an answer. */

import { setTimeout as pause } from "node:timers/promises";
import type { Link } from "./connection.ts";
import { NotRunError, OutcomeUnknownError, RemoteError } from "./error.ts";
import { LIMITS } from "./limits.ts";
import type { Mailbox } from "./mailbox.ts";
import type { Names } from "./names.ts";
import type { Pending } from "./pending.ts";
import { type Standing, look } from "./scripts.ts";
import type { Sender } from "./sender.ts";

export interface WatchPorts {
  readonly link: Link;
  readonly names: Names;
  readonly sender: Sender;
  readonly mailbox: Mailbox;
  readonly address: string;
  readonly pending: ReadonlyMap<string, Pending>;
  /** Sends it as a new job. */
  readonly again: (pending: Pending) => void;
  /** Sends the same job again. */
  readonly resend: (pending: Pending) => void;
  readonly end: (pending: Pending, error: Error) => void;
}

/** How many calls are checked in one script. */
const AT_ONCE = 500;
const AFTER_ERROR_MS = 100;

export class Watch {
  readonly #ports: WatchPorts;
  /** Calls that were given up while the server was down; their workers must stop them. */
  readonly #unwanted = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #started: Promise<boolean> | undefined;
  #underway: Promise<void> | undefined;
  /** When workers could last see that this caller is alive, on the monotonic clock. */
  #liveAt = Number.NEGATIVE_INFINITY;

  constructor(ports: WatchPorts) {
    this.#ports = ports;
  }

  /** Resolves with true when workers can see that this caller is alive; false if the connection was lost. */
  start(): Promise<boolean> {
    this.#started ??= this.#first();
    return this.#started;
  }

  /**
   * Resolves when workers can see that this caller is alive, also after it was paused or cut off: they refuse calls of a caller
   * that they take for dead, and the next heartbeat can come after the call.
   */
  async alive(): Promise<void> {
    // If that fails, so does the sending.
    if (performance.now() - this.#liveAt > LIMITS.callerMs / 2) await this.#live().catch(() => {});
  }

  noServer(): string {
    const { address, link } = this.#ports;
    return `Waiting for the Redis server at ${address}: ${link.problem}.`;
  }

  /** Cancels the call with the next heartbeat. */
  stopSoon(job: string): void {
    this.#unwanted.add(job);
  }

  /** Ends a call whose state is unknown because the server cannot be reached. */
  stopLater(pending: Pending): void {
    this.#unwanted.add(pending.job);
    this.#ports.end(
      pending,
      new OutcomeUnknownError("it was stopped while the server could not be reached."),
    );
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#underway;
    const { link, names, sender } = this.#ports;
    if (link.upSince === undefined) return;
    await link.redis.unlink(names.caller(sender.caller), names.mail(sender.caller)).catch(() => 0);
  }

  async #first(): Promise<boolean> {
    try {
      await this.#live();
    } catch {
      this.#started = undefined;
      await pause(AFTER_ERROR_MS);
      return false;
    }
    this.#timer = setInterval(() => this.#tick(), LIMITS.beatMs);
    return true;
  }

  #tick(): void {
    const { link, pending } = this.#ports;
    if (link.upSince === undefined) for (const one of pending.values()) one.status(this.noServer());
    else
      this.#underway ??= this.#beat()
        .catch(() => {})
        .finally(() => (this.#underway = undefined));
  }

  async #beat(): Promise<void> {
    await this.#live();
    for (const job of this.#unwanted) {
      await this.#ports.sender.stop(job);
      this.#unwanted.delete(job);
    }
    const now = performance.now();
    const old = [...this.#ports.pending.values()].filter(
      ({ sentAt }) => now - (sentAt ?? now) > LIMITS.beatMs,
    );
    for (let at = 0; at < old.length; at += AT_ONCE) await this.#lookAt(old.slice(at, at + AT_ONCE));
  }

  async #live(): Promise<void> {
    const { link, names, sender, mailbox } = this.#ports;
    const mail = names.mail(sender.caller);
    const askedAt = performance.now();
    const answers = await link.redis
      .pipeline()
      .set(names.caller(sender.caller), "1", "PX", LIMITS.callerMs)
      .pexpire(mail, LIMITS.keepMs)
      .xtrim(mail, "MINID", mailbox.last)
      .exec();
    const [failure] = answers?.[0] ?? [];
    if (failure) throw failure;
    this.#liveAt = askedAt;
    if (answers?.[1]?.[1] !== 0) return;
    mailbox.reset();
    await link.redis.pipeline().xadd(mail, "*", "opened", "1").pexpire(mail, LIMITS.keepMs).exec();
  }

  async #lookAt(calls: readonly Pending[]): Promise<void> {
    const { link, names } = this.#ports;
    const keys = calls.map(({ job, queue }) => {
      const entry = names.jobKey(queue, job);
      return { holding: names.holding(job), lock: `${entry}:lock`, entry };
    });
    const standings = await look(link.redis, keys);
    const waiting: Pending[] = [];
    for (const [at, pending] of calls.entries()) {
      // Meanwhile it can have been answered or sent elsewhere.
      if (this.#ports.pending.get(pending.job) !== pending) continue;
      const standing = standings[at] as Standing;
      if (standing.type === "waiting") waiting.push(pending);
      await this.#judge(pending, standing);
    }
    if (waiting.length > 0) await this.#reportWaiting(waiting);
  }

  async #judge(pending: Pending, standing: Standing): Promise<void> {
    if (standing.type !== "gone") pending.isAccepted = true;
    if (standing.type === "running") {
      pending.missingSince = undefined;
      // A later name belongs to the worker that cleans up.
      pending.worker ||= standing.worker;
      pending.status(`Running on worker ${pending.worker}.`);
    } else if (standing.type === "waiting") await this.#waits(pending);
    else if (this.#isMissing(pending)) await this.#lost(pending, standing);
  }

  /** Whether it was missing for the grace time, during which we were connected and read all answers. */
  #isMissing(pending: Pending): boolean {
    const { link, mailbox } = this.#ports;
    const now = performance.now();
    const since = Math.max((pending.missingSince ??= now), link.upSince ?? now);
    return now - since >= LIMITS.graceMs && mailbox.readAt > since;
  }

  async #lost(pending: Pending, standing: Standing): Promise<void> {
    const { again, end, link } = this.#ports;
    const { reads, workspace, tries } = pending.dispatched;
    const isSameServer = pending.server === (await link.server);
    if (standing.type === "gone" && !pending.isAccepted && (reads || isSameServer))
      return this.#neverArrived(pending);
    if (standing.type === "let go") pending.worker ||= standing.worker;
    if (pending.worker !== "") workspace?.lost(pending.worker);
    if (reads && !pending.isStopping && pending.tries < tries) return again(pending);
    this.#unwanted.add(pending.job);
    end(pending, lostError(pending));
  }

  /** If it had run, its answer would be here: a worker answers before the job is removed. */
  #neverArrived(pending: Pending): void {
    const { resend, end } = this.#ports;
    if (pending.isStopping || performance.now() - pending.waitingSince > pending.dispatched.waitMs)
      return end(pending, new NotRunError("it never reached the queue."));
    pending.missingSince = undefined;
    resend(pending);
  }

  async #waits(pending: Pending): Promise<void> {
    const { sender, end } = this.#ports;
    const { dispatched, waitingSince } = pending;
    if (pending.queue !== this.#ports.names.shared && (await this.#isMisplaced(pending))) return;
    const isLate = performance.now() - waitingSince >= dispatched.waitMs;
    if (!(isLate || pending.isStopping) || !(await sender.withdraw(pending))) return;
    const why = isLate ? `no worker took it within ${dispatched.waitMs / 1_000} s.` : "it was stopped.";
    end(pending, new NotRunError(why));
  }

  /** Whether it waits for a worker that no longer holds its workspace. */
  async #isMisplaced(pending: Pending): Promise<boolean> {
    const { link, names, sender, again, end } = this.#ports;
    const { workspace } = pending.dispatched;
    if (workspace === undefined) return false;
    const holder = await link.redis.get(names.workspace(workspace.name));
    const worker = pending.queue.slice(pending.queue.lastIndexOf(".") + 1);
    if (holder === worker) pending.missingSince = undefined;
    if (holder === worker || !this.#isMissing(pending) || !(await sender.withdraw(pending))) return false;
    if (workspace.lost(worker)) end(pending, new NotRunError(goneWith(workspace.name, worker)));
    else again(pending);
    return true;
  }

  async #reportWaiting(calls: readonly Pending[]): Promise<void> {
    const { link, names } = this.#ports;
    const ids = await link.redis.zrange(names.workers, 0, "999");
    const workers = ids.length === 0 ? 0 : await link.redis.exists(ids.map((id) => names.record(id)));
    const depth = await link.redis.llen(names.waiting(names.shared));
    const state = workers === 0 ? "no worker is running" : `workers: ${workers}, waiting calls: ${depth}`;
    for (const pending of calls) pending.status(`Waiting for a worker on queue ${names.shared} (${state}).`);
  }
}

function goneWith(workspace: string, worker: string): string {
  return (
    `worker ${worker}, which held workspace ${workspace}, is gone, and the changes of earlier calls may be lost. ` +
    "The next call starts on another worker."
  );
}

function lostError({ dispatched: { reads }, tries, worker }: Pending): Error {
  if (reads) {
    const times = tries === 1 ? "" : ` in each of ${tries} tries`;
    return new RemoteError(`The worker was lost${times}. The call is read-only, so it is safe to try again.`);
  }
  const who = worker === "" ? "its worker" : `worker ${worker}`;
  return new OutcomeUnknownError(`${who} was lost while this call was running.`);
}
