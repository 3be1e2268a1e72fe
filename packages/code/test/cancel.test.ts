import { type AnyTool, StreamingToolExecutor } from "@runahead/engine";
import { expect, test } from "vitest";
import { codeTool } from "../src/index.ts";
import { world } from "./support.ts";

interface State {
  readonly script: string;
  /** Resolves when the script is in the state. */
  readonly reached: (seen: Seen) => Promise<unknown>;
}

interface Seen {
  readonly log: readonly string[];
  readonly printed: readonly string[];
  readonly asked: readonly string[];
}

const STATES: Readonly<Record<string, State>> = {
  "before it has begun": { script: "return 1;", reached: async () => undefined },
  "while its thread starts": {
    script: "return 1;",
    reached: () => new Promise((resolve) => setTimeout(resolve, 15)),
  },
  "while it computes": {
    script: `console.log("computes"); for (;;) {}`,
    reached: ({ printed }) => expect.poll(() => printed.join("")).toContain("computes"),
  },
  "while it computes after a call": {
    script: `await tools.Price({ sku: "a" }); console.log("computes"); for (;;) {}`,
    reached: ({ printed }) => expect.poll(() => printed.join("")).toContain("computes"),
  },
  "while a call runs": {
    script: `await tools.Wait({}); await tools.Price({ sku: "never" });`,
    reached: ({ log }) => expect.poll(() => log).toContain("waits"),
  },
  "while a question about a call is open": {
    script: `await tools.SetPrice({ sku: "never" });`,
    reached: ({ asked }) => expect.poll(() => asked).toEqual(["SetPrice"]),
  },
  "while a call waits for another": {
    script: `await Promise.all([tools.Wait({}), tools.Wait({})]);`,
    reached: ({ log }) => expect.poll(() => log).toContain("waits"),
  },
  "while calls that it did not await finish": {
    script: `tools.Wait({}); return "early";`,
    reached: ({ log }) => expect.poll(() => log).toContain("waits"),
  },
  "while it catches everything": {
    script: `for (;;) { try { await tools.Wait({}); } catch {} }`,
    reached: ({ log }) => expect.poll(() => log).toContain("waits"),
  },
};

test.each(Object.entries(STATES))(
  "a script that is stopped %s has one result, and nothing of it runs afterwards",
  async (_name, { script, reached }) => {
    const { tools, log } = world();
    const printed: string[] = [];
    const asked: string[] = [];
    const turn = new StreamingToolExecutor({
      tools: [codeTool(tools)],
      canUseTool: ({ name }: AnyTool) => ({ behavior: name === "SetPrice" ? "ask" : "allow" }),
      ask: ({ tool, signal }) => {
        asked.push(tool.name);
        return new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => reject(new Error("closed"))),
        );
      },
      onEvent: (event) => {
        if (event.type === "call-progress") printed.push(JSON.stringify(event.data));
      },
    });
    turn.add({ id: "1", name: "Code", input: { script } });
    await reached({ log, printed, asked });
    turn.interrupt("stop");
    const results: string[] = [];
    for await (const update of turn.remaining())
      if (update.type === "result") results.push(String(update.result.content));
    const before = [...log];
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([results.length, log]).toEqual([1, before]);
    expect(log.filter((line) => line.endsWith("never"))).toEqual([]);
    expect(log.filter((line) => line === "waits").length).toBe(
      log.filter((line) => line === "stopped").length,
    );
  },
);
