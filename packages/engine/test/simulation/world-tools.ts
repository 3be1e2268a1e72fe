/** The tools of a simulated world: each does what its call's plan says, when the world lets it. */

import type { Claim } from "../../src/core/access.ts";
import type { AnyTool, CallContext } from "../../src/runtime/tool.ts";
import { checkAttempt, checkStart } from "./checks.ts";
import { RETRY_ATTEMPTS } from "./extras.ts";
import type { CallPlan } from "./plan.ts";
import { type CallRecord, type Input, type Pending, claimsIn } from "./record.ts";
import type { World } from "./world.ts";

const EVERYTHING_READ: readonly Claim[] = [{ mode: "read", place: "*" }];
const EVERYTHING_WRITTEN: readonly Claim[] = [{ mode: "write", place: "*" }];

const TRY_AGAIN = "try again";
const RETRY = {
  attempts: RETRY_ATTEMPTS,
  backoffMs: 100,
  on: (error: unknown) => (error as Error).message === TRY_AGAIN,
} as const;

/** A second attempt of these tools has no second effect, they say. */
function canRepeatWrites(toolName: string): boolean {
  return toolName === "Slow";
}

/** Whether another attempt follows one that has just failed, unless the call is stopped. */
export function willRetry({ plan, attempts, ranReadOnly }: CallRecord): boolean {
  return attempts < RETRY_ATTEMPTS && (ranReadOnly || canRepeatWrites(plan.tool));
}

export interface ToolPorts {
  /** What is under way, until the world lets it happen. */
  readonly pending: Set<Pending>;
  defer<Value>(kind: string, make: () => Value): Promise<Value>;
}

export class WorldTools {
  readonly #world: World;
  readonly #ports: ToolPorts;
  #starts = 0;

  constructor(world: World, ports: ToolPorts) {
    this.#world = world;
    this.#ports = ports;
  }

  all(): AnyTool[] {
    const declared: Pick<AnyTool, "access" | "isReadOnly"> = {
      access: (input, { cwd }) => claimsIn(this.#world.planOf(input), input as unknown as Input, cwd),
      isReadOnly: (input) => (input as unknown as Input).readOnly,
    };
    return [
      this.#tool("Declared", declared),
      this.#tool("Slow", declared),
      this.#tool("Safe", { isReadOnly: () => true }),
      // With a check, so a question about it waits until no earlier call is in its way.
      this.#tool("Unsafe", { check: () => {} }),
    ].map((tool) => ({ ...tool, retry: { ...RETRY, writes: canRepeatWrites(tool.name) } }));
  }

  #tool(name: string, members: Partial<AnyTool>): AnyTool {
    const validate = (value: unknown): { value: unknown } | { issues: { message: string }[] } =>
      (value as Input).invalid === true ? { issues: [{ message: "it is invalid" }] } : { value };
    const slowly = (value: unknown): Promise<{ value: unknown } | { issues: { message: string }[] }> =>
      this.#ports.defer("schema", () => validate(value));
    return {
      name,
      description: name,
      inputSchema: {
        "~standard": { version: 1, vendor: "simulation", validate: name === "Slow" ? slowly : validate },
      },
      interruptBehavior: (input) => this.#world.planOf(input).interrupt,
      onError: (input) => this.#world.planOf(input).onError,
      timeoutMs: (input) => this.#world.planOf(input).timeoutMs,
      call: (input, context) => this.#call(input as unknown as Input, context),
      ...members,
    };
  }

  #call(input: Input, context: CallContext): unknown {
    const record = this.#world.records.get(input.id) as CallRecord;
    const { plan } = record;
    const { cwd } = context;
    record.ranWith =
      plan.tool === "Safe"
        ? EVERYTHING_READ
        : plan.tool === "Unsafe"
          ? EVERYTHING_WRITTEN
          : claimsIn(plan, input, cwd);
    record.ranReadOnly = plan.tool === "Safe" || (plan.tool !== "Unsafe" && input.readOnly);
    record.ranIn = cwd;
    record.attempts++;
    record.isTrying = true;
    if (record.started) {
      checkAttempt(this.#world, record);
      return this.#try(record, context);
    }
    checkStart(this.#world, record, input);
    record.started = true;
    record.startOrder = this.#starts++;
    record.recordedAtStart = this.#world.journal.length;
    record.savedAtStart = this.#world.saved;
    if (this.#world.ended === "open") this.#world.startedMidStream++;
    if (this.#world.executing().length > 1) this.#world.overlapped++;
    this.#touch(record, "begin");
    this.#misbehave(plan, context);
    return this.#try(record, context);
  }

  #try(record: CallRecord, context: CallContext): unknown {
    const { plan } = record;
    if (plan.behaviour === "at-once") return this.#finish(record, context);
    // One that ends twice does not also fail before that.
    return plan.endsTwice && plan.failures === 0
      ? this.#finishTwice(record)
      : this.#finishLater(record, context);
  }

  #misbehave(plan: CallPlan, context: CallContext): void {
    const { to, badChange } = plan;
    if (to !== undefined) context.change((before) => ({ ...before, cwd: to }));
    if (badChange) context.change("/elsewhere" as never);
    this.#world.interfereBy(plan, "tool");
  }

  /** Not a promise: it fails, and then says that all is well. */
  #finishTwice(record: CallRecord): PromiseLike<unknown> {
    return {
      // oxlint-disable-next-line unicorn/no-thenable
      then: (resolve: (value: unknown) => void, reject: (error: unknown) => void) => {
        const happen = (): void => {
          this.#world.count("ended twice");
          record.returned = true;
          record.failed = true;
          reject(new Error("it went wrong"));
          resolve("all is well");
        };
        this.#ports.pending.add({ kind: "tool", happen });
      },
    } as PromiseLike<unknown>;
  }

  #touch(record: CallRecord, part: "begin" | "end"): void {
    record.parts.push(part);
    record.seen.push(this.#world.files.touch(record.ranWith, record.plan.id, part));
  }

  #finishLater(record: CallRecord, context: CallContext): Promise<unknown> {
    const { plan } = record;
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        this.#ports.pending.delete(pending);
        context.signal.removeEventListener("abort", stop);
        try {
          resolve(this.#finish(record, context));
        } catch (error) {
          reject(error);
        }
      };
      let pending: Pending = { kind: "tool", happen: settle };
      this.#ports.pending.add(pending);
      const stop = (): void => {
        this.#ports.pending.delete(pending);
        if (plan.onStop === "reject") {
          record.isTrying = false;
          record.returned = true;
          return reject(new Error("stopped"));
        }
        pending = { kind: plan.onStop === "ignore" ? "late" : "tool", happen: settle };
        this.#ports.pending.add(pending);
      };
      context.signal.addEventListener("abort", stop, { once: true });
    });
  }

  #finish(record: CallRecord, context: CallContext): unknown {
    const { plan } = record;
    record.isTrying = false;
    if (record.attempts <= plan.failures && record.outcome === undefined) {
      this.#world.count("attempt failed");
      if (!willRetry(record)) record.returned = true;
      throw new Error(TRY_AGAIN);
    }
    const isLate = record.outcome !== undefined;
    if (isLate && !record.ranReadOnly) this.#world.lateEffect = true;
    if (!isLate || !record.ranReadOnly) this.#touch(record, "end");
    record.returned = true;
    context.progress({ type: "status", message: "nearly there" });
    if (plan.behaviour === "throw") throw new Error("it went wrong");
    return record.seen.join(":");
  }
}
