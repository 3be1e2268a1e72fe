/** A model that plays scripts for many agents at once, and what tests of trees of agents look at. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AnyTool, defineTool } from "@runahead/engine";
import { afterAll } from "vitest";
import { z } from "zod";
import type { AgentToolOptions } from "../../src/agents/sub-agent.ts";
import { agentTools } from "../../src/agents/task-tools.ts";
import type { LoopOptions } from "../../src/loop/options.ts";
import type { Model } from "../../src/model/event.ts";
import type { Block, Message, ModelRequest } from "../../src/model/message.ts";

export const text = (said: string): Block => ({ type: "text", text: said });
export const use = (id: string, name: string, input: object = {}): Block => ({
  type: "tool_use",
  id,
  name,
  input,
});
export const agentCall = (id: string, prompt: string, more: object = {}): Block =>
  use(id, "Agent", { description: `task ${prompt}`, prompt, ...more });

export type Turn =
  | readonly Block[]
  | ((request: ModelRequest) => readonly Block[] | Promise<readonly Block[]>);

/** A model that answers by the first prompt of the conversation: many conversations can use it at once. */
export function modelOf(script: Readonly<Record<string, readonly Turn[]>>, usage = 0): Model {
  return {
    name: "script",
    async *stream(request) {
      const first = firstPrompt(request.messages);
      const turns = script[first];
      if (turns === undefined) throw new Error(`no script for ${first}`);
      const at = request.messages.filter(({ role }) => role === "assistant").length;
      const turn = turns[at] ?? [text("Nothing more.")];
      const blocks = typeof turn === "function" ? await turn(request) : turn;
      yield { type: "message-started", id: "m", model: "script" };
      for (const block of blocks) {
        if (block.type === "text") yield { type: "text", text: String(block["text"]) };
        else
          yield {
            type: "call-complete",
            call: { id: String(block["id"]), name: String(block["name"]), input: block["input"] },
          };
        yield { type: "block", block };
      }
      if (usage > 0)
        yield {
          type: "usage",
          usage: { inputTokens: usage, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 },
        };
      const reason = blocks.some(({ type }) => type === "tool_use") ? "tool_use" : "end_turn";
      yield { type: "stopped", reason, detail: "" };
    },
  };
}

export function firstPrompt(messages: readonly Message[]): string {
  for (const { content } of messages) {
    if (typeof content === "string") return content;
    const own = content.find(
      (block) => block.type === "text" && !String(block["text"]).startsWith("<system"),
    );
    if (own !== undefined) return String(own["text"]);
  }
  return "";
}

export function resultsIn(messages: readonly Message[]): string[] {
  return messages.flatMap(({ content }) =>
    Array.isArray(content)
      ? content.flatMap((block) => (block.type === "tool_result" ? [String(block["content"])] : []))
      : [],
  );
}

export function remindersIn(messages: readonly Message[]): string[] {
  return messages.flatMap(({ role, content }) =>
    role === "user" && Array.isArray(content)
      ? content.flatMap((block) =>
          String(block["text"]).startsWith("<system") ? [String(block["text"])] : [],
        )
      : [],
  );
}

export function tool(name: string, members: Partial<AnyTool> = {}): AnyTool {
  return defineTool({
    name,
    description: name,
    inputSchema: z.object({}).loose(),
    call: () => `${name} done`,
    ...members,
  });
}

export const gate = (): { readonly promise: Promise<void>; readonly open: () => void } => {
  let open = (): void => {};
  const promise = new Promise<void>((resolve) => (open = resolve));
  return { promise, open };
};

interface Gated {
  readonly tool: AnyTool;
  /** Opens when a call has started. */
  readonly started: ReturnType<typeof gate>;
}

/** A tool whose calls end when `done` is opened. */
export function waitingTool(name: string): Gated & { readonly done: ReturnType<typeof gate> } {
  const [started, done] = [gate(), gate()];
  const call = async (): Promise<string> => {
    started.open();
    await done.promise;
    return "worked";
  };
  return { tool: tool(name, { call }), started, done };
}

/** A tool whose calls end only when they are stopped. */
export function hangingTool(name: string, members: Partial<AnyTool> = {}): Gated {
  const started = gate();
  const call: AnyTool["call"] = (_input, { signal }) =>
    new Promise((_resolve, reject) => {
      started.open();
      signal.addEventListener("abort", () => reject(new Error("stopped")));
    });
  return { tool: tool(name, { call, ...members }), started };
}

/** Returns a function that makes temporary folders, which are removed after the tests of the file. */
export function temporaryFolders(): () => Promise<string> {
  const folders: string[] = [];
  afterAll(() => Promise.all(folders.map((path) => rm(path, { recursive: true, force: true }))));
  return async () => {
    const path = await mkdtemp(join(tmpdir(), "runahead-tree-"));
    folders.push(path);
    return path;
  };
}

export function optionsOf(
  model: Model,
  more: Partial<LoopOptions> = {},
  tools: Partial<AgentToolOptions> = {},
): LoopOptions {
  const options: LoopOptions = { model, tools: [tool("Work")], ...more };
  return { ...options, tools: [...options.tools, ...agentTools({ options, ...tools })] };
}
