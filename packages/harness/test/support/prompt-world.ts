/** A coding agent in a real repository, with a model's server on this machine that answers by script. */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import {
  type ModelServer,
  type ScriptedAnswer,
  modelServer,
  sse,
} from "../../../agent/test/support/model-server.ts";
import { messageEnd, messageStart, textBlock } from "../../../agent/test/support/responses.ts";
import { type CodingAgent, type CodingAgentOptions, codingAgent } from "../../src/compose/coding-agent.ts";

interface Block {
  readonly type: string;
  readonly text?: string;
}

interface Request {
  readonly system: readonly Block[];
  readonly tools: readonly { readonly name: string }[];
  readonly messages: readonly { readonly role: string; readonly content: string | readonly Block[] }[];
}

const MARK = "<system-reminder>\n";

export class PromptWorld {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "prompt-")));
  readonly project = join(this.root, "project");
  readonly home = join(this.root, "home");
  readonly #closers: (() => Promise<void>)[] = [];

  constructor() {
    for (const folder of [this.project, this.home]) mkdirSync(folder);
  }

  write(name: string, text: string): string {
    const path = join(this.project, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  }

  git(...args: readonly string[]): string {
    const own = ["-c", "user.name=x", "-c", "user.email=x@x", "-c", "init.defaultBranch=main"];
    return execFileSync("git", [...own, ...args], { cwd: this.project, encoding: "utf8", stdio: "pipe" });
  }

  /** A repository with one commit of everything that was written. */
  commitAll(): void {
    this.git("init", "-q");
    this.git("add", ".");
    this.git("commit", "-qm", "first commit");
  }

  /** The worktrees that sub-agents have now. */
  worktrees(): string[] {
    const below = (folder: string): string[] => {
      try {
        return readdirSync(folder).map((name) => join(folder, name));
      } catch {
        return [];
      }
    };
    const sessions = below(join(this.root, "runahead/projects")).flatMap(below);
    return sessions.flatMap((session) => below(join(session, "worktrees")));
  }

  get surroundings(): { cwd: string; home: string; env: Record<string, string | undefined> } {
    const env = { PATH: process.env["PATH"], HOME: this.home, RUNAHEAD_HOME: join(this.root, "runahead") };
    return { cwd: this.project, home: this.home, env };
  }

  async start(
    answers: readonly ScriptedAnswer[],
    options: CodingAgentOptions = {},
  ): Promise<CodingAgent & { readonly server: ModelServer }> {
    const server = await modelServer(...answers);
    const { env, ...folders } = this.surroundings;
    const keys = {
      ANTHROPIC_API_KEY: "key",
      ANTHROPIC_BASE_URL: server.url,
      RUNAHEAD_ALLOW_ROOT_BYPASS: "1",
    };
    const made = await codingAgent({ ...folders, env: { ...env, ...keys }, trust: true, ...options });
    this.#closers.push(
      () => made.close(),
      () => server.close(),
    );
    return { ...made, server };
  }

  async remove(): Promise<void> {
    for (const close of this.#closers) await close();
    rmSync(this.root, { recursive: true, force: true });
  }
}

export function says(text: string): ScriptedAnswer {
  return { pieces: [sse([messageStart, ...textBlock(0, text), ...messageEnd("end_turn")])] };
}

export function calls(name: string, input: object): ScriptedAnswer {
  const block = { type: "tool_use", id: `toolu_${Math.random()}`.replace(".", ""), name, input: {} };
  const delta = { type: "input_json_delta", partial_json: JSON.stringify(input) };
  const events = [
    messageStart,
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta },
    { type: "content_block_stop", index: 0 },
    ...messageEnd("tool_use"),
  ];
  return { pieces: [sse(events)] };
}

/** The requests as they were sent, without the marks for the cache, which move. */
export function requestsOf({ requests }: ModelServer): Request[] {
  return requests.map(
    ({ text }) =>
      JSON.parse(text, (key, value: unknown) => (key === "cache_control" ? undefined : value)) as Request,
  );
}

export function systemOf({ system }: Request): string {
  return system.map(({ text }) => text).join("");
}

/** The texts of all reminders that a request contains, in order. */
export function remindersIn({ messages }: Request): string[] {
  return messages
    .flatMap(({ role, content }) => (role === "user" && typeof content !== "string" ? content : []))
    .flatMap(({ type, text = "" }) => (type === "text" && text.startsWith(MARK) ? [text] : []))
    .map((text) => text.slice(MARK.length).replace(/\n<\/system-reminder>$/, ""));
}
