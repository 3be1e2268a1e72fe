/** `/doctor`: checks the installation for problems. */

import { execFile } from "node:child_process";
import { access, constants, mkdir } from "node:fs/promises";
import { promisify } from "node:util";
import { type CodingAgent, runaheadHome } from "@runahead/harness";
import type { World } from "../shared/world.ts";
import { wordsOf } from "../shared/failure.ts";
import { reveal } from "../shared/safe-text.ts";
import { green, red, yellow } from "./screen/style.ts";
import { plural } from "../shared/words.ts";
import { languageServerFacts } from "./language-servers.ts";

/** `missed`: the program works, but a feature is not available. */
interface Check {
  readonly what: string;
  readonly state: "good" | "missed" | "bad";
  readonly words: string;
}

export interface Terminal {
  readonly columns: number;
  readonly rows: number;
  readonly hasKittyKeys: boolean;
}

const run = promisify(execFile);
const PROGRAM_MS = 5_000;
const NODE = [20, 19] as const;
const KEYS = ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENAI_BASE_URL", "OLLAMA_HOST"];
const SIGNS = { good: () => green("✓"), missed: () => yellow("–"), bad: () => red("✗") } as const;

export async function doctorLines(world: World, made: CodingAgent, terminal: Terminal): Promise<string[]> {
  const programs = await Promise.all([
    programCheck("git", "used for file completion and /rewind", world),
    programCheck("rg", "optional: a built-in copy is used", world),
    programCheck("bwrap", "needed for --sandbox and to confine read-only commands", world),
  ]);
  const checks = [
    nodeCheck(),
    ...programs,
    readingCheck(made),
    await homeCheck(world),
    ...modelChecks(world, made),
    ...settingsChecks(made),
    ...serverChecks(made),
    ...languageServerChecks(made),
    terminalCheck(world, terminal),
  ];
  return checks.map(({ what, state, words }) => `${SIGNS[state]()} ${what.padEnd(10)} ${reveal(words)}`);
}

function nodeCheck(): Check {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const isGood = major > NODE[0] || (major === NODE[0] && minor >= NODE[1]);
  const words = isGood
    ? process.versions.node
    : `${process.versions.node} is too old: install ${NODE.join(".")} or newer`;
  return { what: "node", state: isGood ? "good" : "bad", words };
}

async function programCheck(name: string, why: string, { env }: World): Promise<Check> {
  try {
    const { stdout } = await run(name, ["--version"], { env, timeout: PROGRAM_MS });
    return { what: name, state: "good", words: stdout.split("\n", 1)[0] ?? "" };
  } catch {
    return { what: name, state: "missed", words: `not found (${why})` };
  }
}

function readingCheck(made: CodingAgent): Check {
  const { isConfined, words } = made.reading();
  return { what: "reads", state: isConfined ? "good" : "missed", words: `Read-only commands: ${words}` };
}

async function homeCheck(world: World): Promise<Check> {
  const home = runaheadHome(world);
  try {
    await mkdir(home, { recursive: true, mode: 0o700 });
    await access(home, constants.W_OK);
    return { what: "home", state: "good", words: `${home} is writable` };
  } catch (error) {
    return { what: "home", state: "bad", words: `sessions cannot be saved: ${wordsOf(error)}` };
  }
}

/** Shows which keys are set, never their values. */
function modelChecks({ env }: World, { model, session }: CodingAgent): Check[] {
  const keys = KEYS.filter((name) => (env[name] ?? "") !== "");
  const isKept = session?.isSaved ?? true;
  return [
    { what: "model", state: "good", words: model.name },
    {
      what: "key",
      state: keys.length > 0 ? "good" : "missed",
      words: keys.length > 0 ? `${keys.join(", ")} set` : `not set: ${KEYS.join(", ")}`,
    },
    {
      what: "session",
      state: isKept ? "good" : "bad",
      words:
        session === undefined
          ? "not saved (--no-session-persistence)"
          : isKept
            ? session.id
            : "cannot be saved",
    },
  ];
}

function settingsChecks({ settings }: CodingAgent): Check[] {
  const { problems, isTrusted, root } = settings;
  return [
    ...problems.map(({ message, severity }): Check => {
      return { what: "settings", state: severity === "error" ? "bad" : "missed", words: message };
    }),
    ...(problems.length === 0 ? [{ what: "settings", state: "good", words: "no problems" } as const] : []),
    {
      what: "trust",
      state: isTrusted ? "good" : "missed",
      words: `${root}${isTrusted ? "" : " is not trusted; `runahead trust` enables its settings"}`,
    },
  ];
}

function serverChecks({ mcp }: CodingAgent): Check[] {
  return mcp.servers().map(({ name, state, tools }) => {
    const why = "why" in state ? `: ${state.why}` : "";
    const isGood = state.type === "ready";
    return {
      what: "mcp",
      state: isGood ? "good" : state.type === "failed" ? "bad" : "missed",
      words: `${name}: ${isGood ? plural(tools.length, "tool") : `${state.type}${why}`}`,
    };
  });
}

function languageServerChecks(made: CodingAgent): Check[] {
  return languageServerFacts(made).map(({ words, isBad, isUsed }) => ({
    what: "lsp",
    state: isBad ? "bad" : isUsed ? "good" : "missed",
    words,
  }));
}

function terminalCheck({ env }: World, { columns, rows, hasKittyKeys }: Terminal): Check {
  const colour = (env["NO_COLOR"] ?? "") === "" ? "colours" : "no colours (NO_COLOR)";
  const keys = hasKittyKeys ? "extended keys" : "basic keys (Alt+Enter for a new line)";
  return {
    what: "terminal",
    state: "good",
    words: `${env["TERM"] ?? "?"}, ${columns}×${rows}, ${colour}, ${keys}`,
  };
}
