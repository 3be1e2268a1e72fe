/** `statusLine` of the settings: a command whose output is shown above the last line. */

import { spawn } from "node:child_process";
import { type CodingAgent, withoutOwnKeys } from "@runahead/harness";
import { transcriptPath } from "@runahead/harness/internal";
import type { Counts } from "./screen/counts.ts";
import { strip } from "../shared/safe-text.ts";
import type { World } from "../shared/world.ts";

const EVERY_MS = 300;
const LIMIT_MS = 5000;
const MOST_LINES = 3;
const MOST_CHARS = 4000;
/** The number in the name of a documented member. */
const MANY_TOKENS = 200_000;

interface Ports {
  readonly world: World;
  readonly counts: Counts;
  readonly onChange: () => void;
}

/** Runs the command when something changed, at most every 300 ms, and keeps its last output. */
export class StatusLine {
  readonly #ports: Ports;
  readonly #startedAt = performance.now();
  #lines: readonly string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #interval: NodeJS.Timeout | undefined;
  #isRunning = false;
  #isClosed = false;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  get lines(): readonly string[] {
    return this.#lines;
  }

  /** Something changed that the command can show. */
  update(made: CodingAgent): void {
    const wanted = commandOf(made);
    if (wanted === undefined || this.#timer !== undefined || this.#isClosed) return;
    if (wanted.everyMs !== undefined)
      this.#interval ??= setInterval(() => this.update(made), wanted.everyMs).unref();
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (!this.#isRunning) this.#run(wanted, made);
    }, EVERY_MS).unref();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#interval);
  }

  #run({ command, padding }: Wanted, made: CodingAgent): void {
    const { world, onChange } = this.#ports;
    const { settings } = made;
    this.#isRunning = true;
    const env = {
      ...withoutOwnKeys(world.env, settings.passEnv),
      ...settings.env,
      CLAUDE_PROJECT_DIR: settings.root,
    };
    const child = spawn("/bin/sh", ["-c", command], {
      cwd: world.cwd,
      env,
      timeout: LIMIT_MS,
      stdio: ["pipe", "pipe", "ignore"],
    });
    let printed = "";
    child.stdout.setEncoding("utf8");
    child.stdout.on("data", (text: string) => (printed = (printed + text).slice(0, MOST_CHARS)));
    // A command that does not read its input closes the pipe.
    child.stdin.on("error", () => {});
    child.stdin.end(`${JSON.stringify(this.#facts(made))}\n`);
    const end = (code: number | null): void => {
      this.#isRunning = false;
      if (this.#isClosed) return;
      const lines = code === 0 ? printed.trimEnd().split("\n").slice(0, MOST_LINES) : [];
      this.#lines = lines
        .map((line) => `${" ".repeat(padding)}${strip(line)}`)
        .filter((line) => line.trim() !== "");
      onChange();
    };
    child.once("error", () => end(null));
    child.once("close", end);
  }

  /** The documented input of status lines. */
  #facts(made: CodingAgent): object {
    const { session, model, settings, outputStyle, mainAgent } = made;
    const { counts } = this.#ports;
    const { inputTokens, outputTokens, contextTokens, contextShare, costUsd } = counts;
    const used = Math.round(contextShare * 100);
    // What the next request reads, as far as it is known: of the rest, how much is cached.
    const cached = counts.cachedTokens;
    return {
      hook_event_name: "Status",
      session_id: session?.id ?? "",
      transcript_path: session === undefined ? "" : transcriptPath(session),
      cwd: settings.cwd,
      model: { id: model.name, display_name: model.name },
      workspace: { current_dir: settings.cwd, project_dir: settings.root, added_dirs: [] },
      version: "0.1.0",
      output_style: { name: outputStyle },
      ...(mainAgent === undefined ? {} : { agent: { name: mainAgent } }),
      cost: {
        total_cost_usd: costUsd ?? 0,
        total_duration_ms: Math.round(performance.now() - this.#startedAt),
        total_api_duration_ms: 0,
        total_lines_added: 0,
        total_lines_removed: 0,
      },
      context_window: {
        total_input_tokens: inputTokens,
        total_output_tokens: outputTokens,
        context_window_size: counts.windowTokens,
        used_percentage: used,
        remaining_percentage: 100 - used,
        current_usage: {
          input_tokens: contextTokens - cached.read - cached.written,
          output_tokens: 0,
          cache_read_input_tokens: cached.read,
          cache_creation_input_tokens: cached.written,
        },
      },
      exceeds_200k_tokens: contextTokens > MANY_TOKENS,
    };
  }
}

interface Wanted {
  readonly command: string;
  readonly padding: number;
  /** How often it also runs when nothing changed. */
  readonly everyMs: number | undefined;
}

/** The value of a setting that the settings reader does not read itself. Only of a trusted file. */
export function trustedValue({ settings }: Pick<CodingAgent, "settings">, key: string): unknown {
  return settings.other.get(key)?.find(({ trusted }) => trusted)?.value;
}

/** Only of a trusted file: it is a program that runs. */
function commandOf(made: CodingAgent): Wanted | undefined {
  const value = trustedValue(made, "statusLine");
  const { type, command, padding, refreshInterval } = (
    typeof value === "object" && value !== null ? value : {}
  ) as Record<string, unknown>;
  if (typeof command !== "string" || command.trim() === "" || (type !== undefined && type !== "command"))
    return undefined;
  return {
    command,
    padding: typeof padding === "number" && padding > 0 ? Math.min(Math.floor(padding), 20) : 0,
    everyMs: typeof refreshInterval === "number" && refreshInterval >= 1 ? refreshInterval * 1000 : undefined,
  };
}
