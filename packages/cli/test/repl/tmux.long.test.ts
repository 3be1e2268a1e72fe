/** Windows that shrink and grow in a real tmux, and what is left in its scrollback. */

import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { afterEach, expect, inject, test } from "vitest";
import { programs } from "./programs.ts";
import { newFolder, pause } from "./terminal.ts";

const tested = programs();
const PROGRAM = inject("program");
const MOST_MS = 60_000;
const SETTLED_MS = 500;
const sockets: string[] = [];

afterEach(() => {
  for (const socket of sockets.splice(0)) execFileSync("tmux", ["-S", socket, "kill-server"]);
});

class Pane {
  readonly #socket: string;

  constructor(prompt: string, columns = 80, rows = 24) {
    const folder = newFolder();
    this.#socket = join(folder, "tmux");
    sockets.push(this.#socket);
    const env = {
      HOME: join(folder, "home"),
      ANTHROPIC_API_KEY: "test-key",
      ANTHROPIC_BASE_URL: tested.model.url,
    };
    const set = Object.entries(env).map(([name, value]) => `${name}=${value}`);
    const words = prompt === "" ? [] : [prompt];
    const program = [process.execPath, PROGRAM, "--allowedTools", "Bash(sleep:*),Bash(seq:*)", ...words];
    const command = ["env", ...set, ...program].map((word) => `'${word}'`).join(" ");
    const size = ["-x", String(columns), "-y", String(rows), "-c", join(folder, "project")];
    this.#tmux("-f", "/dev/null", "new-session", "-d", "-s", "test", ...size, command);
    this.#tmux("set", "-g", "window-size", "manual");
  }

  #tmux(...args: readonly string[]): string {
    return execFileSync("tmux", ["-S", this.#socket, ...args], { encoding: "utf8" });
  }

  /** Scrollback and screen. Wrapped lines are joined. */
  text(): string {
    return this.#tmux("capture-pane", "-t", "test", "-p", "-J", "-S", "-");
  }

  press(key: string): void {
    this.#tmux("send-keys", "-t", "test", key);
  }

  resize(columns: number, rows: number): void {
    this.#tmux("resize-window", "-t", "test", "-x", String(columns), "-y", String(rows));
  }

  async sees(isSeen: (text: string) => boolean): Promise<string> {
    const deadline = Date.now() + MOST_MS;
    for (;;) {
      const text = this.text();
      if (isSeen(text)) return text;
      if (Date.now() > deadline) throw new Error(`Not seen:\n${text}`);
      await pause(50);
    }
  }

  /** The screen has been drawn for this width, and a person could have seen it. */
  async drawn(columns: number): Promise<string> {
    const ruler = new RegExp(`^(?=.{${columns}}$).*─$`, "m");
    await this.sees((text) => ruler.test(text));
    await pause(SETTLED_MS);
    return this.text();
  }
}

const SIZES = [
  [40, 24],
  [80, 12],
  [40, 12],
  [20, 8],
  [80, 24],
] as const;
const countOf = (text: string, what: string): number => text.split(what).length - 1;

const LONG = `npm publish && ${"rm -rf build/with/a/long/path/so/that/it/wraps && ".repeat(4)}true`;
test.each([
  ["a question", ["Bash", { command: LONG, description: "Publish" }], "Permission"],
  ["running commands", ["Bash", { command: "seq 100000000000 100000000030; sleep 4000" }], "Working"],
  [
    "a choice",
    [
      "AskUser",
      {
        questions: [
          {
            question: "Which database?",
            header: "Database",
            options: [{ label: "Postgres" }, { label: "SQLite" }],
          },
        ],
      },
    ],
    "Database",
  ],
] as const)("%s: no size of the window leaves a row of it in the scrollback", async (_, call, mark) => {
  const pane = new Pane("go on");
  (await tested.model.asked()).calls([call[0], call[1]]);
  await pane.sees((text) => text.includes(mark));
  for (const [columns, rows] of SIZES) {
    pane.resize(columns, rows);
    const text = await pane.drawn(columns);
    expect([countOf(text, mark) <= 1, countOf(text, "context ") <= 1], text).toEqual([true, true]);
  }
  pane.press("Escape");
  if (call[0] === "AskUser") (await tested.model.asked()).says("Stopped without an answer.");
  const end = await pane.sees(
    (text) => /Stopped|Interrupted/.test(text) && /context \d/.test(text) && !text.includes("Working"),
  );
  expect([countOf(end, "context "), countOf(end, "? for keys"), countOf(end, "› go on")], end).toEqual([
    1, 1, 1,
  ]);
  expect(end).not.toMatch(/Permission ─|Esc to skip|Esc to interrupt|waiting for/);
});

test("a new session in a wide window that shrinks in one step, down to 20 columns, leaves no rulers", async () => {
  const pane = new Pane("", 200, 50);
  await pane.sees((text) => text.includes("? for keys") && text.includes("context 0 %"));
  for (const [columns, rows] of [
    [40, 50],
    [200, 50],
    [40, 12],
    [200, 50],
    [66, 25],
    [200, 50],
    [30, 50],
    [200, 50],
    [20, 12],
    [200, 50],
  ] as const) {
    pane.resize(columns, rows);
    const text = await pane.drawn(columns);
    expect(
      [countOf(text, "Default mode"), text.match(/^─+$/gm)?.length, countOf(text, "context 0")],
      text,
    ).toEqual([1, 1, 1]);
  }
});
