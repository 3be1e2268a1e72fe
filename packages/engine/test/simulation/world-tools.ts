/** The tools of a simulated world: each does what its call's plan says, when the world lets it. */

import type { Claim } from "../../src/core/access.ts";
import type { AnyTool, CallContext } from "../../src/runtime/tool.ts";
import { checkStart } from "./checks.ts";
import type { CallPlan } from "./plan.ts";
import { type CallRecord, type Input, type Pending, claimsIn } from "./record.ts";
import type { World } from "./world.ts";

const EVERYTHING_READ: readonly Claim[] = [{ mode: "read", place: "*" }];
const EVERYTHING_WRITTEN: readonly Claim[] = [{ mode: "write", place: "*" }];

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
    ];
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
    checkStart(this.#world, record, input);
    record.started = true;
    record.startOrder = this.#starts++;
    record.recordedAtStart = this.#world.journal.length;
    record.savedAtStart = this.#world.saved;
    if (this.#world.ended === "open") this.#world.startedMidStream++;
    if (this.#world.executing().length > 1) this.#world.overlapped++;
    this.#touch(record, "begin");
    this.#misbehave(plan, context);
    if (plan.behaviour === "at-once") return this.#finish(record, context);
    return plan.endsTwice ? this.#finishTwice(record) : this.#finishLater(record, context);
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
        try {
          resolve(this.#finish(record, context));
        } catch (error) {
          reject(error);
        }
      };
      let pending: Pending = { kind: "tool", happen: settle };
      this.#ports.pending.add(pending);
      context.signal.addEventListener("abort", () => {
        this.#ports.pending.delete(pending);
        if (plan.onStop === "reject") {
          record.returned = true;
          return reject(new Error("stopped"));
        }
        pending = { kind: plan.onStop === "ignore" ? "late" : "tool", happen: settle };
        this.#ports.pending.add(pending);
      });
    });
  }

  #finish(record: CallRecord, context: CallContext): unknown {
    const { plan } = record;
    const isLate = record.outcome !== undefined;
    if (isLate && !record.ranReadOnly) this.#world.lateEffect = true;
    if (!isLate || !record.ranReadOnly) this.#touch(record, "end");
    record.returned = true;
    record.abandonedAlive = false;
    context.progress({ type: "status", message: "nearly there" });
    if (plan.behaviour === "throw") throw new Error("it went wrong");
    return record.seen.join(":");
  }
}
