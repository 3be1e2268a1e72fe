/** The program in a real pseudo-terminal, its screen read by a terminal emulator, and a model that answers by script. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type IPty, spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { inject } from "vitest";
import { imagesAsText, styledText } from "./emulator.ts";

const PROGRAM = inject("program");
/** Far more than anything takes, so that a busy machine is not a failure. */
const MOST_MS = 60_000;
const JOB_CONTROL = 'set -m; "$@"; echo "the shell has the terminal"; read -r; fg';

export interface Given {
  readonly url: string;
  readonly prompt?: string;
  /** Before the prompt. */
  readonly args?: readonly string[];
  readonly columns?: number;
  readonly rows?: number;
  /** Where an earlier program was. */
  readonly folder?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Whether a shell with job control starts it. When it is stopped, Enter continues it. */
  readonly hasShell?: boolean;
}

export class Program {
  readonly folder: string;
  readonly #pty: IPty;
  readonly #terminal: InstanceType<typeof xterm.Terminal>;
  /** Its exit code; of a signal that it died of, 128 and its number. */
  readonly ended: Promise<number>;
  /** All that it has written. */
  written = "";

  constructor(given: Given) {
    const {
      url,
      prompt = "",
      args = [],
      columns = 100,
      rows = 30,
      folder,
      env = {},
      hasShell = false,
    } = given;
    this.folder = folder ?? newFolder();
    this.#terminal = new xterm.Terminal({ cols: columns, rows, scrollback: 5000, allowProposedApi: true });
    const command = [process.execPath, PROGRAM, ...args, ...(prompt === "" ? [] : [prompt])];
    const [file = "", ...words] = hasShell ? ["/bin/bash", "-c", JOB_CONTROL, "bash", ...command] : command;
    this.#pty = spawn(file, words, {
      name: env["TERM"] ?? "xterm-256color",
      cols: columns,
      rows,
      cwd: join(this.folder, "project"),
      env: {
        PATH: process.env["PATH"],
        HOME: join(this.folder, "home"),
        ANTHROPIC_API_KEY: "test-key",
        ANTHROPIC_BASE_URL: url,
        ...env,
      },
    });
    const withoutImages = imagesAsText();
    this.#pty.onData((data) => {
      this.written += data;
      this.#terminal.write(withoutImages(data));
    });
    // What the terminal answers when it is asked what it is.
    this.#terminal.onData((data) => this.#pty.write(data));
    this.ended = new Promise((resolve) =>
      this.#pty.onExit(({ exitCode, signal = 0 }) => {
        // The emulator reads what it gets a little later: only then is the last of it on the screen.
        this.#terminal.write("", () => resolve(signal > 0 ? 128 + signal : exitCode));
      }),
    );
  }

  get pid(): number {
    return this.#pty.pid;
  }

  press(keys: string): void {
    this.#pty.write(keys);
  }

  get size(): { readonly columns: number; readonly rows: number } {
    return { columns: this.#terminal.cols, rows: this.#terminal.rows };
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
    this.#pty.resize(columns, rows);
  }

  /** Scrollback and screen, as a person could read it. */
  text(): string {
    const { active } = this.#terminal.buffer;
    const { cols } = this.#terminal;
    const lines = Array.from({ length: active.length }, (_, at) => {
      const line = active.getLine(at);
      const text = line?.translateToString(true, 0, cols) ?? "";
      // On the alternate screen, the emulator keeps what was beyond the right edge of a window that shrinks.
      return (line?.length ?? 0) > cols ? text.trimEnd() : text;
    });
    return lines.join("\n").trimEnd();
  }

  /** The same with styles and links: `<32>✓<>`, by the codes of SGR, and `<link file:///a>a<>`. */
  styledText(): string {
    return styledText(this.#terminal);
  }

  /** Waits until this is on the screen, or is so; then gives the screen. */
  async sees(what: string | ((text: string) => boolean)): Promise<string> {
    const isThere = typeof what === "string" ? (text: string): boolean => has(text, what) : what;
    const deadline = Date.now() + MOST_MS;
    for (;;) {
      const text = this.text();
      if (isThere(text)) return text;
      if (Date.now() > deadline) throw new Error(`Not seen: ${String(what)}\n${text}`);
      await pause(20);
    }
  }

  /** Answers a question that a person could have read. */
  async answers(key: string, question = "Permission"): Promise<void> {
    await this.sees((text) => has(text, question) && !text.includes("finish typing"));
    await pause(900);
    this.press(key);
  }

  /** Nothing is under way. */
  idle(): Promise<string> {
    return this.sees((text) => !text.includes("Esc to interrupt") && / · context \d+ %$/.test(text));
  }

  /** Types a line, waits until it is there, and sends it. */
  async types(line: string): Promise<void> {
    this.press(line);
    await this.sees(line);
    this.press("\r");
  }

  /**
   * Fills in the text field with this title. Enter right after text counts as part of a paste,
   * so it is pressed as a person would: again, until the field closes.
   */
  async fills(title: string, line: string): Promise<void> {
    await this.sees(title);
    this.press(line);
    await this.sees(line);
    const deadline = Date.now() + MOST_MS;
    while (this.text().includes(title)) {
      if (Date.now() > deadline) throw new Error(`Still open: ${title}\n${this.text()}`);
      this.press("\r");
      await pause(300);
    }
  }

  /** The terminal's window is closed. */
  hangUp(): void {
    (this.#pty as unknown as { destroy(): void }).destroy();
  }

  /** The folder stays. */
  async end(): Promise<void> {
    try {
      this.#pty.kill("SIGKILL");
    } catch {
      // It has ended by itself.
    }
    await this.ended;
    this.#terminal.dispose();
  }
}

/** Whether a text is on the screen, also if a narrow terminal wraps it. */
export function has(screen: string, text: string): boolean {
  return screen.includes(text) || screen.replaceAll(/\s+/g, " ").includes(text);
}

/** Screens show paths, which a long TMPDIR would wrap. */
const SHORT_TMP = existsSync("/tmp") ? "/tmp" : tmpdir();

/** With a home and a project, which is a folder of its own. */
export function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(SHORT_TMP, "runahead-repl-")));
  for (const name of ["home", "project/.git"]) mkdirSync(join(folder, name), { recursive: true });
  writeFileSync(join(folder, "project", "a.txt"), "hello\n");
  return folder;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Processes whose command line has this in it. */
export function running(mark: string): string[] {
  const all = execFileSync("ps", ["-eo", "pid,stat,args"], { encoding: "utf8" }).split("\n");
  return all.filter((line) => line.includes(mark) && !/^\s*\d+\s+Z/.test(line));
}
