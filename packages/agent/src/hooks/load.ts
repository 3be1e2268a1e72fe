/** Loads the `hooks` of settings files. Invalid entries are skipped and reported. */

import { type ConfiguredHandler, type ListedHook, listed } from "./handler.ts";
import { eventNamed, isHookEvent } from "./event.ts";
import { type Found, type Surroundings, toHandler } from "./load-handler.ts";
import { type Shape, isShape } from "@runahead/base";
import { sayUnusedOfGroup } from "./members.ts";
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
  /** Variables that its commands get in addition to those of all commands. Default: none. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface LoadedHooks {
  readonly handlers: readonly ConfiguredHandler[];
  readonly listed: readonly ListedHook[];
}

/** What hooks are loaded with. */
type Around = Pick<Surroundings, "projectDir" | "toolNames">;

/** Keeps the order of the configs and of their entries. */
export function loadHooks(configs: readonly HookConfig[], around: Around, notify: Notify): LoadedHooks {
  const handlers: ConfiguredHandler[] = [];
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
      const handler = toHandler(found, { ...around, source, root: config.root, env: config.env, say });
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

function* findEntries({ hooks }: HookConfig, say: Notify): Generator<Found, void, undefined> {
  if (hooks === undefined || hooks === null) return;
  if (!isShape(hooks)) return say(`hooks must be an object, got ${kindOf(hooks)}.`);
  for (const [written, given] of Object.entries(hooks)) {
    const event = eventNamed(written);
    const path = `hooks.${event}`;
    // That the event is unknown is all that there is to say about it.
    if (!isHookEvent(event)) {
      const found = [...findInEvent({ event, path }, given, () => {})];
      yield* found.length > 0 ? found : [{ event, path, matcher: undefined, entry: given }];
    } else yield* findInEvent({ event, path }, given, say);
  }
}

function* findInEvent(where: { event: string; path: string }, given: unknown, say: Notify): Generator<Found> {
  const { event, path } = where;
  // A text alone is meant as a command.
  const group: unknown = typeof given === "string" ? { hooks: given } : given;
  const groups: unknown = isShape(group) && isGroup(group) ? [group] : group;
  if (!Array.isArray(groups)) return say(`${path} must be an array, got ${kindOf(groups)}.`);
  for (const [at, one] of groups.entries()) yield* findInGroup({ event, path: `${path}[${at}]` }, one, say);
}

function* findInGroup(where: { event: string; path: string }, group: unknown, say: Notify): Generator<Found> {
  const { event, path } = where;
  if (!isShape(group)) return say(`${path} must be an object, got ${kindOf(group)}.`);
  const { matcher, hooks: written = bareHandler(group) } = group;
  const hooks: unknown = isShape(written) || typeof written === "string" ? [written] : written;
  if (!Array.isArray(hooks)) return say(`${path}.hooks must be an array, got ${kindOf(hooks)}.`);
  sayUnusedOfGroup(path, group, say);
  for (const [at, given] of hooks.entries()) {
    const entry = typeof given === "string" ? { type: "command", command: given } : (given as unknown);
    yield { event, path: `${path}.hooks[${at}]`, matcher, entry };
  }
}

/** One group, or one hook, instead of a list of groups. */
function isGroup(group: Shape): boolean {
  return group["hooks"] !== undefined || bareHandler(group) !== undefined;
}

/** A group without a list of hooks that is a hook itself. */
function bareHandler({ matcher: _matcher, ...handler }: Shape): readonly unknown[] | undefined {
  if (!["command", "prompt", "url", "tool"].some((name) => typeof handler[name] === "string"))
    return undefined;
  return [{ type: "command", ...handler }];
}

function notRun({ path, event, matcher, entry }: Found, source: string, why: string): ListedHook {
  const { command, type = "" } = isShape(entry) ? entry : {};
  const what = typeof command === "string" ? command : String(type);
  const text = typeof matcher === "string" ? matcher : "";
  return { id: `${source}:${path}`, event, matcher: text, source, what, runs: false, why };
}
