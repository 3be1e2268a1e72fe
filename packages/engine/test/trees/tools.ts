/** The tools of a simulated session: they touch files, start agents, or send messages. */

import type { AnyTool, CallContext } from "../../src/runtime/tool.ts";
import type { TreeAgent } from "./agent.ts";
import { checkStart } from "./checks.ts";
import type { AgentPlan, CallPlan } from "./plan.ts";
import type { CallRecord, Input } from "./record.ts";
import type { TreeWorld } from "./world.ts";

export function makeTools(world: TreeWorld): AnyTool[] {
  const files: Partial<AnyTool> = {
    isReadOnly: (input) => world.planOf(input).readOnly,
    access: (input) => claimsOf(world.planOf(input), input as unknown as Input),
  };
  // A call that waits for agents takes as long as their calls wait for minutes to pass.
  const limitMs = Object.keys(world.plan.rates).length > 0 ? Infinity : 600_000;
  const delegates: Partial<AnyTool> = {
    delegates: true,
    isReadOnly: (input) => world.planOf(input).readOnly,
    timeoutMs: () => limitMs,
  };
  return [
    newTool(world, "Touch", files),
    newTool(world, "Fetch", files),
    newTool(world, "Agent", delegates),
    newTool(world, "Background", delegates),
    newTool(world, "Message", delegates),
  ];
}

function newTool(world: TreeWorld, name: CallPlan["tool"], members: Partial<AnyTool>): AnyTool {
  return {
    name,
    description: name,
    inputSchema: {
      "~standard": { version: 1, vendor: "simulation", validate: (value: unknown) => ({ value }) },
    },
    interruptBehavior: (input) => world.planOf(input).interrupt,
    onError: (input) => world.planOf(input).onError,
    call: (input, context) => run(world, input as unknown as Input, context),
    ...members,
  };
}

function run(world: TreeWorld, input: Input, context: CallContext): unknown {
  const call = world.calls.get(input.id) as CallRecord;
  // The program has ended: what its last step still sets off does not happen.
  if (call.turn.life !== world.life) return "";
  call.ranWith = call.delegates ? [] : claimsOf(call.plan, input);
  call.ranIn = context.cwd;
  checkStart(world, call);
  call.started = true;
  call.recordedAtStart = call.turn.journal.length;
  if (call.plan.moves) context.change((before) => ({ ...before, cwd: `/${input.id}` }));
  world.interfereBy(call, "tool");
  const { agent } = call.plan;
  if (call.plan.tool === "Message") return send(world, call, context);
  return agent === undefined ? touch(world, call, context) : delegate(world, agent, { call, context });
}

async function delegate(
  world: TreeWorld,
  plan: AgentPlan,
  { call, context }: { readonly call: CallRecord; readonly context: CallContext },
): Promise<string> {
  const isBackground = call.plan.tool === "Background";
  const agent = world.start(plan, call.turn.agent, isBackground);
  world.count(call.plan.tool);
  return isBackground ? "started" : endOf(agent, context);
}

/** An agent that has ended goes on, and the call waits for it. */
async function send(world: TreeWorld, call: CallRecord, context: CallContext): Promise<string> {
  const others = world.team.filter((agent) => agent !== call.turn.agent);
  if (others.length === 0) return "nobody";
  const agent = world.send(world.random.pick(others), call.plan);
  return agent === undefined ? "sent" : endOf(agent, context);
}

async function endOf(agent: TreeAgent, { signal }: CallContext): Promise<string> {
  signal.addEventListener("abort", () => agent.stop());
  await agent.ended;
  return "done";
}

/** Reads when it begins and writes when it ends, so that what others do in between would be lost. */
function touch(world: TreeWorld, call: CallRecord, { signal }: CallContext): unknown {
  const { behaviour, onStop } = call.plan;
  const seen = world.files.read(call.ranWith);
  const finish = (): string => {
    if (behaviour === "throw") throw new Error("it went wrong");
    // What it does after it was abandoned is not compared.
    if (call.outcome === undefined && !world.files.write(call.plan.id, call.ranWith, seen))
      world.fail("no lost update", `what ${call.plan.id} read was changed while it ran`);
    return "done";
  };
  if (behaviour === "at-once") return finish();
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      try {
        resolve(finish());
      } catch (error) {
        reject(error);
      }
    };
    const drop = world.pend("tool", settle);
    signal.addEventListener("abort", () => {
      drop();
      if (onStop === "reject") return reject(new Error("stopped"));
      world.pend(onStop === "ignore" ? "late" : "tool", settle);
    });
  });
}

function claimsOf({ moves }: CallPlan, { claims }: Input): CallPlan["claims"] {
  return moves ? [...claims, { mode: "write", place: "context:/cwd" }] : claims;
}
