import { afterAll, expect, test } from "vitest";
import { Shell, said } from "./shell.ts";

const shell = new Shell();
afterAll(() => shell.close());

const STREAM = ["--output-format", "stream-json"];
const SILENT = { command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"] };
const PRINTS_ENV = {
  command: process.execPath,
  args: [
    "-e",
    "require('fs').writeFileSync(process.env.OUT, [process.env.CLAUDE_PROJECT_DIR, process.env.MINE, process.env.ANTHROPIC_API_KEY].join())",
  ],
};

test("a server that never answers delays the first request by a few seconds, and does not fail the run", async () => {
  const config = JSON.stringify({ mcpServers: { silent: SILENT, gone: { command: "/no/such/program" } } });
  const { code, lines } = await shell.run({
    args: ["-p", "x", ...STREAM, "--mcp-config", config],
    answers: [said("Done.")],
  });
  const all = lines();
  const init = all.find(({ subtype }) => subtype === "init");
  expect([code, all.at(-1)?.["result"]]).toEqual([0, "Done."]);
  // The limit of a server's start is 30 s, and the test ends the program after 25 s.
  expect(init?.["mcp_servers"]).toEqual([
    { name: "silent", status: "pending" },
    { name: "gone", status: "failed" },
  ]);
  const notices = all.filter(({ subtype }) => subtype === "notice").map(({ message }) => message);
  expect(notices).toContain(
    "Still starting: MCP server silent. The first request goes out without its tools.",
  );
});

test("MCP_TIMEOUT limits the start of a server", async () => {
  const config = JSON.stringify({ mcpServers: { silent: SILENT } });
  const { lines } = await shell.run({
    args: ["-p", "x", ...STREAM, "--mcp-config", config],
    answers: [said("Done.")],
    env: { MCP_TIMEOUT: "300" },
  });
  const notices = lines().filter(({ subtype }) => subtype === "notice");
  expect(notices.map(({ message }) => String(message))).toEqual([
    expect.stringContaining("it did not answer within 0.3 s"),
  ]);
});

test("servers inherit the environment with CLAUDE_PROJECT_DIR, but not the keys of models", async () => {
  const out = `${shell.root}/env.txt`;
  const server = { ...PRINTS_ENV, env: { OUT: out } };
  const config = JSON.stringify({ mcpServers: { server } });
  await shell.run({
    args: ["-p", "x", ...STREAM, "--mcp-config", config],
    answers: [said("Done.")],
    env: { MINE: "yes" },
  });
  const { readFileSync } = await import("node:fs");
  expect(readFileSync(out, "utf8")).toBe(`${shell.root}/project,yes,`);
});
