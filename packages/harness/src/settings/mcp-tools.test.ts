import { expect, test } from "vitest";
import { mcpServersIn } from "./mcp.ts";

function read(entry: object, env: Readonly<Record<string, string>> = {}) {
  const text = JSON.stringify({ mcpServers: { a: { url: "https://a.test", ...entry } } });
  const { servers, problems } = mcpServersIn(text, { path: "f", isTrusted: true, env });
  const [server] = servers;
  return {
    isUsed: server !== undefined,
    ...(server?.tools === undefined ? {} : { tools: server.tools }),
    ...(server?.alwaysLoad === undefined ? {} : { alwaysLoad: server.alwaysLoad }),
    said: problems.map(
      ({ severity, message }) => `${severity} ${message.replace(/^f: mcpServers\.a: /, "")}`,
    ),
  };
}

const used = { isUsed: true, said: [] };

test.each([
  [{ disabledTools: ["b"] }, { without: ["b"] }],
  [{ excludeTools: ["b"], disabled_tools: ["c"] }, { without: ["c", "b"] }],
  [{ includeTools: ["b"] }, { only: ["b"] }],
  [{ enabled_tools: [] }, { only: [] }],
  [
    { enabledTools: ["b", "c"], disabledTools: ["c"] },
    { only: ["b", "c"], without: ["c"] },
  ],
  [{ tools: ["*"] }, { only: ["*"] }],
  [{ tools: { b: { enabled: false }, c: {}, d: true, e: false } }, { without: ["b", "e"] }],
  [{ tools: [{ name: "b", permission_policy: "always_deny" }] }, { without: ["b"] }],
  [{ tools: [{ name: "b", permission_policy: "always_ask" }, { name: "c" }] }, { ask: ["b"] }],
  [
    { tools: [{ name: "b", permission_policy: "always_allow", org_max_permission: "blocked" }] },
    { without: ["b"] },
  ],
])("a list of tools restricts a server, in every known form: %j", (entry, tools) => {
  expect(read(entry)).toEqual({ ...used, tools });
});

test.each([
  [{ disabledTools: "b" }, "disabledTools: expected a list of tools"],
  [{ enabledTools: [7] }, "enabledTools: expected a list of tools"],
  [{ tools: "b" }, "tools: expected a list of names, or of tools with name and permission_policy"],
  [{ tools: { b: "never" } }, "tools: expected a list of names, or of tools with name and permission_policy"],
  [{ tools: [{ name: "b", permission_policy: "never" }] }, "tools: the policy of b is not known"],
])("a server whose restriction cannot be read is not used: %j", (entry, why) => {
  expect(read(entry)).toEqual({ isUsed: false, said: [`error ${why}; this server is ignored`] });
});

test("nothing is restricted by an empty policy, and a policy that would allow calls has no effect", () => {
  expect(read({ tools: [], disabledTools: [], includeTools: null })).toEqual(used);
  const said = read({ tools: [{ name: "b", permission_policy: "always_allow" }] }).said;
  expect(said).toEqual([
    "warning tools: always_allow has no effect for b: put rules such as mcp__server__tool into permissions.allow of the settings",
  ]);
});

test("alwaysLoad is read, and a time limit that is meant in seconds is left out", () => {
  expect(read({ alwaysLoad: true })).toEqual({ ...used, alwaysLoad: true });
  expect(read({ timeout: 60 }).said).toEqual([
    "note timeout: 60 has no effect: it is in milliseconds, and at least 1000",
  ]);
  expect(read({ timeout: "60s" })).toEqual(used);
});

test("variables in the form of editors are filled in, and what only an editor can fill in is reported", () => {
  const headers = { one: "Bearer ${env:TOKEN}", two: "${input:token}" };
  const text = JSON.stringify({ mcpServers: { a: { url: "https://a.test", headers } } });
  const { servers, problems } = mcpServersIn(text, { path: "f", isTrusted: true, env: { TOKEN: "x" } });
  expect(servers[0]?.server).toMatchObject({ headers: { one: "Bearer x", two: "${input:token}" } });
  expect(problems.map(({ message }) => message)).toEqual([
    "f: mcpServers.a: ${input:token} is not filled in: write ${NAME} or ${NAME:-default}",
  ]);
});
