/** Adds calls to queues, and withdraws them while no worker has them. */

import { randomBytes } from "node:crypto";
import { Queue } from "bullmq";
import { messageOf } from "@runahead/base";
import type { Link } from "./connection.ts";
import { NotRunError } from "./error.ts";
import { LIMITS } from "./limits.ts";
import { PROTOCOL, type WireCall } from "./message.ts";
import { type Names, PREFIX } from "./names.ts";
import type { Pending } from "./pending.ts";
import { withdraw } from "./scripts.ts";

/** How many queues of single workers are kept open. */
const OPEN_QUEUES = 100;

export class Sender {
  /** A unique id. */
  readonly caller = `c${randomBytes(8).toString("hex")}`;
  readonly #link: Link;
  readonly #names: Names;
  readonly #queues = new Map<string, Queue>();
  #count = 0;

  constructor(link: Link, names: Names) {
    this.#link = link;
    this.#names = names;
  }

  /** Sets the queue and a unique job id. */
  async address(pending: Pending): Promise<void> {
    const readable = pending.dispatched.callId.replaceAll(/[^\w-]/g, "_").slice(0, 64);
    pending.job = `${this.caller}.${++this.#count}.${readable}`;
    pending.queue = await this.#queueOf(pending);
    pending.sentAt = undefined;
    pending.isAccepted = false;
    pending.missingSince = undefined;
    pending.worker = "";
  }

  /** Sending again with the same job id is safe: BullMQ ignores duplicates. */
  async send(pending: Pending): Promise<void> {
    const { workspace, waitMs: _wait, tries: _tries, ...call } = pending.dispatched;
    pending.server = await this.#link.server;
    const data: WireCall = {
      ...call,
      protocol: PROTOCOL,
      caller: this.caller,
      server: pending.server,
      ...(workspace === undefined ? {} : { workspace: workspace.name }),
    };
    const queue = this.#open(pending.queue);
    pending.sentAt = performance.now();
    this.#link.together();
    try {
      await queue.add(call.tool, data, { jobId: pending.job, attempts: 1, removeOnComplete: true });
      pending.isAccepted = true;
    } catch (error) {
      // The reply was lost with the connection, so the call may be in the queue. The watch finds out.
      if (!isReply(error)) return;
      throw new NotRunError(`the server refused the call: ${messageOf(error)}`);
    }
  }

  /** Resolves with true if no worker has started it and none will. */
  withdraw({ queue, job }: Pending): Promise<boolean> {
    const { jobKey, waiting } = this.#names;
    return withdraw(this.#link.redis, jobKey(queue, job), waiting(queue));
  }

  /** Cancels a call: announces it on the channel, and sets a marker that the next heartbeat of its worker finds. */
  async stop(job: string): Promise<void> {
    const commands = this.#link.redis.pipeline();
    commands.set(this.#names.stop(job), "1", "PX", LIMITS.keepMs).publish(this.#names.stops, job);
    await commands.exec();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#queues.values()].map((queue) => queue.close().catch(() => {})));
  }

  async #queueOf({ dispatched: { workspace } }: Pending): Promise<string> {
    if (workspace === undefined) return this.#names.shared;
    const key = this.#names.workspace(workspace.name);
    const holder = workspace.holder ?? (await this.#link.redis.get(key).catch(() => null));
    return holder === null ? this.#names.shared : this.#names.ownOf(holder);
  }

  #open(name: string): Queue {
    const open = this.#queues.get(name);
    if (open !== undefined) return open;
    const queue = new Queue(name, {
      connection: this.#link.redis,
      prefix: PREFIX,
      streams: { events: { maxLen: LIMITS.queueEvents } },
      // If this check fails because the connection is lost, BullMQ never uses the queue again. Workers check the version.
      skipVersionCheck: true,
    });
    // The connection itself reports its errors.
    queue.on("error", () => {});
    this.#queues.set(name, queue);
    this.#closeOldest();
    return queue;
  }

  #closeOldest(): void {
    for (const [name, queue] of this.#queues) {
      if (this.#queues.size <= OPEN_QUEUES) return;
      if (name === this.#names.shared) continue;
      this.#queues.delete(name);
      void queue.close().catch(() => {});
    }
  }
}

/** An error reply means that the server did not execute the command. */
function isReply(error: unknown): boolean {
  return error instanceof Error && error.name === "ReplyError";
}
