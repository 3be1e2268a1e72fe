/** Real hook scripts in folders of their own, and a look at whether any process of theirs is left. */

import { randomUUID } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { chmod, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHooks } from "../../src/hooks/hooks.ts";
import type { HookRunner, HooksOptions } from "../../src/hooks/hook-runner.ts";

const HEADS = {
  sh: "#!/bin/sh\n",
  node: `#!${process.execPath}\n`,
  python: "#!/usr/bin/env python3\n",
} as const;

export interface Workplace {
  readonly folder: string;
  readonly notices: string[];
  /** Writes a program and gives its path. */
  script(language: keyof typeof HEADS, text: string): Promise<string>;
  /** The hooks of a trusted settings file. */
  hooks(hooks: unknown, more?: Partial<HooksOptions>): HookRunner;
  read(name: string): Promise<string>;
  /** Closes everything; gives the processes that are left all the same. */
  leave(): Promise<readonly string[]>;
}

export async function newWorkplace(): Promise<Workplace> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "hooks-")));
  const mark = `HOOK_TEST=${randomUUID()}`;
  const before = new Set(descendants());
  const notices: string[] = [];
  const runners: HookRunner[] = [];
  let scripts = 0;
  return {
    folder,
    notices,
    script: async (language, text) => {
      const path = join(folder, `${language}-${++scripts}`);
      await writeFile(path, HEADS[language] + text);
      await chmod(path, 0o755);
      return path;
    },
    hooks: (hooks, more = {}) => {
      const runner = createHooks({
        configs: [{ source: "settings.json", root: folder, trusted: true, hooks }],
        cwd: folder,
        projectDir: folder,
        env: { ...process.env, HOOK_TEST: mark.slice("HOOK_TEST=".length) },
        sessionId: "session-1",
        transcriptPath: join(folder, "session-1.jsonl"),
        permissionMode: () => "default",
        onNotice: (message) => notices.push(message),
        ...more,
      });
      runners.push(runner);
      return runner;
    },
    read: (name) => readFile(join(folder, name), "utf8"),
    leave: async () => {
      await Promise.all(runners.map((runner) => runner.close()));
      const left = [...marked(mark), ...descendants().filter((pid) => !before.has(pid))].map(describe);
      await rm(folder, { recursive: true, force: true });
      return left;
    },
  };
}

/** Settings with one group of commands for one event. */
export function commands(event: string, ...entries: (string | object)[]) {
  const hooks = entries.map((entry) =>
    typeof entry === "string" ? { type: "command", command: entry } : { type: "command", ...entry },
  );
  return { [event]: [{ hooks }] };
}

/** The processes that carry this mark, wherever they have gone; those that are dead do not count. */
export function marked(mark: string): number[] {
  return processes().filter((pid) => read(`/proc/${pid}/environ`).split("\0").includes(mark) && isAlive(pid));
}

function descendants(): number[] {
  const parents = new Map(processes().map((pid) => [pid, Number(fieldsOf(pid)[1])]));
  const isBelow = (pid: number): boolean => {
    const parent = parents.get(pid);
    return parent !== undefined && (parent === process.pid || isBelow(parent));
  };
  return [...parents.keys()].filter((pid) => isBelow(pid) && isAlive(pid));
}

function isAlive(pid: number): boolean {
  const [state = ""] = fieldsOf(pid);
  return state !== "" && state !== "Z" && state !== "X";
}

function describe(pid: number): string {
  return `${pid}: ${read(`/proc/${pid}/cmdline`).replaceAll("\0", " ")}`;
}

function fieldsOf(pid: number): string[] {
  const stat = read(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function processes(): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
