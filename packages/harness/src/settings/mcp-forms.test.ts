import { expect, test } from "vitest";
import { marketplaceIn } from "../definitions/marketplace.ts";
import { manifestIn } from "../definitions/plugin-manifest.ts";
import { mcpServersIn } from "./mcp.ts";

function read(value: unknown) {
  const { servers, problems } = mcpServersIn(JSON.stringify(value), {
    path: "f",
    isTrusted: true,
    env: { SET: "1" },
  });
  return {
    servers: Object.fromEntries(servers.map(({ name, server }) => [name, server])),
    said: problems.map(({ severity, message }) => `${severity} ${message}`),
  };
}

const A = { type: "stdio", command: "x", args: [], env: {} };
const B = { type: "http", url: "https://b.test", headers: {} };

test.each([
  ["other spellings", { mcp_servers: { a: { command: "x" } } }, { a: A }],
  ["a list", { mcpServers: [{ name: "a", command: "x" }] }, { a: A }],
  ["the form of an editor", { mcp: { servers: { a: { command: "x" } } } }, { a: A }],
  ["another agent's form", { mcp: { a: { type: "local", command: ["x"] } } }, { a: A }],
  ["no wrapper", { a: { command: "x" }, b: { serverUrl: "https://b.test" } }, { a: A, b: B }],
  ["an address alone", { mcpServers: { b: "https://b.test" } }, { b: B }],
  ["an endpoint", { mcpServers: { b: { type: "http", endpoint: "https://b.test" } } }, { b: B }],
  [
    "a transport object",
    { mcpServers: { b: { transport: { type: "http", url: "https://b.test" } } } },
    { b: B },
  ],
  [
    "arguments as text",
    { mcpServers: { a: { command: "x", args: "-y z" } } },
    { a: { ...A, args: ["-y", "z"] } },
  ],
  ["null for nothing", { mcpServers: { a: { command: "x", args: null, env: null } } }, { a: A }],
  [
    "variables as a list",
    { mcpServers: { a: { command: "x", env: ["K=v=w"] } } },
    { a: { ...A, env: { K: "v=w" } } },
  ],
  [
    "environment",
    { mcpServers: { a: { command: "x", environment: { K: "v" } } } },
    { a: { ...A, env: { K: "v" } } },
  ],
  [
    "a time with a unit",
    { mcpServers: { a: { command: "x", timeout: "30s" } } },
    { a: { ...A, timeoutMs: 30_000 } },
  ],
  ["a login without settings", { mcpServers: { b: { url: "https://b.test", oauth: true } } }, { b: B }],
])("class 7: servers are found in %s", (_, value, servers) => {
  expect(read(value)).toEqual({ servers, said: [] });
});

test("class 7: a server that is turned off by a text does not start", () => {
  expect(
    read({ mcpServers: { a: { command: "x", disabled: "true" }, b: { command: "x", enabled: "False" } } }),
  ).toEqual({
    servers: {},
    said: [
      "note f: mcpServers.a: it is turned off in this file",
      "note f: mcpServers.b: it is turned off in this file",
    ],
  });
});

test("class 7: what is not understood is said", () => {
  expect(read({ tools: ["x"] }).said).toEqual(['error f: expected {"mcpServers": { … }}']);
  expect(read({ mcpServers: { a: { comand: "x" } } }).said).toEqual([
    "error f: mcpServers.a: command: expected a string; this server is ignored",
    'warning f: mcpServers.a: comand has no effect. Did you mean "command"?',
  ]);
  expect(read({ mcpServers: { a: { command: "${SET}", args: ["${UNSET:?no}", "${UNSET:-d}"] } } })).toEqual({
    servers: { a: { ...A, command: "1", args: ["${UNSET:?no}", "d"] } },
    said: ["warning f: mcpServers.a: ${UNSET:?no} is not filled in: write ${NAME} or ${NAME:-default}"],
  });
});

test("class 7: manifests and marketplaces of other forms are understood", () => {
  const manifest = {
    name: "a",
    commands: [{ name: "c", file: "./c.md" }],
    mcpServers: [{ name: "s", command: "x" }],
  };
  expect(manifestIn(JSON.stringify(manifest), "f")).toMatchObject({
    manifest: {
      commands: [{ path: "./c.md" }],
      servers: [{ mcpServers: { s: { name: "s", command: "x" } } }],
    },
    problems: [],
  });
  const plugins = { a: { source: "https://x.test/a.git" }, b: { path: "./b" } };
  expect(marketplaceIn(JSON.stringify({ name: "m", plugins }), "f")).toMatchObject({
    plugins: [
      { name: "a", source: { type: "git", url: "https://x.test/a.git" } },
      { name: "b", source: { type: "folder", path: "./b" } },
    ],
    problems: [],
  });
});
