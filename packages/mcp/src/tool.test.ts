import { StreamingToolExecutor, createLocks } from "@runahead/engine";
import { expect, test } from "vitest";
import type { OpenServer, RawResult } from "./server.ts";
import { mcpTool } from "./tool.ts";

/** A server whose calls end when the test says so. */
function slowServer(name: string) {
  const running: (() => void)[] = [];
  let most = 0;
  const call = (): Promise<RawResult> =>
    new Promise((resolve) => {
      running.push(() => resolve({ content: [{ type: "text", text: "done" }] }));
      most = Math.max(most, running.length);
    });
  const server = {
    name,
    open: async () => ({ call }) as unknown as OpenServer,
    fingerprintOf: () => "f",
    callMs: 60_000,
  };
  const listed = {
    name: "search",
    description: "Searches.",
    inputSchema: { type: "object" },
    annotations: { readOnlyHint: true },
    whole: {},
  };
  const offered = { name: `mcp__${name}__search`, listed, fingerprint: "f", onNotice: () => {} };
  const { tool } = mcpTool(server, offered);
  return { tool, running, most: () => most };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("a limit on the place of a server holds for the calls of its tools, and for those of no other server", async () => {
  const [github, files] = [slowServer("github"), slowServer("files")];
  const tools = [github.tool, files.tool];
  const locks = createLocks({ limits: { "mcp:/github": 2 } });
  const executors = ["one", "two"].map(
    (owner) => new StreamingToolExecutor({ tools, locks, owner, validateJsonSchema: () => [] }),
  );
  for (const executor of executors)
    for (const name of [github.tool.name, files.tool.name])
      for (const at of [1, 2, 3]) executor.add({ id: `${name} ${at}`, name, input: {} });
  await settled();
  expect([github.running.length, files.running.length]).toEqual([2, 6]);
  const read = executors.map(async (executor) => {
    let results = 0;
    for await (const update of executor.remaining()) results += update.type === "result" ? 1 : 0;
    return results;
  });
  while (github.running.length + files.running.length > 0) {
    for (const end of [...github.running.splice(0), ...files.running.splice(0)]) end();
    await settled();
  }
  expect(await Promise.all(read)).toEqual([6, 6]);
  expect(github.most()).toBe(2);
});
