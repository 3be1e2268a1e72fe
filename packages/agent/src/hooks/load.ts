/** Loads the `hooks` of settings files. Invalid entries are skipped and reported. */

import { HOOK_EVENTS, type HookEvent, defaultLimitMs, eventLimitMs, isHookEvent } from "./event.ts";
import { type CommandHandler, type ListedHook, type OnFailure, listed } from "./handler.ts";
import { createMatcher } from "./matcher.ts";
import { type Shape, didYouMean, isShape } from "@runahead/base";
import { type Notify, kindOf } from "./words.ts";

/** The `hooks` object of one settings file. */
export interface HookConfig {
  /** The name of the file, for messages. */
  readonly source: string;
  /** The folder that the paths of its rules are relative to. */
  readonly root: string;
  /** If false, none of its hooks runs. */
  readonly trusted: boolean;
  /** The parsed `hooks` object. Invalid entries are skipped with a notice. */
  readonly hooks: unknown;
}

export interface LoadedHooks {
  readonly handlers: readonly CommandHandler[];
  readonly listed: readonly ListedHook[];
}

/** Keeps the order of the configs and of their entries. */
export function loadHooks(configs: readonly HookConfig[], projectDir: string, notify: Notify): LoadedHooks {
  const handlers: CommandHandler[] = [];
  const all: ListedHook[] = [];
  const kinds = new Map<string, Set<string>>();
  for (const config of configs) {
    const { source, trusted } = config;
    const say: Notify = trusted ? (message) => notify(`${source}: ${message}`) : () => {};
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
        all.push(notRun(found, source, "its entry is invalid"));
      } else {
        handlers.push(handler);
        all.push(listed(handler));
      }
    }
    if (untrusted > 0)
      notify(
        `${source}: ${untrusted === 1 ? "1 hook does" : `${untrusted} hooks do`} not run because the folder is not trusted.`,
      );
  }
  for (const [kind, sources] of kinds) notify(`Some hooks do not run: ${kind} (${[...sources].join(", ")}).`);
  return { handlers, listed: all };
}

/** One entry of a settings file, and its path there. */
interface Found {
  readonly path: string;
  readonly event: string;
  readonly matcher: unknown;
  readonly entry: unknown;
}

function* findEntries({ hooks }: HookConfig, say: Notify): Generator<Found, void, undefined> {
  if (hooks === undefined || hooks === null) return;
  if (!isShape(hooks)) return say(`hooks must be an object, got ${kindOf(hooks)}.`);
  for (const [event, groups] of Object.entries(hooks)) {
    if (!Array.isArray(groups)) {
      say(`hooks.${event} must be an array, got ${kindOf(groups)}.`);
      continue;
    }
    for (const [at, group] of groups.entries())
      yield* findInGroup({ event, path: `hooks.${event}[${at}]` }, group, say);
  }
}

function* findInGroup(where: { event: string; path: string }, group: unknown, say: Notify): Generator<Found> {
  const { event, path } = where;
  if (!isShape(group)) return say(`${path} must be an object, got ${kindOf(group)}.`);
  const { matcher, hooks } = group;
  if (!Array.isArray(hooks)) return say(`${path}.hooks must be an array, got ${kindOf(hooks)}.`);
  for (const [at, entry] of hooks.entries()) yield { event, path: `${path}.hooks[${at}]`, matcher, entry };
}

interface Surroundings {
  readonly config: HookConfig;
  readonly projectDir: string;
  readonly say: Notify;
}

/** Returns a text if this kind of hook is not supported, and undefined if the entry is invalid. */
function toHandler(
  found: Found,
  { config, projectDir, say }: Surroundings,
): CommandHandler | string | undefined {
  const { path, event, entry } = found;
  if (!isHookEvent(event)) return unknownEvent(event);
  if (!isShape(entry)) return wrong(say, `${path} must be an object, got ${kindOf(entry)}.`);
  const { type, command } = entry;
  if (typeof type !== "string") return wrong(say, `${path}.type must be "command", got ${kindOf(type)}.`);
  if (type !== "command") return `hooks of type ${JSON.stringify(type)} are not supported`;
  if (typeof command !== "string" || command.trim() === "")
    return wrong(say, `${path}.command must be a command, got ${kindOf(command)}.`);
  const started = howToStart(entry, projectDir);
  if (started === undefined) return wrong(say, `${path}.args must be an array of strings.`);
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

function wrong(say: Notify, message: string): undefined {
  say(message);
  return undefined;
}

function unknownEvent(event: string): string {
  const hint = didYouMean(event, HOOK_EVENTS);
  return `the event ${JSON.stringify(event)} is not supported${hint === "" ? "" : `;${hint.replace("Did", "did")}`}`;
}

/** An absolute path, because a workspace in `PATH` can contain its own `sh`. */
const DEFAULT_SHELL = process.platform === "win32" ? "sh" : "/bin/sh";

/** With `args` there is no shell, so the project folder is filled in here. */
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
  readonly say: Notify;
}

/** If the matcher is invalid, a guard runs for everything and any other hook for nothing. */
function matcherOf({ matcher }: Found, event: HookEvent, say: Notify) {
  const inDoubt = event === "PreToolUse";
  const isText = matcher === undefined || matcher === null || typeof matcher === "string";
  if (!isText) say(`its matcher must be a string, got ${kindOf(matcher)}, so the hook runs for everything`);
  return createMatcher({ text: typeof matcher === "string" ? matcher : "", inDoubt, notify: say });
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

/** An invalid value counts as the stricter one. */
function onFailureOf({ path, entry, say }: Members): OnFailure {
  const { onFailure } = entry;
  if (onFailure === undefined || onFailure === "proceed") return "proceed";
  if (onFailure !== "block") say(`${path}.onFailure must be "block" or "proceed"; "block" is used.`);
  return "block";
}

function isAsync({ path, entry, say }: Members, onFailure: OnFailure): boolean {
  if (entry["async"] !== true) return false;
  if (onFailure === "block") say(`${path} cannot combine async with onFailure "block"; async is ignored.`);
  return onFailure !== "block";
}

function ruleOf({ path, entry, say }: Members, root: string) {
  const { if: text } = entry;
  if (text === undefined) return undefined;
  if (typeof text === "string") return { text, root };
  return wrong(
    say,
    `${path}.if must be a permission rule, got ${kindOf(text)}, so the hook runs for everything.`,
  );
}

function notRun({ path, event, matcher, entry }: Found, source: string, why: string): ListedHook {
  const command = isShape(entry) ? entry["command"] : undefined;
  const what = typeof command === "string" ? command : isShape(entry) ? String(entry["type"]) : "";
  const text = typeof matcher === "string" ? matcher : "";
  return { id: `${source}:${path}`, event, matcher: text, source, what, runs: false, why };
}
