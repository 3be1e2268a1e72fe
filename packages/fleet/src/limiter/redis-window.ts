/** Lets the requests of many processes through within common limits, which are kept in Redis. */

import { randomBytes } from "node:crypto";
import type { RequestWindow, Taken } from "@runahead/agent/internal";
import type { Redis } from "ioredis";
import { ANSWERED, CANCEL, END, KEYS, LEAVE, PAUSE, RENEW, TAKE } from "./window-scripts.ts";

export interface WindowLimits {
  readonly requests?: number;
  readonly tokens?: number;
  readonly concurrent?: number;
  readonly costUsd?: number;
  readonly windowMs: number;
  /** How long what a process has sent counts as under way after it was last heard of. Default: 15,000. */
  readonly leaseMs?: number;
}

interface Connections {
  readonly redis: Redis;
  /** Hears when there can be room again. */
  readonly subscriber: Redis;
}

/** What all processes have used. */
export interface SharedSpent {
  /** Requests that were sent. */
  readonly requests: number;
  /** Their tokens, input and output together. */
  readonly tokens: number;
  /** Their cost in US dollars, without requests whose price is unknown. */
  readonly costUsd: number;
}

interface Waiting {
  readonly id: string;
  readonly tokens: number;
  readonly check: (spentUsd?: number) => void;
  readonly start: () => void;
  readonly fail: (error: unknown) => void;
  isAborted: boolean;
}

interface Sent {
  readonly id: string;
  isAnswered: boolean;
}

const PREFIX = "runahead-limiter";
const LEASE_MS = 15_000;
/** How long a process that waits keeps its place without asking again. */
const PLACE_MS = 3_000;
/** Messages of Redis can be lost, so a process that waits asks again after this time at the latest. */
const AGAIN_MS = 1_000;
/** The clock of a server can be a little faster. */
const LATE_MS = 5;

export class RedisWindow implements RequestWindow {
  readonly #redis: Redis;
  readonly #limits: WindowLimits;
  readonly #keys: readonly string[];
  readonly #channel: string;
  readonly #line: Waiting[] = [];
  readonly #sent = new Map<string, Sent>();
  #isAsking = false;
  #isWoken = false;
  #timer: NodeJS.Timeout | undefined;
  #renewal: NodeJS.Timeout | undefined;

