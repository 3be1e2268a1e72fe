import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentEvent } from "@runahead/harness";
import { afterEach, expect, test, vi } from "vitest";
import { terminalOf } from "../../test/support/terminal.ts";
import { HOSTILE, steeringIn } from "../../test/support/hostile.ts";
import { App } from "./app.ts";
import type { Conversation } from "./transcript/conversation.ts";
import { neutralise, reveal, safeJson, strip } from "../shared/safe-text.ts";
import { questionAbout } from "./panels/trust-question.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** The program on a screen that keeps what is written to it. */
class Shown {
  readonly app: App;
  written = "";
  #resize = (): void => {};
  #press: (data: string) => void = () => {};

  constructor(columns: number, name: string) {
    const root = mkdtempSync(join(tmpdir(), "runahead-hostile-"));
    folders.push(root);
    const terminal = terminalOf({
      columns,
      rows: 30,
      start: (press, resize) => {
        this.#press = press;
        this.#resize = resize;
      },
      write: (bytes) => (this.written += bytes),
    });
    const world = { cwd: root, home: root, env: {}, print: () => {}, complain: () => {} };
    this.app = new App(world, terminal);
    const queued = { waiting: [`queued ${name}`], unsent: [`not sent ${name}`] };
    const agent = { messages: [], ...queued, interrupt: () => {}, takeBack: () => [] };
    const settings = {
      cwd: name,
      root,
      isTrusted: false,
      sources: [],
      hooks: [],
      problems: [],
      other: new Map(),
    };
    const made = { agent, settings, model: { name }, gate: { mode: name }, session: undefined };
    this.app.begin({ made, resumeId: undefined } as unknown as Conversation);
  }

  press(data: string): void {
    this.#press(data);
  }

  async draws(): Promise<void> {
    const { length } = this.written;
    this.#resize();
    this.app.listeners.onNotice("drawn");
    await vi.waitFor(() => expect(this.written.length).toBeGreaterThan(length), {
      interval: 5,
      timeout: 60_000,
    });
  }
}

function events(text: string): AgentEvent[] {
  const call = { callId: text, toolName: text };
  const input = { command: text, file_path: text, [text]: text };
  const output = { tasks: [{ id: "1", subject: text, description: text, status: "pending" }], said: text };
  const inner = { type: "call-arrived", ...call, input, description: text };
  return [
    // In pieces, as a stream cuts it.
    ...[...text.slice(0, 300)].map((piece) => ({ type: "text", text: piece })),
    { type: "text", text: `\n\n# ${text}\n\n- [${text}](${text})\n\n\`\`\`${text}\n${text}\n\`\`\`\n\n` },
    { type: "call-arriving", ...call, preview: () => input },
    { type: "call-arrived", ...call, input, description: text },
    { type: "call-started", ...call },
    { type: "call-progress", ...call, data: { type: "output", content: text } },
    { type: "call-progress", ...call, data: { type: "status", message: text } },
    { type: "agent-event", ...call, agentId: text, agentType: text, event: inner },
    { type: "call-settled", ...call, outcome: { type: "succeeded", content: text }, output },
    ...["failed", "denied", "aborted"].flatMap((type) => [
      { type: "call-arrived", callId: `${type}${text}`, toolName: text, input, description: text },
      {
        type: "call-settled",
        callId: `${type}${text}`,
        toolName: text,
        outcome: {
          type,
          message: text,
          by: text,
          reason: text,
          cause: { kind: text },
          effect: "unknown",
          ranMs: 1,
          output: text,
        },
        output: undefined,
      },
    ]),
    { type: "notice", message: text },
    { type: "prompt-attached", prompt: [{ type: "text", text: `<file path="${text}">` }] },
    { type: "retry", attempt: 1, attempts: 10, waitMs: 1, error: new Error(text) },
    { type: "ended", result: { reason: "error", detail: text } },
  ] as AgentEvent[];
}

test.each(HOSTILE.map((text, at) => [at, text] as const))(
  "class 11: hostile text %i has no effect on the screen, wherever it comes from",
  async (_at, text) => {
    const shown = new Shown(text.length % 2 === 0 ? 80 : 40, text);
    await shown.draws();
    for (const event of events(text)) {
      shown.app.listeners.onEvent(event);
      if (event.type !== "text") await shown.draws();
    }
    shown.app.listeners.onNotice(text);
    const signal = new AbortController().signal;
    const asked = shown.app.listeners.askPerson?.({
      callId: "1",
      toolName: text,
      input: { command: text, [text]: [text] },
      description: text,
      reason: text,
      choices: [{ label: text, rules: [text], scopes: ["session", "always"] }],
      from: text,
      waiting: 0,
      signal,
    });
    await shown.draws();
    shown.press("\u001b");
    expect(await asked).toEqual({ type: "no" });
    const questions = [{ question: text, header: text, options: [{ label: text, description: text }] }];
    const answer = shown.app.listeners.askUser?.(questions, signal);
    await shown.draws();
    shown.press("\u001b");
    await answer;
    const kinds = [{ title: "Hooks", noun: "hook", items: [text], grants: true }];
    const chosen = shown.app.choose(questionAbout({ root: text, kinds }));
    await shown.draws();
    shown.press("\u001b");
    await chosen;
    shown.press(`\u001b[200~${text.replaceAll("\u001b", "")}\u001b[201~`);
    await shown.draws();
    shown.app.leave(0);
    await shown.app.close();
    shown.app.end();
    expect(steeringIn(shown.written)).toBe(undefined);
    // Only our own titles, with the name of the folder and the state.
    for (const title of shown.written.split("\u001b]").slice(1))
      expect(title).toMatch(/^0;runahead · [\w-]+ · (?:ready|working|needs you)\p{Cc}/u);
  },
);

test("class 11: text is safe after each cleaning function, and JSON means the same", () => {
  for (const text of HOSTILE) {
    const lines = (shown: string): string => shown.replaceAll(/[\n\t]/g, "");
    for (const safe of [strip, reveal, neutralise]) expect(steeringIn(lines(safe(text)))).toBe(undefined);
    const json = safeJson({ [text]: [text] }, 2);
    expect(steeringIn(lines(json))).toBe(undefined);
    expect(JSON.parse(json)).toEqual({ [text]: [text] });
  }
});

test("class 11: a sequence that never ends hides nothing of what follows it", () => {
  expect(strip("before \u001b]0;never ended\nafter")).toBe("before 0;never ended\nafter");
  expect(neutralise("a\u001b[8mb\tc\r\nd\u202e")).toBe("a\\u{1b}[8mb\tc\nd\\u{202e}");
});
