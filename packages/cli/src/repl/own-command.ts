/** `!command`: runs a command for the user. No permission rule applies. */

import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { truncateToWidth } from "@earendil-works/pi-tui";
import type { OwnOutput } from "./own-output.ts";
import type { Entry } from "./transcript/entry.ts";
import { lastLines, linesOf } from "./transcript/result-lines.ts";
import { bold, dim, red } from "./screen/style.ts";
import { oneLine } from "../shared/words.ts";

/** An absolute path, because a workspace in `PATH` could contain its own `bash`. */
export const SHELL = ["/bin/bash", "/usr/bin/bash"].find((path) => existsSync(path)) ?? "/bin/sh";
const KEPT_CHARS = 200_000;
const SHOWN_LINES = 200;
const LIVE_LINES = 8;

interface Place {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The model does not see its output. Default: false. */
  readonly isPrivate?: boolean;
  readonly onChange: () => void;
  readonly onEnd: (output: OwnOutput) => void;
}

export class OwnCommand implements Entry {
  readonly kind = "note";
  readonly #title: string;
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  #printed = "";
  #ending: string | undefined;

  constructor(command: string, { cwd, env, isPrivate = false, onChange, onEnd }: Place) {
    this.#title = `${isPrivate ? "!!" : "!"} ${oneLine(command)}`;
    // Its own process group, so that all of its processes can be stopped.
    this.#child = spawn(SHELL, ["-c", command], {
      cwd,
      env,
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.setEncoding("utf8");
      stream?.on("data", (text: string) => {
        this.#printed = (this.#printed + text).slice(-KEPT_CHARS);
        onChange();
      });
    }
    this.#ended = new Promise((resolve) => {
      const end = (words: string): void => {
        if (this.#ending === undefined) onEnd({ command, printed: this.#printed, failure: words });
        this.#ending ??= words;
        onChange();
        resolve();
      };
      this.#child.once("error", (error) => end(error.message));
      this.#child.once("close", (code, signal) =>
        end(code === 0 ? "" : signal === null ? `exit code ${code}` : `killed by ${signal}`),
      );
    });
  }

  get isFinished(): boolean {
    return this.#ending !== undefined;
  }

  /** Stops the command and everything it has started. */
  async stop(): Promise<void> {
    const { pid } = this.#child;
    if (pid !== undefined && !this.isFinished) {
      try {
        process.kill(-pid, "SIGKILL");
      } catch {
        // It has already exited.
      }
      this.#child.stdout?.destroy();
      this.#child.stderr?.destroy();
    }
    await this.#ended;
  }

  render(width: number): string[] {
    const lines = lastLines(linesOf(this.#printed), this.isFinished ? SHOWN_LINES : LIVE_LINES);
    const ending = this.#ending === undefined ? dim("running · Esc to stop") : red(this.#ending);
    const title = truncateToWidth(bold(this.#title), width, "…");
    return [
      title,
      ...lines.map((line) => truncateToWidth(line, width, "…")),
      ...(ending === "" ? [] : [ending]),
    ];
  }
}
