/** One caller: sends calls, receives their answers, and gives each call exactly one correct end. */

import { messageOf, redisAddress } from "@runahead/base";
import { type Connection, Link } from "./connection.ts";
import { NotRunError, OutcomeUnknownError, RemoteError } from "./error.ts";
import { fromJson } from "./json.ts";
import { LIMITS } from "./limits.ts";
import { Mailbox } from "./mailbox.ts";
import type { Answer, Mail } from "./message.ts";
import { type Names, namesOf } from "./names.ts";
import { readParts } from "./parts.ts";
import { type Answered, Pending, type PendingOptions } from "./pending.ts";
import { Sender } from "./sender.ts";
import { Watch } from "./watch.ts";

export interface CallerOptions {
  readonly connection: Connection;
  readonly queue: string;
  readonly onNotice: (message: string) => void;
}

export class Caller {
  readonly #names: Names;
  readonly #address: string;
  /** Commands that are lost with this connection are not sent again automatically. */
  readonly #link: Link;
  readonly #mailLink: Link;
  readonly #sender: Sender;
  readonly #mailbox: Mailbox;
  readonly #watch: Watch;
  /** By job id. */
  readonly #pending = new Map<string, Pending>();
  #reading: Promise<void> | undefined;

  constructor({ connection, queue, onNotice }: CallerOptions) {
    this.#names = namesOf(queue);
    this.#address = redisAddress(connection);
    this.#link = new Link(connection, { resend: false });
    this.#mailLink = new Link(connection);
    this.#sender = new Sender(this.#link, this.#names);
    const key = this.#names.mail(this.#sender.caller);
    const onMail = (mail: Mail, output: string): void => this.#receive(mail, output);
    this.#mailbox = new Mailbox({ link: this.#mailLink, key, onMail, onNotice });
    this.#watch = new Watch({
      link: this.#link,
      names: this.#names,
      sender: this.#sender,
      mailbox: this.#mailbox,
      address: this.#address,
      pending: this.#pending,
      again: (pending) => this.#again(pending),
      resend: (pending) => this.#resend(pending),
      end: (pending, error) => this.#end(pending, error),
    });
  }

  async call(options: PendingOptions): Promise<Answered> {
    const pending = new Pending(options);
    const onAbort = (): void => void this.#stop(pending).catch(() => {});
    pending.signal.addEventListener("abort", onAbort);
    void this.#begin(pending);
    try {
      return await pending.answered;
    } finally {
      pending.signal.removeEventListener("abort", onAbort);
    }
  }

  /** Stops all pending calls; they end with an unknown outcome. */
  async close(): Promise<void> {
    const open = [...this.#pending.values()];
    await Promise.all(open.map((pending) => this.#stop(pending).catch(() => {})));
    for (const pending of open) this.#end(pending, new OutcomeUnknownError("the caller was closed."));
    await this.#watch.close();
    this.#mailbox.close();
    await this.#sender.close();
    await this.#mailLink.close();
    await this.#link.close();
    await this.#reading;
  }

  async #begin(pending: Pending): Promise<void> {
    try {
      await this.#ready(pending);
      await this.#dispatch(pending);
    } catch (error) {
      this.#end(pending, error instanceof Error ? error : new Error(messageOf(error)));
    }
  }

  /** Resolves when workers can see that this caller is alive, and it can receive answers. */
  async #ready(pending: Pending): Promise<void> {
    for (;;) {
      await this.#connected(pending);
      if (await this.#watch.start()) break;
    }
    this.#reading ??= this.#mailbox.read();
  }

  async #connected(pending: Pending): Promise<void> {
    const { dispatched, waitingSince, signal } = pending;
    const timer = setTimeout(() => pending.status(this.#watch.noServer()), LIMITS.beatMs);
    const leftMs = dispatched.waitMs - (performance.now() - waitingSince);
    const isUp = leftMs > 0 && (await this.#link.up(leftMs, signal));
    clearTimeout(timer);
    if (isUp) return;
    const why = pending.signal.aborted
      ? "it was stopped before it was sent."
      : `cannot connect to the Redis server at ${this.#address}: ${this.#link.problem}.`;
    throw new NotRunError(why);
  }

  async #dispatch(pending: Pending): Promise<void> {
    await this.#watch.alive();
    await this.#sender.address(pending);
    if (pending.signal.aborted) throw new NotRunError("it was stopped before it was sent.");
    pending.tries++;
    this.#pending.set(pending.job, pending);
    await this.#sender.send(pending);
    // It was stopped while it was being sent.
    if (pending.signal.aborted && !pending.hasEnded) await this.#stop(pending);
  }

  /** Sends it as a new job: no worker has started the previous one, or the call only reads. */
  #again(pending: Pending): void {
    this.#pending.delete(pending.job);
    this.#dispatch(pending).catch((error: unknown) => this.#end(pending, error as Error));
  }

  #resend(pending: Pending): void {
    this.#sender.send(pending).catch((error: unknown) => this.#end(pending, error as Error));
  }

  async #stop(pending: Pending): Promise<void> {
    if (pending.hasEnded || pending.sentAt === undefined) return;
    pending.isStopping = true;
    if (this.#link.upSince === undefined) return this.#watch.stopLater(pending);
    try {
      if (!pending.isAccepted || !(await this.#sender.withdraw(pending)))
        return await this.#sender.stop(pending.job);
    } catch {
      return this.#watch.stopSoon(pending.job);
    }
    pending.note("No worker has started it, and none will.");
    this.#end(pending, new NotRunError("it was stopped before any worker started it."));
  }

  #end(pending: Pending, error: Error): void {
    this.#pending.delete(pending.job);
    pending.fail(error);
  }

  #receive(mail: Mail, output: string): void {
    const pending = this.#pending.get(mail.job);
    // The call has already ended.
    if (pending === undefined) return;
    for (const data of mail.progress ?? []) pending.report(data);
    if (mail.dropped) pending.status(`${mail.dropped} progress reports were dropped.`);
    if (mail.answer === undefined) return;
    this.#pending.delete(mail.job);
    this.#answered(pending, mail, output).catch((error: unknown) => pending.fail(error as Error));
  }

  async #answered(pending: Pending, mail: Mail, output: string): Promise<void> {
    const answer = mail.answer as Answer;
    const { workspace } = pending.dispatched;
    if (answer.type === "moved") return this.#moved(pending, answer.to);
    if (answer.type !== "refused" && answer.type !== "unknown") workspace?.heldBy(mail.worker);
    const { worker, changes = {} } = mail;
    if (answer.type !== "output") return pending.settle({ error: errorOf(answer), changes, worker });
    const text = answer.parts === 0 ? output : await this.#fetch(pending.job, answer.parts);
    pending.settle({ output: fromJson(text), changes, worker });
  }

  #moved(pending: Pending, to: string): void {
    const { workspace } = pending.dispatched;
    if (++pending.moves > LIMITS.moves)
      throw new NotRunError("its workspace moved between workers too often.");
    // A worker that releases it without naming another is shutting down.
    if (to !== "nobody") workspace?.heldBy(to);
    else if (workspace?.holder !== undefined) workspace.lost(workspace.holder);
    pending.tries--;
    this.#again(pending);
  }

  async #fetch(job: string, parts: number): Promise<string> {
    const text = await readParts(this.#link, (part) => this.#names.part(job, part), parts);
    if (text === undefined) throw new RemoteError("The call ran, but its output is no longer available.");
    return text;
  }
}

function errorOf(answer: Exclude<Answer, { type: "output" | "moved" }>): Error {
  if (answer.type === "refused") return new NotRunError(answer.message);
  if (answer.type === "unknown") return new OutcomeUnknownError(answer.message);
  return new RemoteError(answer.message, answer.stack);
}
