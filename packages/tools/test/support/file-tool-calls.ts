/** Calls of the file tools on a real folder, through the real executor. */

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type AgentIdentity, type AnyTool, type Hooks, type ResultContent, runTools } from "@runahead/engine";
import { expect, onTestFinished } from "vitest";
import { fileTools } from "../../src/files/file-tools.ts";

export interface Answered {
  /** What the model reads, if it is text; of blocks their texts. */
  readonly text: string;
  readonly isError: boolean;
  readonly content: ResultContent;
  readonly output: unknown;
}

/** A folder of one test, gone after it. */
export class TestFolder {
  readonly path = realpathSync(mkdtempSync(join(tmpdir(), "runahead-tools-")));

  /** Must be called in a test. Test files share this module, so an `afterEach` here would work for the first one only. */
  constructor() {
    onTestFinished(() => this.#remove());
  }

  /** Nothing of ours may be left in a folder when its test is over: no open file, no process. */
  #remove(): void {
    const left = [...linksOf("/proc/self/fd"), ...runningIn()].filter((place) => place.startsWith(this.path));
    rmSync(this.path, { recursive: true, force: true });
    expect(left).toEqual([]);
  }

  at(name: string): string {
    return join(this.path, name);
  }

  write(name: string, content: string | Buffer): string {
    mkdirSync(dirname(this.at(name)), { recursive: true });
    writeFileSync(this.at(name), content);
    return this.at(name);
  }
}

function linksOf(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).flatMap((name) => linkOf(join(folder, name))) : [];
}

/** The working directories of all processes but this one. */
function runningIn(): string[] {
  const pids = existsSync("/proc") ? readdirSync("/proc").filter((name) => /^\d+$/.test(name)) : [];
  return pids.filter((pid) => pid !== String(process.pid)).flatMap((pid) => linkOf(`/proc/${pid}/cwd`));
}

function linkOf(path: string): string[] {
  try {
    return [readlinkSync(path)];
  } catch {
    return [];
  }
}

/** Who makes the calls, and what runs around them. */
interface Caller {
  readonly agent?: AgentIdentity;
  readonly hooks?: Hooks;
}

/** An agent's tools in a folder: each call is a turn of its own. */
export function agentIn(cwd: string, tools: readonly AnyTool[] = fileTools(), { agent, hooks }: Caller = {}) {
  let calls = 0;
  const context = agent === undefined ? { cwd } : { cwd, agent };
  return async (name: string, input: object, signal?: AbortSignal): Promise<Answered> => {
    const call = { id: `call-${++calls}`, name, input };
    const around = hooks === undefined ? {} : { hooks };
    const options = { tools, context, ...around, ...(signal === undefined ? {} : { signal }) };
    for await (const update of runTools([call], options)) {
      if (update.type !== "result") continue;
      const { content, is_error } = update.result;
      return { text: textOf(content), isError: is_error, content, output: update.output };
    }
    throw new Error("the call has no result");
  };
}

function textOf(content: ResultContent): string {
  if (typeof content === "string") return content;
  return content.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
}
