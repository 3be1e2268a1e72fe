import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { PromptWorld, calls, requestsOf, says } from "../../../test/support/prompt-world.ts";

const SERVER = fileURLToPath(new URL("../../../../mcp/test/support/talking-server.mjs", import.meta.url));

let world: PromptWorld;
beforeEach(() => {
  world = new PromptWorld();
  world.write("a.txt", "a\n");
  world.commitAll();
});
afterEach(() => world.remove());

test("the entry of a server asks about a tool that a rule allows, and removes another one", async () => {
  const tools = [
    { name: "elicit", permission_policy: "always_ask" },
    { name: "page", permission_policy: "always_deny" },
  ];
  const talker = { command: process.execPath, args: [SERVER], tools };
  world.write(".mcp.json", JSON.stringify({ mcpServers: { talker } }));
  world.write(".claude/settings.json", JSON.stringify({ permissions: { allow: ["mcp__talker"] } }));
  const asked: string[] = [];
  const answers = [calls("mcp__talker__elicit", {}), calls("mcp__talker__sample", {}), says("done")];
  const { agent, mcp, server } = await world.start(answers, {
    askPerson: async ({ toolName, choices }) => {
      asked.push(toolName);
      expect(choices).toEqual([]);
      return { type: "no", message: "Not this one." };
    },
  });
  await mcp.settled();
  await agent.send("go");
  expect(asked).toEqual(["mcp__talker__elicit"]);
  const names = requestsOf(server)[0]?.tools.map(({ name }) => name) ?? [];
  expect([names.includes("mcp__talker__elicit"), names.includes("mcp__talker__page")]).toEqual([true, false]);
});
