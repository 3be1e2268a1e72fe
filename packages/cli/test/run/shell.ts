/** `runahead -p` in a real process, with a folder and a home of its own, and a model that answers by script. */

import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { inject } from "vitest";
import {
  type ModelServer,
  type ScriptedAnswer,
  modelServer,
  sse,
} from "../../../agent/test/support/model-server.ts";
import { callBlock, messageEnd, messageStart, textBlock } from "../../../agent/test/support/responses.ts";
import { checkedLines } from "./stream-schema.ts";

const program = inject("program");
/** A program that hangs is ended; no test waits for it for ever. */
const MOST_MS = 25_000;

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly out: string;
  readonly error: string;
  /** Of stream-json and json: each fits the schema. */
  readonly lines: () => Record<string, unknown>[];
}

export interface Given {
  readonly args: readonly string[];
  readonly answers?: readonly ScriptedAnswer[];
  /** What is written to standard input, which then ends; "open": it never does. */
  readonly stdin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export class Shell {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "runahead-shell-")));
  readonly #servers: ModelServer[] = [];
  readonly #children: ChildProcess[] = [];

  constructor() {
    for (const folder of ["home", "project/.git"]) mkdirSync(join(this.root, folder), { recursive: true });
    this.write("project/a.txt", "hello\n");
  }

  /** A file below the root; gives its path. */
  write(name: string, content: string | object): string {
    const path = join(this.root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
    return path;
  }

  /** The program, begun; and the model's server, with what it was asked. */
  async start({ args, answers = [], stdin = "", env = {} }: Given) {
    const server = await modelServer(...answers);
    this.#servers.push(server);
    const child = spawn(process.execPath, [program, ...args], {
      cwd: join(this.root, "project"),
      env: {
        PATH: process.env["PATH"],
        HOME: join(this.root, "home"),
        ANTHROPIC_API_KEY: "key",
        ANTHROPIC_BASE_URL: server.url,
        ...env,
      },
    });
    this.#children.push(child);
    if (stdin !== "open") child.stdin.end(stdin);
    child.stdin.on("error", () => {});
    return { child, server, ended: endOf(child) };
  }

  async run(given: Given): Promise<Ended & { readonly server: ModelServer }> {
    const { server, ended } = await this.start(given);
    return { ...(await ended), server };
  }

  async close(): Promise<void> {
    for (const child of this.#children) if (child.exitCode === null) child.kill("SIGKILL");
    await Promise.all(this.#servers.map((server) => server.close()));
    rmSync(this.root, { recursive: true, force: true });
  }
}

function endOf(child: ChildProcess): Promise<Ended> {
  let [out, error] = ["", ""];
  child.stdout?.setEncoding("utf8").on("data", (piece: string) => (out += piece));
  child.stderr?.setEncoding("utf8").on("data", (piece: string) => (error += piece));
  const timer = setTimeout(() => child.kill("SIGKILL"), MOST_MS);
  return new Promise((resolve) =>
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      resolve({ code, signal, out, error, lines: () => checkedLines(out) });
    }),
  );
}

const response = (...events: readonly object[]): ScriptedAnswer => ({
  pieces: [sse([messageStart, ...events])],
});
export const said = (text: string): ScriptedAnswer =>
  response(...textBlock(0, text), ...messageEnd("end_turn"));
export const uses = (name: string, input: object, id = "toolu_1"): ScriptedAnswer => {
  const blocks = callBlock(0, id, JSON.stringify(input)).map((event) =>
    "content_block" in event
      ? { ...event, content_block: { ...(event.content_block as object), name } }
      : event,
  );
  return response(...blocks, ...messageEnd("tool_use"));
};
export const refused = (status: number, message: string): ScriptedAnswer => ({
  status,
  pieces: [JSON.stringify({ error: { message } })],
});
