/** An editor for tests: the protocol's own client, on the pipes of a real process. */

import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable, Writable } from "node:stream";
import {
  type AvailableCommand,
  type ClientApp,
  type ClientCapabilities,
  type ClientConnection,
  type ContentBlock,
  type McpServer,
  type NewSessionResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
  type StopReason,
  client,
  methods,
  ndJsonStream,
} from "@agentclientprotocol/sdk";
import { inject } from "vitest";

const PROGRAM = inject("program");
const MOST_MS = 15_000;

export type Answer = (
  request: RequestPermissionRequest,
) => RequestPermissionResponse | Promise<RequestPermissionResponse>;

export interface Given {
  /** The model's server; without one there is no key. */
  readonly url?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Where an earlier program was. */
  readonly folder?: string;
  readonly capabilities?: ClientCapabilities;
  /** More methods that the editor answers. */
  readonly serve?: (app: ClientApp) => void;
  /** Of every question; without it none is answered. */
  readonly answer?: Answer;
}

export const choose =
  (optionId: string): Answer =>
  () => ({ outcome: { outcome: "selected", optionId } });

export class Editor {
  readonly folder: string;
  readonly child: ChildProcessWithoutNullStreams;
  readonly connection: ClientConnection;
  readonly updates: (SessionUpdate & { readonly sessionId: string })[] = [];
  /** Each list of commands that came. */
  readonly commands: AvailableCommand[][] = [];
  readonly questions: RequestPermissionRequest[] = [];
  /** Its exit code, or the signal that it died of. */
  readonly ended: Promise<number | string>;
  printed = "";
  complained = "";

  constructor(given: Given) {
    const { answer } = given;
    this.folder = given.folder ?? newFolder();
    this.child = startProgram({ ...given, folder: this.folder });
    this.child.stderr.on("data", (piece: Buffer) => (this.complained += piece.toString()));
    this.child.stdout.on("data", (piece: Buffer) => (this.printed += piece.toString()));
    this.child.stdin.on("error", () => {});
    this.ended = once(this.child, "close").then(([code, signal]) => (code ?? signal) as number | string);
    const app = client({ name: "test" });
    given.serve?.(app);
    this.connection = app
      .onNotification(methods.client.session.update, ({ params: { sessionId, update } }) => {
        if (update.sessionUpdate === "available_commands_update")
          this.commands.push(update.availableCommands);
        else this.updates.push({ ...update, sessionId });
      })
      .onRequest(methods.client.session.requestPermission, ({ params }) => {
        this.questions.push(params);
        return answer === undefined ? new Promise(() => {}) : answer(params);
      })
      .connect(
        ndJsonStream(
          Writable.toWeb(this.child.stdin) as WritableStream<Uint8Array>,
          Readable.toWeb(this.child.stdout) as ReadableStream<Uint8Array>,
        ),
      );
  }

  static async open(given: Given = {}): Promise<Editor> {
    const editor = new Editor(given);
    const { capabilities = {} } = given;
    await editor.agent.request("initialize", { protocolVersion: 1, clientCapabilities: capabilities });
    return editor;
  }

  get agent() {
    return this.connection.agent;
  }

  get project(): string {
    return join(this.folder, "project");
  }

  newSession(cwd = this.project, mcpServers: McpServer[] = []): Promise<NewSessionResponse> {
    return this.agent.request("session/new", { cwd, mcpServers });
  }

  say(sessionId: string, text: string): Promise<StopReason> {
    return this.prompt(sessionId, { type: "text", text });
  }

  async prompt(sessionId: string, ...prompt: ContentBlock[]): Promise<StopReason> {
    const { stopReason } = await this.agent.request("session/prompt", { sessionId, prompt });
    return stopReason;
  }

  cancel(sessionId: string): Promise<void> {
    return this.agent.notify("session/cancel", { sessionId });
  }

  /** The text of what came as chunks of a kind. */
  text(
    kind: "agent_message_chunk" | "agent_thought_chunk" | "user_message_chunk",
    sessionId?: string,
  ): string {
    return this.updates
      .filter((update) => sessionId === undefined || update.sessionId === sessionId)
      .map((update) =>
        update.sessionUpdate === kind && update.content.type === "text" ? update.content.text : "",
      )
      .join("");
  }

  /** All updates about one call, in order. */
  callUpdates(toolCallId: string) {
    return this.updates.flatMap((update) =>
      (update.sessionUpdate === "tool_call" || update.sessionUpdate === "tool_call_update") &&
      update.toolCallId === toolCallId
        ? [update]
        : [],
    );
  }

  /** Waits until it is so. */
  async sees(isThere: () => boolean): Promise<void> {
    const deadline = Date.now() + MOST_MS;
    while (!isThere()) {
      if (Date.now() > deadline)
        throw new Error(`Not seen.\n${JSON.stringify(this.updates, null, 1)}\n${this.complained}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** Leaves as an editor does, and waits for the program to end. */
  async leave(): Promise<number | string> {
    this.child.stdin.end();
    return this.ended;
  }

  async end({ keepsFolder = false } = {}): Promise<void> {
    this.child.kill("SIGKILL");
    await this.ended;
    this.connection.close();
    if (!keepsFolder) rmSync(this.folder, { recursive: true, force: true });
  }
}

export function startProgram(given: Given & { readonly folder: string }): ChildProcessWithoutNullStreams {
  const { url, args = [], env = {}, folder } = given;
  return spawn(process.execPath, [PROGRAM, "acp", ...args], {
    cwd: folder,
    env: {
      PATH: process.env["PATH"],
      HOME: join(folder, "home"),
      ...(url === undefined ? {} : { ANTHROPIC_API_KEY: "key", ANTHROPIC_BASE_URL: url }),
      ...env,
    },
  });
}

export function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "runahead-acp-")));
  for (const name of ["home", "project/.git"]) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, "project", "a.txt"), "hello\nworld\n");
  return folder;
}
