import { afterEach, expect, test } from "vitest";
import { newWorld, removeWorlds } from "../../test/fixtures/settings/world.ts";
import { loadSettings } from "./load.ts";
import { mcpObjection } from "./mcp-choice.ts";
import { mcpServersIn } from "./mcp.ts";

afterEach(removeWorlds);

const SERVERS = {
  db: { command: "npx", args: ["db-server"] },
  wiki: { type: "http", url: "https://wiki.example.com/mcp" },
};

/** The servers of a project's `.mcp.json` that start with these settings. */
async function started(settings: object, isTrusted = true): Promise<string[]> {
  const world = await newWorld();
  await world.write("project/.claude/settings.json", JSON.stringify(settings));
  const loaded = await loadSettings({ ...world.options, isTrusted });
  const { servers } = mcpServersIn(JSON.stringify({ mcpServers: SERVERS }), {
    path: "/p/.mcp.json",
    isTrusted,
    env: {},
  });
  const objection = mcpObjection(loaded);
  return servers.filter((server) => objection(server) === undefined).map(({ name }) => name);
}

test("class 2: lists of MCP servers are restrictions", async () => {
  expect(await started({})).toEqual(["db", "wiki"]);
  expect(await started({ disabledMcpjsonServers: ["db"] })).toEqual(["wiki"]);
  expect(await started({ disabledMcpjsonServers: ["db"], enableAllProjectMcpServers: true })).toEqual([
    "wiki",
  ]);
  expect(await started({ enabledMcpjsonServers: ["db"] })).toEqual(["db"]);
  expect(await started({ enabledMcpjsonServers: [] })).toEqual([]);
  expect(await started({ enabledMcpjsonServers: ["db"], enableAllProjectMcpServers: true })).toEqual([
    "db",
    "wiki",
  ]);
  expect(await started({ enableAllProjectMcpServers: false })).toEqual([]);
  expect(await started({ deniedMcpServers: [{ serverName: "db" }] })).toEqual(["wiki"]);
  expect(await started({ deniedMcpServers: [{ serverCommand: ["npx", "db-server"] }] })).toEqual(["wiki"]);
  expect(await started({ deniedMcpServers: [{ serverUrl: "https://*.example.com/*" }] })).toEqual(["db"]);
});

test("class 2: a list that cannot be read stops the servers that it could name", async () => {
  expect(await started({ disabledMcpjsonServers: { db: true } })).toEqual([]);
  expect(await started({ disabledMcpjsonServers: "db" })).toEqual(["wiki"]);
});

test("class 2: restrictions apply in an untrusted folder, approvals do not", async () => {
  expect(await started({ disabledMcpjsonServers: ["db"] }, false)).toEqual(["wiki"]);
  expect(await started({ allowedMcpServers: [] }, false)).toEqual([]);
  expect(await started({ allowedMcpServers: [{ serverName: "db" }] })).toEqual(["db"]);
});

test("class 2: an untrusted repository adds nothing to the user's list of allowed servers", async () => {
  const world = await newWorld();
  await world.write("home/.claude/settings.json", { allowedMcpServers: [{ serverName: "wiki" }] });
  await world.write("project/.claude/settings.json", {
    allowedMcpServers: [{ serverName: "db" }, { serverName: "wiki" }],
  });
  const { servers } = mcpServersIn(JSON.stringify({ mcpServers: SERVERS }), {
    path: "--mcp-config",
    isTrusted: true,
    env: {},
  });
  for (const isTrusted of [false, true]) {
    const objection = mcpObjection(await loadSettings({ ...world.options, isTrusted }));
    const names = servers.filter((server) => objection(server) === undefined).map(({ name }) => name);
    expect(names).toEqual(isTrusted ? ["db", "wiki"] : ["wiki"]);
  }
});

test("class 2: managed settings allow servers by name, command or URL", async () => {
  const managed = async (allowedMcpServers: unknown): Promise<string[]> => {
    const world = await newWorld();
    await world.write("managed.json", { allowedMcpServers });
    const loaded = await loadSettings(world.options);
    const { servers } = mcpServersIn(JSON.stringify({ mcpServers: SERVERS }), {
      path: "--mcp-config",
      isTrusted: true,
      env: {},
    });
    const objection = mcpObjection(loaded);
    return servers.filter((server) => objection(server) === undefined).map(({ name }) => name);
  };
  expect(await managed([])).toEqual([]);
  expect(await managed([{ serverName: "db" }])).toEqual(["db"]);
  expect(await managed([{ serverName: "db" }, { serverCommand: ["npx", "other"] }])).toEqual([]);
  expect(await managed([{ serverUrl: "https://wiki.example.com/*" }, { serverName: "db" }])).toEqual([
    "db",
    "wiki",
  ]);
});

test("class 2: an entry of a list of forbidden servers that cannot be read stops every server", async () => {
  expect(await started({ deniedMcpServers: [{ name: "db" }] })).toEqual([]);
  expect(await started({ deniedMcpServers: [7] })).toEqual([]);
  expect(await started({ disabledMcpjsonServers: [{ serverName: "db" }] })).toEqual([]);
  expect(await started({ deniedMcpServers: ["db", { serverUrl: "https://x.test/*" }] })).toEqual(["wiki"]);
});
