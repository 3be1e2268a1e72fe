/** Other programs that use `runahead` as they find it on their path, and a model that answers by script. */

import { type ChildProcess, spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inject } from "vitest";
import {
  type ModelServer,
  type ScriptedAnswer,
  modelServer,
} from "../../../agent/test/support/model-server.ts";

const PROGRAM = inject("program");

export class Programs {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "runahead-embedding-")));
  readonly project = join(this.root, "project");
  readonly #servers: ModelServer[] = [];
  readonly #children: ChildProcess[] = [];

  constructor() {
    for (const folder of ["bin", "home", "project/.git"])
      mkdirSync(join(this.root, folder), { recursive: true });
    writeFileSync(join(this.project, "a.txt"), "hello\n");
    this.#command("runahead", `exec ${process.execPath} ${PROGRAM} "$@"`);
    // In place of the one that would fetch the package.
    this.#command("npx", `[ "$1 $2" = "--yes runahead@latest" ] || exit 99\nshift 2\nexec runahead "$@"`);
  }

  async start(command: readonly [string, ...string[]], answers: readonly ScriptedAnswer[], env: object = {}) {
    const server = await modelServer(...answers);
    this.#servers.push(server);
    const [file, ...args] = command;
    const child = spawn(file, args, {
      cwd: this.project,
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        PATH: `${join(this.root, "bin")}:${process.env["PATH"]}`,
        HOME: join(this.root, "home"),
        ANTHROPIC_API_KEY: "key",
        ANTHROPIC_BASE_URL: server.url,
        ...env,
      },
    });
    this.#children.push(child);
    let [out, error] = ["", ""];
    child.stdout.on("data", (piece: Buffer) => (out += piece.toString()));
    child.stderr.on("data", (piece: Buffer) => (error += piece.toString()));
    const ended = new Promise<{ code: number | null; out: string; error: string }>((resolve) =>
      child.on("close", (code) => resolve({ code, out, error })),
    );
    return { child, server, ended };
  }

  async close(): Promise<void> {
    for (const child of this.#children) child.kill("SIGKILL");
    await Promise.all(this.#servers.map((server) => server.close()));
    rmSync(this.root, { recursive: true, force: true });
  }

  #command(name: string, script: string): void {
    const path = join(this.root, "bin", name);
    writeFileSync(path, `#!/bin/sh\n${script}\n`);
    chmodSync(path, 0o755);
  }
}
