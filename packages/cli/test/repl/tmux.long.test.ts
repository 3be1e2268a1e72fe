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
/** No ruler is longer, and none of the input line in a low window. */
const MOST_RULE = 80;
const LOW_RULE = 20;
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
    const [most, low] = [MOST_RULE, LOW_RULE].map((rule) => Math.min(columns, rule));
    const ruler = new RegExp(`^(?:(?=.{${most}}$).*─|─{${low}})$`, "m");
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

const WORDS = Array.from({ length: 90 }, (_, at) => `word${at}`).join(" ");
const ITEMS = Array.from({ length: 15 }, (_, at) => `- item ${at} of the list, with some more words`).join(
  "\n",
);

test.each([
  ["a short answer", "Done."],
  ["a long answer", `${WORDS}\n\n${ITEMS}\n\n${WORDS}`],
])("after %s, a window that shrinks in one step, down to 20 columns, leaves nothing", async (_, answer) => {
  for (const [from, rows] of [
    [200, 50],
    [80, 24],
    [80, 12],
  ] as const) {
    const pane = new Pane("go on", from, rows);
    (await tested.model.asked()).says(answer);
    await pane.sees((text) => /context \d/.test(text) && !text.includes("Working"));
    for (const columns of [60, 40, 30, 20]) {
      pane.resize(columns, rows);
      await pause(SETTLED_MS);
      pane.resize(from, rows);
      await pause(SETTLED_MS);
      const text = await pane.sees((one) => /context \d/.test(one));
      expect(
        [countOf(text, "Default mode"), text.match(/^─+$/gm)?.length, countOf(text, "context ")],
        text,
      ).toEqual([1, 1, 1]);
      expect(countOf(text, "› go on"), text).toBe(1);
    }
  }
});

test("while text streams, it is in the scrollback once, whatever the size of the window was", async () => {
  const pane = new Pane("go on", 80, 24);
  const answering = await tested.model.asked();
  answering.send({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
  const words = Array.from({ length: 240 }, (_, at) => `word${at}`);
  const whole = words.join("");
  for (const columns of [80, 20, 80, 40, 80, 30]) {
    const text = `${words.splice(0, 40).join(" ")} `;
    answering.send({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
    const last = text.trim().split(" ").at(-1) ?? "";
    await pane.sees((one) => one.includes(last));
    pane.resize(columns, 24);
    await pause(SETTLED_MS);
  }
  answering.send({ type: "content_block_stop", index: 0 });
  answering.ends("end_turn");
  pane.resize(80, 24);
  const text = await pane.sees((one) => /context \d/.test(one) && !one.includes("Working"));
  // tmux can split a row that it wrapped while the alternate screen was shown.
  expect(countOf(text.replaceAll(/\s/g, ""), whole), text).toBe(1);
  expect(countOf(text, "word0 "), text).toBe(1);
  expect([countOf(text, "Default mode"), countOf(text, "context ")]).toEqual([1, 1]);
});