  constructor({ redis, subscriber }: Connections, name: string, limits: WindowLimits) {
    this.#redis = redis;
    this.#limits = limits;
    // The braces keep the keys on one node of a cluster.
    this.#keys = KEYS.map((key) => `${PREFIX}:{${name}}/${key}`);
    this.#channel = `${PREFIX}:{${name}}/room`;
    subscriber.on("message", () => this.#go());
    void subscriber.subscribe(this.#channel).catch(() => {});
  }

  get waiting(): number {
    return this.#line.length;
  }

  take(tokens: number, signal: AbortSignal, check: (spentUsd?: number) => void): Promise<Taken> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason as Error);
      const leave = (): void => {
        waiting.isAborted = true;
        reject(signal.reason as Error);
        const at = this.#line.indexOf(waiting);
        this.#line.splice(at, 1);
        // Its place in the line of all processes is given back; if it is just being let through, so is its room.
        if (at === 0 && !this.#isAsking) void this.#run(LEAVE, waiting.id);
        this.#go();
      };
      const waiting: Waiting = {
        id: randomBytes(9).toString("base64url"),
        tokens,
        check,
        isAborted: false,
        start: () => {
          signal.removeEventListener("abort", leave);
          resolve(this.#begin(waiting.id));
        },
        fail: (error) => {
          signal.removeEventListener("abort", leave);
          reject(error);
        },
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#line.push(waiting);
      this.#go();
    });
  }

  pause(ms: number): void {
    void this.#run(PAUSE, "", Math.ceil(ms));
  }

  async spent(): Promise<SharedSpent> {
    const state = this.#keys[KEYS.indexOf("state")] as string;
    const [requests, tokens, cost] = await this.#redis.hmget(state, "requests", "tokens", "cost");
    return { requests: Number(requests ?? 0), tokens: Number(tokens ?? 0), costUsd: Number(cost ?? 0) };
  }

  close(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#renewal);
    for (const { fail } of this.#line.splice(0)) fail(new Error("The limiter was closed."));
  }

  #begin(id: string): Taken {
    const sent: Sent = { id, isAnswered: false };
    this.#sent.set(id, sent);
    this.#renewal ??= setInterval(() => this.#renew(), this.#leaseMs / 3).unref();
    return {
      answered: () => {
        if (sent.isAnswered) return;
        sent.isAnswered = true;
        void this.#run(ANSWERED, id, this.#windowMs);
      },
      end: (tokens, cost) => {
        if (!this.#sent.delete(id)) return;
        const { isAnswered } = sent;
        const ended = { windowMs: this.#windowMs, tokens: Math.ceil(tokens), cost, isAnswered };
        void this.#run(END, id, JSON.stringify(ended));
      },
    };
  }

  get #windowMs(): number {
    return Math.ceil(this.#limits.windowMs) + LATE_MS;
  }

  get #leaseMs(): number {
    return this.#limits.leaseMs ?? LEASE_MS;
  }

  #renew(): void {
    if (this.#sent.size === 0) {
      clearInterval(this.#renewal);
      this.#renewal = undefined;
      return;
    }
    const renewed = { leaseMs: this.#leaseMs, windowMs: this.#windowMs, sent: [...this.#sent.values()] };
    void this.#run(RENEW, "", JSON.stringify(renewed));
  }

  /** Asks for the first request that waits. The others ask after it, so that they start in their order. */
  #go(): void {
    // What was heard during the question came after the answer, perhaps.
    this.#isWoken = true;
    if (!this.#isAsking) void this.#askWhileWoken();
  }

  async #askWhileWoken(): Promise<void> {
    this.#isAsking = true;
    clearTimeout(this.#timer);
    let waitMs = 0;
    while (this.#isWoken && this.#line[0] !== undefined) {
      this.#isWoken = false;
      waitMs = await this.#askFor(this.#line[0]);
      if (waitMs === 0) this.#isWoken = true;
    }
    this.#isAsking = false;
    if (this.#line.length > 0) this.#timer = setTimeout(() => this.#go(), Math.min(waitMs, AGAIN_MS));
  }

  /** Returns how long to wait before asking again, or 0 if the request has left the line. */
  async #askFor(first: Waiting): Promise<number> {
    const { requests, tokens, concurrent, costUsd } = this.#limits;
    const limits = {
      requests,
      tokens,
      concurrent,
      cost: costUsd,
      amount: Math.ceil(first.tokens),
      windowMs: this.#windowMs,
      leaseMs: this.#leaseMs,
      waitMs: PLACE_MS,
    };
    let answer: readonly [waitMs: number, cost: string];
    try {
      answer = (await this.#eval(TAKE, first.id, JSON.stringify(limits))) as typeof answer;
    } catch (error) {
      if (!first.isAborted) this.#shift(first).fail(error);
      return 0;
    }
    const [waitMs, cost] = answer;
    if (first.isAborted) {
      void this.#run(waitMs === 0 ? CANCEL : LEAVE, first.id);
      return 0;
    }
    if (waitMs === -1) return AGAIN_MS;
    if (waitMs > 0) return waitMs;
    this.#shift(first);
    if (waitMs === 0) first.start();
    else this.#refuse(first, Number(cost));
    return 0;
  }

  #shift(first: Waiting): Waiting {
    this.#line.splice(this.#line.indexOf(first), 1);
    return first;
  }

  #refuse({ check, fail }: Waiting, spentUsd: number): void {
    try {
      check(spentUsd);
      fail(new Error("The budget of the limiter is spent."));
    } catch (error) {
      fail(error);
    }
  }

  /** For what nobody waits for. A process that loses Redis keeps its requests as commands until it is back. */
  async #run(script: string, id: string, more: string | number = ""): Promise<void> {
    await this.#eval(script, id, more).catch(() => {});
  }

  #eval(script: string, id: string, more: string | number): Promise<unknown> {
    return this.#redis.eval(script, this.#keys.length, ...this.#keys, id, this.#channel, more);
  }
}
