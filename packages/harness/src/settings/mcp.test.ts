import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { newWorld, removeWorlds } from "../../test/fixtures/settings/world.ts";
import { mcpServers } from "./mcp.ts";
import { trustIn } from "../trust/trust.ts";

afterEach(removeWorlds);

test("servers of every form are read, and an invalid one is ignored alone", async () => {
  const world = await newWorld();
  const path = await world.write("project/.mcp.json", {
    mcpServers: {
      plain: { command: "node", args: ["x.js"], env: { A: "1" } },
      typed: { type: "stdio", command: "uvx" },
      http: { type: "http", url: "https://example.org/mcp", headers: { "X-A": "b" }, timeout: 5000 },
      alias: { type: "streamable-http", url: "https://example.org/mcp" },
      bare: { url: "https://example.org/mcp" },
      sse: { type: "sse", url: "https://example.org/sse" },
      ws: { type: "ws", url: "wss://example.org" },
      registered: { url: "https://example.org/mcp", oauth: { clientId: "ours", callbackPort: 8080 } },
      wrong1: "node",
      wrong2: { args: [] },
      wrong3: { command: "x", args: 7 },
      wrong4: { command: "x", env: { A: ["1"] } },
      lenient: { command: "x", env: { A: 1, B: null }, timeout: "5000", cwd: "/x" },
      wrong5: { type: "carrier-pigeon" },
      wrong6: { type: "http", url: "https://example.org", timeout: "soon" },
      wrong7: { type: "sse" },
      wrong8: { command: "x", cwd: 7 },
    },
  });
  const { servers, problems } = await mcpServers({ ...world.options, isTrusted: true });
  const url = "https://example.org/mcp";
  const found = { path, trusted: true };
  const rest = { headers: {}, timeoutMs: undefined };
  expect(servers).toEqual([
    { name: "plain", ...found, server: { type: "stdio", command: "node", args: ["x.js"], env: { A: "1" } } },
    { name: "typed", ...found, server: { type: "stdio", command: "uvx", args: [], env: {} } },
    { name: "http", ...found, server: { type: "http", url, headers: { "X-A": "b" }, timeoutMs: 5000 } },
    { name: "alias", ...found, server: { type: "http", url, ...rest } },
    { name: "bare", ...found, server: { type: "http", url, ...rest } },
    { name: "sse", ...found, server: { type: "sse", url: "https://example.org/sse", ...rest } },
    { name: "ws", ...found, server: { type: "ws", url: "wss://example.org", ...rest } },
    {
      name: "registered",
      ...found,
      server: { type: "http", url, ...rest, oauth: { clientId: "ours", callbackPort: 8080 } },
    },
    {
      name: "lenient",
      ...found,
      server: { type: "stdio", command: "x", args: [], env: { A: "1" }, cwd: "/x", timeoutMs: 5000 },
    },
  ]);
  const isLost = ({ message }: { readonly message: string }): boolean => message.includes("is ignored");
  expect(problems.filter((one) => !isLost(one))).toEqual([]);
  expect(problems.filter(isLost).map(({ message }) => message)).toEqual(
    [
      "expected an object",
      "command: expected a string",
      "args: expected strings",
      "env: expected an object of strings",
      'type: expected stdio, http, sse or ws, found "carrier-pigeon"',
      "timeout: expected milliseconds",
      "url: expected a string",
      "cwd: expected a folder",
    ].map((words, index) => `${path}: mcpServers.wrong${index + 1}: ${words}; this server is ignored`),
  );
});

test("variables are filled in from the environment, then from their default; otherwise they stay, with a warning", async () => {
  const world = await newWorld();
  await world.write("project/.mcp.json", {
    mcpServers: {
      a: {
        command: "${BIN}/x",
        args: ["${NONE:-other}", "${EMPTY:-full}", "$BIN", "${EMPTY}"],
        env: { T: "${BIN}" },
      },
      b: { type: "http", url: "${URL:-http://localhost:1}/mcp", headers: { A: "Bearer ${TOKEN}" } },
    },
  });
  const env = { BIN: "/bin", EMPTY: "" };
  const { servers, problems } = await mcpServers({ ...world.options, env, isTrusted: true });
  expect(servers.map(({ server }) => server)).toEqual([
    { type: "stdio", command: "/bin/x", args: ["other", "full", "$BIN", ""], env: { T: "/bin" } },
    {
      type: "http",
      url: "http://localhost:1/mcp",
      headers: { A: "Bearer ${TOKEN}" },
      timeoutMs: undefined,
    },
  ]);
  expect(problems.map(({ message }) => message)).toEqual([
    `${join(world.project, ".mcp.json")}: mcpServers.b: the variable TOKEN is not set and has no default, so it stays as \${TOKEN}`,
  ]);
});

test("D17: servers of a folder that is not trusted are marked, and no variable goes into them", async () => {
  const world = await newWorld();
  const url = "https://example.org/${TOKEN}";
  await world.write("project/.mcp.json", { mcpServers: { a: { type: "http", url } } });
  const options = { ...world.options, env: { TOKEN: "secret" } };
  const found = async () =>
    (await mcpServers(options)).servers.map(({ trusted, server }) => [
      trusted,
      "url" in server && server.url,
    ]);
  expect(await found()).toEqual([[false, url]]);
  await trustIn(options).trust(world.project);
  expect(await found()).toEqual([[true, "https://example.org/secret"]]);
});

test("class 10: a trusted .mcp.json does not get the keys of models, unless the user passes them on", async () => {
  const world = await newWorld();
  const path = await world.write("project/.mcp.json", {
    mcpServers: {
      url: { type: "http", url: "http://localhost:1/${ANTHROPIC_API_KEY}" },
      header: { type: "http", url: "http://localhost:1", headers: { A: "${OPENAI_API_KEY}" } },
      env: { command: "x", args: ["${BRAVE_API_KEY:-none}"], env: { K: "${TOKEN}" } },
      own: { command: "x", env: { K: "${ANTHROPIC_API_KEY}" } },
    },
  });
  const env = { ANTHROPIC_API_KEY: "k1", OPENAI_API_KEY: "k2", BRAVE_API_KEY: "k3", TOKEN: "mine" };
  const where = { ...world.options, env, isTrusted: true };
  const { servers, problems } = await mcpServers(where);
  expect(servers.map(({ server }) => server)).toEqual([
    { type: "stdio", command: "x", args: ["none"], env: { K: "mine" } },
  ]);
  expect(problems.map(({ message }) => message)[0]).toBe(
    `${path}: mcpServers.url: ANTHROPIC_API_KEY is not passed on to MCP servers; to pass it on, name it in passEnv of your user settings; this server is ignored`,
  );
  const passed = await mcpServers({ ...where, passEnv: ["ANTHROPIC_API_KEY"] });
  expect(passed.servers.map(({ name }) => name)).toEqual(["url", "env", "own"]);
});

test("a missing file means no servers, and an unreadable one is reported", async () => {
  const world = await newWorld();
  expect(await mcpServers(world.options)).toEqual({ servers: [], problems: [] });
  const cases: [string, string][] = [
    [
      "{",
      "invalid JSON at line 1, column 2: expected a property name in double quotes, but the file ends here",
    ],
    ["[]", 'expected {"mcpServers": { … }}'],
    ['{"mcpServers": 1}', 'expected {"mcpServers": { … }}'],
  ];
  for (const [text, words] of cases) {
    const path = await world.write("project/.mcp.json", text);
    const { servers, problems } = await mcpServers(world.options);
    expect([servers, problems.map(({ message }) => message)]).toEqual([[], [`${path}: ${words}`]]);
  }
});
