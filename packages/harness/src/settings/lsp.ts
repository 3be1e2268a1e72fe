/** Language servers in the settings (`lspServers`) and in plugins (`.lsp.json`). */

import { type Shape, didYouMean, isShape, withoutOwnKeys } from "@runahead/base";
import type { LanguageServerSpec } from "@runahead/tools";
import type { LoadedSettings } from "./loaded.ts";
import type { Environment } from "./place.ts";
import type { Problem } from "./setting.ts";

/** The language servers that were found. */
export interface LspServers {
  /** Servers to start on demand. */
  readonly servers: readonly LanguageServerSpec[];
  /** Names of servers that are turned off; `*` is all. */
  readonly off: readonly string[];
  /** Entries that were left out, and fields without an effect. */
  readonly problems: readonly Problem[];
}

interface Origin {
  /** Name of the file in messages. */
  readonly path: string;
  readonly env: Environment;
  /** API keys that can be filled in. Default: none. */
  readonly passEnv?: readonly string[];
}

const USED = [
  "command",
  "args",
  "extensionToLanguage",
  "env",
  "initializationOptions",
  "settings",
  "startupTimeout",
  "disabled",
  "enabled",
];
/** Fields of other programs that ask for what happens anyway. */
const USUAL = new Set(["transport", "restartOnCrash", "description"]);

/** Reads servers by name, with or without `lspServers` around them. Never throws. */
export function lspServersIn(value: unknown, origin: Origin): LspServers {
  const problems: Problem[] = [];
  const report = (severity: Problem["severity"], key: string, words: string): void => {
    const at = key === "" ? "lspServers" : `lspServers.${key}`;
    problems.push({ severity, path: origin.path, key: at, message: `${origin.path}: ${at}: ${words}` });
  };
  if (value === false) return { servers: [], off: ["*"], problems };
  const named = isShape(value) && isShape(value["lspServers"]) ? value["lspServers"] : value;
  if (!isShape(named)) {
    report("error", "", "expected servers by name, { … }, or false");
    return { servers: [], off: [], problems };
  }
  const servers: LanguageServerSpec[] = [];
  const off: string[] = [];
  for (const [name, entry] of Object.entries(named)) {
    if (/^[$_/]/.test(name)) continue;
    if (entry === false || (isShape(entry) && (entry["disabled"] === true || entry["enabled"] === false))) {
      off.push(name);
      continue;
    }
    const read = specOf(name, filledIn(entry, withoutOwnKeys(origin.env, origin.passEnv)));
    if (typeof read === "string") report("error", name, `${read}; this server is ignored`);
    else servers.push(read);
    for (const key of isShape(entry) ? Object.keys(entry) : [])
      remarkOn(key, entry as Shape, (words) => report("warning", `${name}.${key}`, words));
  }
  return { servers, off, problems };
}

/** Those of all trusted files, highest precedence first; of two with the same name, the first is used. */
export function lspServersOf({ other, passEnv }: LoadedSettings, env: Environment): LspServers {
  const read = (other.get("lspServers") ?? [])
    .filter(({ trusted }) => trusted)
    .map(({ value, name }) => lspServersIn(value, { path: name, env, passEnv }));
  const taken = new Set<string>();
  const isFirst = (name: string): boolean => !taken.has(name) && taken.add(name).size > 0;
  return {
    servers: read.flatMap(({ servers }) => servers).filter(({ name }) => isFirst(name)),
    off: read.flatMap(({ off }) => off),
    problems: read.flatMap(({ problems }) => problems),
  };
}

function remarkOn(key: string, entry: Shape, report: (words: string) => void): void {
  if (USED.includes(key) || /^[$_/]/.test(key)) return;
  if (key === "transport" && entry[key] !== "stdio") return report("has no effect here: servers use stdio");
  if (USUAL.has(key)) return;
  report(`has no effect here.${didYouMean(key, USED)}`);
}

/** Returns the server, or what is wrong with the entry. */
function specOf(name: string, entry: unknown): LanguageServerSpec | string {
  if (!isShape(entry)) return "expected an object";
  const { command, args = [], extensionToLanguage, env = {}, startupTimeout } = entry;
  if (typeof command !== "string" || command.trim() === "") return "command: expected a program";
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === "string")) return "args: expected strings";
  if (!isTexts(extensionToLanguage) || Object.keys(extensionToLanguage).length === 0)
    return 'extensionToLanguage: expected language ids by extension, such as {".ts": "typescript"}';
  if (!isTexts(env)) return "env: expected an object of strings";
  if (startupTimeout !== undefined && !(typeof startupTimeout === "number" && startupTimeout > 0))
    return "startupTimeout: expected milliseconds";
  const { initializationOptions, settings } = entry;
  return {
    name,
    command: command.trim(),
    args,
    extensionToLanguage,
    env,
    ...(initializationOptions === undefined ? {} : { initializationOptions }),
    ...(settings === undefined ? {} : { settings }),
    ...(typeof startupTimeout === "number" ? { startupTimeoutMs: startupTimeout } : {}),
  };
}

function isTexts(value: unknown): value is Readonly<Record<string, string>> {
  return isShape(value) && Object.values(value).every((held) => typeof held === "string");
}

/** Fills `${VAR}` and `${VAR:-default}` in all strings. A variable that is not set stays as it is written. */
function filledIn(value: unknown, env: Environment): unknown {
  if (Array.isArray(value)) return value.map((one) => filledIn(one, env));
  if (isShape(value))
    return Object.fromEntries(Object.entries(value).map(([key, held]) => [key, filledIn(held, env)]));
  if (typeof value !== "string") return value;
  return value.replaceAll(
    /\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}/g,
    (whole, name: string, otherwise?: string) => env[name] ?? otherwise ?? whole,
  );
}
