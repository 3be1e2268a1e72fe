/** From the `hooks` of settings files to hooks that can run. What is wrong costs only itself, and is told. */

import { HOOK_EVENTS, type HookEvent, defaultLimitMs, eventLimitMs, isHookEvent } from "./event.ts";
import { type CommandHandler, type ListedHook, type OnFailure, listed } from "./handler.ts";
import { createMatcher } from "./matcher.ts";
import { type Shape, didYouMean, isShape } from "@runahead/base";
import { type Tell, kindOf } from "./words.ts";

/** The `hooks` object of one settings file, as it stands there. */
export interface HookConfig {
  /** The file that it is from, for people. */
  readonly source: string;
  /** The folder that the paths of its rules are relative to. */
  readonly root: string;
  /** False: none of its hooks runs. */
  readonly trusted: boolean;
  /** The `hooks` object of a settings file, as parsed. Entries that are wrong are left out with a notice. */
  readonly hooks: unknown;
}

export interface LoadedHooks {
  readonly handlers: readonly CommandHandler[];
  readonly listed: readonly ListedHook[];
}

/** In the order of the configs, and in each of them in its own. */
export function loadHooks(configs: readonly HookConfig[], projectDir: string, tell: Tell): LoadedHooks {
  const handlers: CommandHandler[] = [];
  const all: ListedHook[] = [];
  const kinds = new Map<string, Set<string>>();
  for (const config of configs) {
    const { source, trusted } = config;
    const say: Tell = trusted ? (message) => tell(`${source}: ${message}`) : () => {};
    let untrusted = 0;
    for (const found of findEntries(config, say)) {
      if (!trusted) {
        untrusted++;
        all.push(notRun(found, source, "its folder is not trusted"));
        continue;
      }
      const handler = toHandler(found, { config, projectDir, say });
      if (typeof handler === "string") {
        kinds.set(handler, (kinds.get(handler) ?? new Set()).add(source));
        all.push(notRun(found, source, handler));
      } else if (handler === undefined) {
        all.push(notRun(found, source, "it is not in a form that can be run"));
      } else {
        handlers.push(handler);
        all.push(listed(handler));
      }
    }
    if (untrusted > 0)
      tell(`${source}: its hooks (${untrusted}) are not run, because its folder is not trusted.`);
  }
  for (const [kind, sources] of kinds) tell(`Some hooks are not run: ${kind} (${[...sources].join(", ")}).`);
  return { handlers, listed: all };
}

/** One entry of a settings file, with the way to it. */
interface Found {
  readonly path: string;
  readonly event: string;
  readonly matcher: unknown;
  readonly entry: unknown;
}

function* findEntries({ hooks }: HookConfig, say: Tell): Generator<Found, void, undefined> {
  if (hooks === undefined || hooks === null) return;
  if (!isShape(hooks)) return say(`hooks must be an object of events, not ${kindOf(hooks)}.`);
  for (const [event, groups] of Object.entries(hooks)) {
    if (!Array.isArray(groups)) {
      say(`hooks.${event} must be a list, not ${kindOf(groups)}.`);
      continue;
    }
    for (const [at, group] of groups.entries())
      yield* findInGroup({ event, path: `hooks.${event}[${at}]` }, group, say);
  }
}

function* findInGroup(where: { event: string; path: string }, group: unknown, say: Tell): Generator<Found> {
  const { event, path } = where;
  if (!isShape(group)) return say(`${path} must be an object, not ${kindOf(group)}.`);
  const { matcher, hooks } = group;
  if (!Array.isArray(hooks)) return say(`${path}.hooks must be a list, not ${kindOf(hooks)}.`);
  for (const [at, entry] of hooks.entries()) yield { event, path: `${path}.hooks[${at}]`, matcher, entry };
}

interface Surroundings {
  readonly config: HookConfig;
  readonly projectDir: string;
  readonly say: Tell;
}

/** A text says of which kind it is that is not run; undefined, that something is wrong with it alone. */
function toHandler(
  found: Found,
  { config, projectDir, say }: Surroundings,
): CommandHandler | string | undefined {
  const { path, event, entry } = found;
  if (!isHookEvent(event)) return unknownEvent(event);
  if (!isShape(entry)) return wrong(say, `${path} must be an object, not ${kindOf(entry)}.`);
  const { type, command } = entry;
  if (typeof type !== "string") return wrong(say, `${path}.type must be "command", not ${kindOf(type)}.`);
  if (type !== "command") return `hooks of type ${JSON.stringify(type)} are not supported`;
  if (typeof command !== "string" || command.trim() === "")
    return wrong(say, `${path}.command must be a command, not ${kindOf(command)}.`);
  const started = howToStart(entry, projectDir);
  if (started === undefined) return wrong(say, `${path}.args must be a list of strings.`);
  const members: Members = { path, entry, say };
  const onFailure = onFailureOf(members);
  return {
    ...started,
    type: "command",
    id: `${config.source}:${path}`,
    event,
    matcher: matcherOf(found, event, (message) => say(`${path}: ${message}.`)),
    source: config.source,
    limitMs: limitOf(members, event),
    onFailure,
    rule: ruleOf(members, config.root),
    isAsync: isAsync(members, onFailure),
  };
}

