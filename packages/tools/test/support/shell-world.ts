/** A folder, and the shell tools of one agent in it, run by the real executor, turn after turn. */

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CanUseTool, StreamingToolExecutor } from "@runahead/engine";
import { expect } from "vitest";
import { type ShellTools, type ShellToolsOptions, shellTools } from "../../src/shell/bash-tools.ts";

/** In the environment of everything that a test starts. */
const TEST_MARK = "RUNAHEAD_TEST_WORLD";

export interface Answer {
  readonly text: string;
  readonly isError: boolean;
  readonly progress: readonly string[];
}

export class ShellWorld {
  readonly folder: string;
  readonly root: string;
  readonly home: string;
  readonly outputFolder: string;
  readonly mark: string;
  readonly shell: ShellTools;
  cwd: string;
  /** Judges every call; without one, all are allowed. */
  canUseTool: CanUseTool | undefined;
  #calls = 0;

  private constructor(folder: string, options: Partial<ShellToolsOptions>) {
    this.folder = folder;
    this.root = join(folder, "project");
    this.home = join(folder, "home");
    this.outputFolder = join(folder, "outputs");
    this.mark = folder;
    this.cwd = this.root;
    this.shell = shellTools({
      root: this.root,
      home: this.home,
      outputFolder: this.outputFolder,
      env: process.env,
      addedEnv: { [TEST_MARK]: folder },
      ...options,
    });
  }

  static async make(options: Partial<ShellToolsOptions> = {}): Promise<ShellWorld> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "shell-world-")));
    await mkdir(join(folder, "project"));
    return new ShellWorld(folder, options);
  }

  /** One call, as a turn of its own. */
  async call(name: string, input: object, options: { signal?: AbortSignal } = {}): Promise<Answer> {
    const [answer] = await this.turn([[name, input]], options);
    return answer as Answer;
  }

  bash(command: string, more: object = {}): Promise<Answer> {
    return this.call("Bash", { command, ...more });
  }

  /** The calls of one turn; the working directory goes on to the next. */
  async turn(
    calls: readonly (readonly [string, object])[],
    options: { signal?: AbortSignal; onOutput?: (text: string) => void } = {},
  ): Promise<Answer[]> {
    const { onOutput, ...rest } = options;
    const { tools } = this.shell;
    const { canUseTool } = this;
    const judge = canUseTool === undefined ? {} : { canUseTool };
    const executor = new StreamingToolExecutor({ tools, context: { cwd: this.cwd }, ...judge, ...rest });
    const ids = calls.map(([name, input]) => {
      const id = `call_${++this.#calls}`;
      executor.add({ id, name, input });
      return id;
    });
    executor.end({ ok: true });
    const answers = new Map<string, Answer>();
    const progress = new Map<string, string[]>(ids.map((id) => [id, []]));
    for await (const update of executor.remaining()) {
      const said = progress.get(update.callId) ?? [];
      if (update.type === "result") {
        const { content, is_error: isError } = update.result;
        answers.set(update.callId, { text: String(content), isError, progress: said });
      } else {
        const { content } = update.data as { content: string };
        said.push(content);
        onOutput?.(content);
      }
    }
    this.cwd = executor.context.cwd;
    return ids.map((id) => answers.get(id) as Answer);
  }

  /** What was started here and lives. */
  living(): string[] {
    return living(`${TEST_MARK}=${this.mark}`);
  }

  async close(): Promise<void> {
    await this.shell.close();
    await rm(this.folder, { recursive: true, force: true });
  }
}

const worlds: ShellWorld[] = [];

export async function makeWorld(options: Partial<ShellToolsOptions> = {}): Promise<ShellWorld> {
  const world = await ShellWorld.make(options);
  worlds.push(world);
  return world;
}

/** After each test: closes its worlds, and fails if something that it started still lives. */
export async function nothingLeft(): Promise<void> {
  for (const world of worlds.splice(0)) {
    await world.shell.close();
    expect(world.living()).toEqual([]);
    await world.close();
  }
}

/** Command lines of the processes that have this in their environment. */
export function living(variable: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && read(`/proc/${name}/environ`).split("\0").includes(variable))
    .filter((name) => !/\) [ZX] /.test(read(`/proc/${name}/stat`)))
    .map((name) => read(`/proc/${name}/cmdline`).replaceAll("\0", " ").trim());
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

export const isThere = (path: string) => (): boolean => existsSync(path);
