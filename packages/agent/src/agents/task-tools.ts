/** SendMessage, TaskOutput and TaskStop: reach sub-agents and background commands while they work. */

import { Refused } from "./refused.ts";
import { type AnyTool, type CallContext, defineTool } from "@runahead/engine";
import type { BackgroundTask } from "@runahead/base";
import { sleep } from "../loop/retry.ts";
import {
  type SendMessageInput,
  type TaskOutputInput,
  type TaskStopInput,
  sendMessageInput,
  taskOutputInput,
  taskStopInput,
} from "./agent-input.ts";
import { type Member, bindable } from "./binding.ts";
import {
  type AgentToolOptions,
  type Making,
  agentToolIn,
  checkMade,
  ownMember,
  startable,
  starterOf,
} from "./sub-agent.ts";

const DEFAULT_WAIT_MS = 30_000;
const MOST_WAIT_MS = 600_000;

/**
 * Creates the tools for sub-agents: Agent starts them, SendMessage sends a message to one, and TaskOutput and TaskStop read
 * and stop background agents and the background work of `options.background`.
 *
 * Throws a TypeError for invalid options.
 *
 * @example
 * ```ts
 * import { agentTools, anthropic, createAgent } from "@runahead/agent";
 *
 * const options = { model: anthropic({ model: "claude-sonnet-4-6" }), tools: [] };
 * const agent = createAgent({ ...options, tools: agentTools({ options }) });
 * ```
 */
export function agentTools(made: AgentToolOptions): readonly AnyTool[] {
  checkMade(made, "agentTools");
  const making: Making = { made, hasOthers: true, ...startable(made) };
  const member = ownMember();
  const others = [
    (own: Member) => sendMessageTool(making, own),
    (own: Member) => taskOutputTool(own),
    (own: Member) => taskStopTool(own),
  ];
  return [agentToolIn(making, member), ...others.map((make) => bindable(make(member), make))];
}

function sendMessageTool(making: Making, member: Member): AnyTool {
  const starter = starterOf(making, member);
  return defineTool({
    name: "SendMessage",
    description:
      "Sends a message to a sub-agent by its id. One that is at work reads it after its current turn. One that has ended continues with its context, and its answer is returned.",
    inputSchema: sendMessageInput,
    delegates: true,
    timeoutMs: () => Number.POSITIVE_INFINITY,
    describe: ({ to }: SendMessageInput) => `Message to ${to}`,
    call: ({ to, message }: SendMessageInput, context: CallContext) => starter.send(to, message, context),
  });
}

function taskOutputTool({ tree }: Member): AnyTool {
  return defineTool({
    name: "TaskOutput",
    aliases: ["AgentOutput"],
    description:
      "Returns the state and the new output of a background sub-agent or command; waits for its end, up to `timeout`. You are notified when it ends, so use it only if you need the result now.",
    inputSchema: taskOutputInput,
    delegates: true,
    isReadOnly: () => true,
    timeoutMs: () => Number.POSITIVE_INFINITY,
    interruptBehavior: () => "cancel",
    describe: ({ task_id }: TaskOutputInput) => `Output of ${task_id}`,
    async call(
      { task_id, block = true, timeout = DEFAULT_WAIT_MS }: TaskOutputInput,
      { signal }: CallContext,
    ) {
      const task = find(tree.task(task_id), task_id, tree.tasks());
      if (block) await endOf(task, Math.min(Math.max(timeout, 0), MOST_WAIT_MS), signal);
      return task.read();
    },
  });
}

function taskStopTool({ tree }: Member): AnyTool {
  return defineTool({
    name: "TaskStop",
    description: "Stops one background sub-agent or command.",
    inputSchema: taskStopInput,
    delegates: true,
    describe: ({ task_id }: TaskStopInput) => `Stop ${task_id}`,
    call: ({ task_id }: TaskStopInput) => find(tree.task(task_id), task_id, tree.tasks()).stop(),
  });
}

function find(
  task: BackgroundTask | undefined,
  id: string,
  running: readonly BackgroundTask[],
): BackgroundTask {
  if (task !== undefined) return task;
  const ids = running.map((one) => one.id).join(", ");
  throw new Refused(
    `There is no background task ${id}. ${ids === "" ? "None is running." : `Known: ${ids}.`}`,
  );
}

/** Resolves when the task has ended, the time is over or the call must stop. */
async function endOf(task: BackgroundTask, waitMs: number, signal: AbortSignal): Promise<void> {
  if (!task.isRunning || signal.aborted) return;
  const stop = new AbortController();
  const either = AbortSignal.any([signal, stop.signal]);
  await Promise.race([task.ended, sleep(waitMs, either).catch(() => {})]);
  stop.abort();
}