function wrong(say: Tell, message: string): undefined {
  say(message);
  return undefined;
}

function unknownEvent(event: string): string {
  const hint = didYouMean(event, HOOK_EVENTS);
  return `the event ${JSON.stringify(event)} is not supported${hint === "" ? "" : `;${hint.replace("Did", "did")}`}`;
}

/** By its path: a workspace in `PATH` can bring an `sh` of its own. */
const DEFAULT_SHELL = process.platform === "win32" ? "sh" : "/bin/sh";

/** With `args` without a shell; then nobody else puts in the folder of the project. */
function howToStart(
  entry: Shape,
  projectDir: string,
): Pick<CommandHandler, "program" | "args" | "what"> | undefined {
  const { command, args, shell } = entry as { command: string; args: unknown; shell: unknown };
  if (args === undefined) {
    const program = typeof shell === "string" && shell !== "" ? shell : DEFAULT_SHELL;
    const flag = /(?:^|[/\\])(?:powershell|pwsh)(?:\.exe)?$/i.test(program) ? "-Command" : "-c";
    return { program, args: [flag, command], what: command };
  }
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === "string")) return undefined;
  const fill = (text: string): string =>
    text.replaceAll(/\$\{(?:CLAUDE|RUNAHEAD)_PROJECT_DIR\}/g, () => projectDir);
  return { program: fill(command), args: args.map(fill), what: [command, ...args].join(" ") };
}

interface Members {
  readonly path: string;
  readonly entry: Shape;
  readonly say: Tell;
}

/** A guard whose matcher cannot be read sees everything; another hook, nothing. */
function matcherOf({ matcher }: Found, event: HookEvent, say: Tell) {
  const inDoubt = event === "PreToolUse";
  const isText = matcher === undefined || matcher === null || typeof matcher === "string";
  if (!isText) say(`its matcher must be a text, not ${kindOf(matcher)}, so the hook runs for all`);
  return createMatcher({ text: typeof matcher === "string" ? matcher : "", inDoubt, tell: say });
}

function limitOf({ path, entry, say }: Members, event: HookEvent): number {
  const { timeout } = entry;
  const otherwise = defaultLimitMs(event);
  if (timeout === undefined) return otherwise;
  if (typeof timeout !== "number" || !(timeout > 0)) {
    say(`${path}.timeout must be a number of seconds above 0; ${otherwise / 1000} s is used.`);
    return otherwise;
  }
  const longest = eventLimitMs(event);
  if (timeout * 1000 > longest)
    say(`${path}.timeout is longer than ${event} allows; ${longest / 1000} s is used.`);
  return Math.min(timeout * 1000, longest);
}

/** Whoever wrote something there wanted more than the default. */
function onFailureOf({ path, entry, say }: Members): OnFailure {
  const { onFailure } = entry;
  if (onFailure === undefined || onFailure === "proceed") return "proceed";
  if (onFailure !== "block") say(`${path}.onFailure must be "block" or "proceed"; "block" is used.`);
  return "block";
}

function isAsync({ path, entry, say }: Members, onFailure: OnFailure): boolean {
  if (entry["async"] !== true) return false;
  if (onFailure === "block") say(`${path} cannot be async and block, so it is waited for.`);
  return onFailure !== "block";
}

function ruleOf({ path, entry, say }: Members, root: string) {
  const { if: text } = entry;
  if (text === undefined) return undefined;
  if (typeof text === "string") return { text, root };
  return wrong(say, `${path}.if must be a permission rule, not ${kindOf(text)}, so the hook runs for all.`);
}

function notRun({ path, event, matcher, entry }: Found, source: string, why: string): ListedHook {
  const command = isShape(entry) ? entry["command"] : undefined;
  const what = typeof command === "string" ? command : isShape(entry) ? String(entry["type"]) : "";
  const text = typeof matcher === "string" ? matcher : "";
  return { id: `${source}:${path}`, event, matcher: text, source, what, runs: false, why };
}
