import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { afterEach, beforeEach, expect, inject, test } from "vitest";
import { howToStart } from "../src/demo/own-model.ts";

const PROGRAM = inject("program");
/** The demo takes about twenty seconds, and more on a busy machine. */
const MOST_MS = 120_000;

let folder = "";
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "runahead-demo-test-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const ENV = (): Record<string, string> => ({
  PATH: process.env["PATH"] ?? "",
  HOME: folder,
  TMPDIR: folder,
  // Nobody listens there.
  OLLAMA_HOST: "127.0.0.1:1",
});

interface Ended {
  readonly code: number;
  readonly text: string;
}

/** Its output is a pipe. */
function inPipe(): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [PROGRAM, "demo"],
      { cwd: folder, env: ENV() },
      (_error, out, error) => resolve({ code: child.exitCode ?? -1, text: out + error }),
    );
    child.stdin?.end();
  });
}

/** It is at a terminal; what is pressed when something is seen. */
function atTerminal(
  args: readonly string[],
  presses: readonly (readonly [seen: string, key: string])[] = [],
) {
  const terminal = new xterm.Terminal({ cols: 100, rows: 30, scrollback: 1000, allowProposedApi: true });
  const pty = spawn(process.execPath, [PROGRAM, "demo", ...args], {
    name: "xterm-256color",
    cols: 100,
    rows: 30,
    cwd: folder,
    env: ENV(),
  });
  const waiting = [...presses];
  /** A line that the terminal has wrapped is one line: a long temporary folder makes paths longer than the screen. */
  const text = (): string => {
    const { active } = terminal.buffer;
    const lines = Array.from({ length: active.length }, (_, at) => {
      const isContinued = active.getLine(at + 1)?.isWrapped === true;
      return `${active.getLine(at)?.translateToString(!isContinued) ?? ""}${isContinued ? "" : "\n"}`;
    });
    return lines.join("");
  };
  terminal.onData((data) => pty.write(data));
  pty.onData((data) =>
    terminal.write(data, () => {
      const [next] = waiting;
      if (next === undefined || !text().includes(next[0])) return;
      waiting.shift();
      setTimeout(() => press(next), 600);
    }),
  );
  let isOver = false;
  /** A key that comes too early does not answer, so it is pressed again until the question is gone. */
  const press = ([seen, key]: readonly [string, string]): void => {
    if (isOver || !text().includes(seen)) return;
    pty.write(key);
    setTimeout(() => press([seen, key]), 1_500);
  };
  return new Promise<Ended>((resolve) =>
    pty.onExit(({ exitCode }) => {
      isOver = true;
      setTimeout(() => {
        resolve({ code: exitCode, text: text() });
        terminal.dispose();
      }, 200);
    }),
  );
}

/** The page that it names exists and shows the run. */
function checkLeft({ text }: Ended): void {
  const [, page = ""] = /Timeline of this run: (\S+)/.exec(text) ?? [];
  expect(readFileSync(page, "utf8")).toContain("src/discount.js");
}

test(
  "the demo fixes a failing test with real tools, in a pipe and at a terminal; a rejected edit leaves it failing",
  async () => {
    const [pipe, screen, refused] = await Promise.all([
      inPipe(),
      atTerminal([]),
      atTerminal(["--interactive"], [["Permission", "n"]]),
    ]);
    expect([pipe.code, screen.code, refused.code]).toEqual([0, 0, 1]);
    for (const part of [
      "→ Read test/cart.test.js",
      "    → Grep discounted|total",
      "? Allow this call? Run the tests",
      "✗ Bash",
      "✓ Edit",
      "✓ Bash",
      "Saved by running ahead: ",
      "Checked: the tests pass.",
      "To use your own model",
    ])
      expect(pipe.text).toContain(part);
    for (const part of [
      "explore: find users of discounted",
      "(cents * percent) / 100);",
      "saved by running ahead",
      "Checked: the tests pass.",
    ])
      expect(screen.text).toContain(part);
    checkLeft(pipe);
    checkLeft(screen);
    expect(refused.text).toContain("the tests still fail.");
    const left = readdirSync(folder).filter((name) => name.startsWith("runahead-demo-"));
    expect(left.filter((name) => !name.endsWith(".html"))).toEqual([]);
    expect(existsSync(join(folder, ".runahead"))).toBe(false);
  },
  MOST_MS,
);

test("a user with an API key or a local model reads how to start with it", async () => {
  const world = (env: Record<string, string>) => ({
    cwd: folder,
    home: folder,
    env,
    print: () => {},
    complain: () => {},
  });
  expect(await howToStart(world({ OPENAI_API_KEY: "key" }))).toContain(
    "OPENAI_API_KEY is set. Run `runahead`",
  );
  expect(await howToStart(world({ OLLAMA_HOST: "127.0.0.1:1" }))).toBeUndefined();
  const server = createServer((request, response) => {
    const isAsked = request.url === "/api/tags";
    response
      .writeHead(isAsked ? 200 : 404)
      .end(JSON.stringify({ models: isAsked ? [{ name: "qwen3:8b" }] : [] }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  expect(await howToStart(world({ OLLAMA_HOST: host }))).toBe(
    "Ollama is running. Run `runahead --model qwen3:8b` in your own project.",
  );
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
