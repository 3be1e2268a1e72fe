import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { oauthServer } from "../../../mcp/test/support/oauth-server.ts";
import { main } from "../main.ts";

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "mcp-command-")));
  for (const folder of ["home", "project/.git"]) mkdirSync(join(root, folder), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function run(args: readonly string[], onPrint: (text: string) => void = () => {}) {
  const [out, errors]: [string[], string[]] = [[], []];
  const code = await main(args, {
    cwd: join(root, "project"),
    home: join(root, "home"),
    env: { RUNAHEAD_NO_BROWSER: "1", RUNAHEAD_KEYCHAIN: "0" },
    print: (text) => {
      out.push(text);
      onPrint(text);
    },
    complain: (text) => errors.push(text),
  });
  return { code, out: out.join("\n"), error: errors.join("\n") };
}

const json = (path: string): unknown => JSON.parse(readFileSync(join(root, path), "utf8"));

test("servers are added to each scope, listed with the strongest scope, shown and removed", async () => {
  await run(["mcp", "add", "docs", "-e", "A=1", "--", "docs-server", "--port", "1"]);
  await run(["mcp", "add", "-s", "user", "-H", "X-Key: k:1", "docs", "https://example.org/mcp"]);
  await run(["mcp", "add", "--scope", "project", "--transport", "sse", "events", "https://example.org/sse"]);
  await run(["mcp", "add-json", "raw", '{"command": "raw-server"}']);
  expect(json("home/.runahead/mcp.json")).toEqual({
    projects: {
      [join(root, "project")]: {
        mcpServers: {
          docs: { command: "docs-server", args: ["--port", "1"], env: { A: "1" } },
          raw: { command: "raw-server" },
        },
      },
    },
    mcpServers: { docs: { type: "http", url: "https://example.org/mcp", headers: { "X-Key": "k:1" } } },
  });
  expect(statSync(join(root, "home/.runahead/mcp.json")).mode & 0o777).toBe(0o600);
  expect((await run(["mcp", "list"])).out.split("\n")).toEqual([
    "docs (local): docs-server --port 1",
    "raw (local): raw-server",
    "events (project): https://example.org/sse (not started: the folder is not trusted)",
  ]);
  expect((await run(["mcp", "remove", "docs"])).out).toContain("(local)");
  expect((await run(["mcp", "get", "docs"])).out).toContain("scope: user");
  expect((await run(["mcp", "remove", "docs", "--scope", "project"])).code).toBe(2);
  expect((await run(["mcp", "get", "none"])).error).toContain("there is no MCP server named none");
  expect((await run(["mcp", "add-json", "odd", '{"type": "pigeon"}'])).code).toBe(2);
  expect((await run(["mcp", "add", "--transport", "http", "odd", "/mcp"])).error).toContain("not an address");
});

test("servers of ~/.claude.json are used: the user's, and those of this folder", async () => {
  const mine = { mcpServers: { mine: { command: "mine-server" } } };
  writeFileSync(
    join(root, "home/.claude.json"),
    JSON.stringify({
      mcpServers: { all: { command: "all-server" } },
      projects: { [join(root, "project")]: mine },
    }),
  );
  expect((await run(["mcp", "list"])).out).toBe("mine (local): mine-server\nall (user): all-server");
});

test("a server that replaces another one, and one that a stronger scope hides, are reported", async () => {
  await run(["mcp", "add", "docs", "-e", "TOKEN=secret", "one", "--", "-x"]);
  const again = await run(["mcp", "add", "docs", "two"]);
  const path = join(root, "home/.runahead/mcp.json");
  expect(again.out).toBe(`Replaced the MCP server docs (local) in ${path}. It was: one -x`);
  expect((await run(["mcp", "add", "-s", "user", "docs", "three"])).out.split("\n")).toEqual([
    `Added the MCP server docs (user) to ${path}.`,
    `It is not used here: docs (local) in ${path} comes first.`,
  ]);
  expect((await run(["mcp", "list"])).out).toBe("docs (local): two");
});

test("a server in a file of another program is not removed, and the file is named", async () => {
  const file = join(root, "home/.claude.json");
  writeFileSync(file, JSON.stringify({ mcpServers: { all: { command: "all-server" } } }));
  expect(await run(["mcp", "remove", "all"])).toMatchObject({
    code: 2,
    error: expect.stringContaining(`all is defined in ${file}, a file of another program`) as string,
  });
});

test("login keeps the tokens in a private file, and logout removes them; a server of an untrusted folder is refused", async () => {
  const server = await oauthServer();
  try {
    await run(["mcp", "add", "safe", server.url]);
    const { code, out } = await run(["mcp", "login", "safe"], (text) => {
      const [, url] = /(http:\/\/\S+\/authorize\S*)/.exec(text) ?? [];
      if (url !== undefined) void fetch(url);
    });
    expect([code, out]).toEqual([0, expect.stringContaining("Logged in at safe.") as string]);
    expect(statSync(join(root, "home/.runahead/mcp-credentials.json")).mode & 0o777).toBe(0o600);
    expect((await run(["mcp", "get", "safe"])).out).toContain("login: saved");
    await run(["mcp", "logout", "safe"]);
    expect(json("home/.runahead/mcp-credentials.json")).toEqual({ servers: {} });
    await run(["mcp", "add", "--scope", "project", "theirs", server.url]);
    expect((await run(["mcp", "login", "theirs"])).error).toContain("not trusted");
  } finally {
    await server.close();
  }
});
