/** A call that a worker took from its queue: validates it, runs it, and sends the answer. */
import { type Job, UnrecoverableError } from "bullmq";
import type { SharedContext } from "@runahead/engine";
import { messageOf } from "@runahead/base";
import type { Callers } from "./callers.ts";
import type { Link } from "./connection.ts";
import type { Leases } from "./leases.ts";
import { LIMITS } from "./limits.ts";
import { type Answer, type Mail, type WireCall, parseCall } from "./message.ts";
import type { Names } from "./names.ts";
import type { Durations } from "./percentiles.ts";
import type { Post } from "./post.ts";
import { Reports } from "./reports.ts";
import { CallRun } from "./run-call.ts";
import type { Slots } from "./slots.ts";
import type { WorkerTools } from "./toolbox.ts";

export interface TakePorts {
  readonly worker: string;
  readonly link: Link;
  readonly names: Names;
  readonly tools: WorkerTools;
  readonly leases: Leases;
  readonly callers: Callers;
  readonly post: Post;
  readonly slots: Slots;
  readonly waited: Durations;
  readonly ran: Durations;
  /** Returns the working directory of a call. */
  readonly folder: (place: { cwd: string; workspace: string | undefined }) => string | Promise<string>;
  /** Whether a call was cancelled before it arrived here. */
  readonly stopped: (job: string) => boolean;
}

/** How a call ended, and its output if that is sent with the answer. */
type End = Partial<Mail> & { readonly answer: Answer; readonly output?: string };

/** A call that this worker has. */
export class TakenCall {
  readonly job: string;
  readonly queue: string;
  readonly call: WireCall;
  readonly since: number = performance.now();
  readonly #ports: TakePorts;
  readonly #sentAt: number;
  /** Resolves when the answer was sent or there is none. */
  readonly hasSent: Promise<void>;
  #sent: () => void = () => {};
  #run: CallRun | undefined;
  #stop: string | undefined;

  constructor(ports: TakePorts, job: Job, call: WireCall) {
    this.#ports = ports;
    this.job = job.id ?? "";
    this.queue = job.queueName;
    this.call = call;
    this.#sentAt = job.timestamp;
    this.hasSent = new Promise((resolve) => (this.#sent = resolve));
  }

  stop(reason: string): void {
    this.#stop ??= reason;
    this.#run?.stop(reason);
  }

  /** Runs the call and answers. Resolves when the answer is delivered or the caller is gone. */
  async finish(): Promise<void> {
    const { post } = this.#ports;
    try {
      const { output, ...members } = await this.#end();
      const delivered = post.answer(this.call.caller, this.#mail(members), output);
      this.#sent();
      await delivered;
    } finally {
      this.#sent();
    }
  }

  async #end(): Promise<End> {
    const { slots } = this.#ports;
    const answer = await this.#admission();
    if (answer !== undefined) return { answer };
    await slots.take();
    try {
      return await this.#runTool();
    } finally {
      slots.give();
    }
  }

  async #admission(): Promise<Answer | undefined> {
    const { callers, leases, stopped, worker, link } = this.#ports;
    const { call } = this;
    if (!call.reads && !isSame(call.server, await link.server)) return RESTARTED;
    if (stopped(this.job)) return refused("it was stopped before it started.");
    if (!(await callers.isAlive(call.caller))) return refused("its caller no longer exists.");
    if (call.workspace === undefined) return undefined;
    const holder = await leases.hold(call.workspace);
    return holder === worker ? undefined : { type: "moved", to: holder === "" ? "nobody" : holder };
  }

  async #runTool(): Promise<End> {
    const { tools, waited, ran, post } = this.#ports;
    const admitted = await tools.admit(this.call);
    if (!admitted.ok) return { answer: refused(`${admitted.message}.`) };
    const context = await this.#context();
    if (typeof context === "string") return { answer: refused(context) };
    // It can be stopped while it waits for a slot.
    if (this.#stop !== undefined) return { answer: refused(`${this.#stop}.`) };
    waited.add(Math.max(0, Date.now() - this.#sentAt));
    const reports = new Reports((reported) => post.report(this.call.caller, this.#mail(reported)));
    const { callId, caller, key: idempotencyKey = `${caller}/${callId}`, limitMs } = this.call;
    const progress = (data: unknown): void => reports.add(data);
    this.#run = new CallRun({ ...admitted, callId, idempotencyKey, limitMs, context, progress });
    const ended = await this.#run.run();
    const { ranMs } = this.#run;
    ran.add(ranMs);
    const last = reports.end();
    const changes = this.#run.changes();
    const end = { ...(await post.answerOf(this.job, ended)), ...last, ranMs };
    return changes === undefined ? end : { ...end, changes };
  }

  /** Returns the context, or why there is none. */
  async #context(): Promise<SharedContext | string> {
    const { context, workspace } = this.call;
    try {
      return { ...context, cwd: await this.#ports.folder({ cwd: context.cwd, workspace }) };
    } catch (error) {
      return `the worker cannot provide a folder: ${messageOf(error)}.`;
    }
  }

  #mail(members: Partial<Mail>): Mail {
    return { job: this.job, worker: this.#ports.worker, ...members };
  }
}

const RESTARTED: Answer = {
  type: "unknown",
  message:
    "the Redis server restarted while the call was waiting, and may have lost the record that it started.",
};

/** Without run ids, servers cannot be distinguished. */
const isSame = (one: string, other: string): boolean => one === "" || other === "" || one === other;

const refused = (message: string): Answer => ({ type: "refused", message });

/** Reads a job. If it is invalid, sends an answer to its caller, as far as the caller is known. */
export async function readJob(ports: TakePorts, job: Job, token: string): Promise<WireCall> {
  await checkStillOurs(ports, job, token);
  const parsed = parseCall(job.data);
  if (parsed.ok && Buffer.byteLength(JSON.stringify(parsed.value.input) ?? "") <= LIMITS.inputBytes)
    return parsed.value;
  const why = parsed.ok ? `its input exceeds ${LIMITS.inputBytes} bytes` : parsed.why;
  const caller = (job.data as { caller?: unknown } | null)?.caller;
  const answer = refused(`the worker cannot read the call: ${why}.`);
  if (typeof caller === "string" && caller.length <= 200)
    await ports.post.answer(caller, { job: job.id ?? "", worker: ports.worker, answer });
  throw new UnrecoverableError(`Cannot read the call: ${why}.`);
}

/** A process that was paused can hold a call that was given up since; such a call is not started. */
async function checkStillOurs({ link, names }: TakePorts, job: Job, token: string): Promise<void> {
  const sinceTaken = Date.now() - (job.processedOn ?? 0);
  if (sinceTaken >= 0 && sinceTaken < LIMITS.holdMs / 2) return;
  const lock = await link.redis.get(`${names.jobKey(job.queueName, job.id ?? "")}:lock`);
  if (lock !== token) throw new UnrecoverableError("The call was given up before it started.");
}
