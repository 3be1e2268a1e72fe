/** Turns one entry of a settings file into a hook that can run. */

import {
  HOOK_EVENTS,
  type HookEvent,
  defaultLimitMs,
  eventLimitMs,
  isAboutCall,
  isHookEvent,
} from "./event.ts";
import type {
  CommandHandler,
  ConfiguredHandler,
  HttpHandler,
  McpToolHandler,
  ModelHandler,
  OnFailure,
} from "./handler.ts";
import { createMatcher } from "./matcher.ts";
import { sayNoMatch, withRule } from "./matcher-words.ts";
import { type Shape, didYouMean, isShape } from "@runahead/base";
import { sayUnusedMembers } from "./members.ts";
import { sayUnsetVariables } from "./unset-variables.ts";
import { type Notify, kindOf } from "./words.ts";

/** One entry of a settings file, and its path there. */
export interface Found {
  readonly path: string;
  readonly event: string;
  readonly matcher: unknown;
  readonly entry: unknown;
}

export interface Surroundings {
  /** The name of the file, and the folder that the paths of its rules are relative to. */
  readonly source: string;
  readonly root: string;
  /** Variables for the commands of the file. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  readonly projectDir: string;
  readonly say: Notify;
  /** The names of all tools; undefined if any is possible. */
  readonly toolNames?: readonly string[] | undefined;
}

/** Returns a text if this kind of hook never runs here, and undefined if the entry is invalid. */
export function toHandler(found: Found, around: Surroundings): ConfiguredHandler | string | undefined {
  const { path, event, entry } = found;
  const { say, source, root, env, projectDir, toolNames } = around;
  if (!isHookEvent(event)) return unknownEvent(event);
  if (!isShape(entry)) return wrong(say, `${path} must be an object, got ${kindOf(entry)}.`);
  const { matcher, rule } = withRule(found.matcher, event);
  const members: Members = { path, entry: { if: rule, ...withArguments(entry) }, say, event };
  const own = ownOf(members, projectDir);
  if (own === undefined || typeof own === "string") return own;
  sayUnusedMembers(path, entry, own.type, say);
  const onFailure = onFailureOf(members);
  return {
    ...own,
    ...(env === undefined || own.type !== "command" ? {} : { env }),
    id: `${source}:${path}`,
    event,
    matcher: matcherOf(matcher, members, toolNames),
    source,
    limitMs: limitOf(members, own.type),
    onFailure,
    rule: ruleOf(members, root),
    isAsync: isAsync(members, onFailure),
    wakes: entry["asyncRewake"] === true,
    isOnce: entry["once"] === true,
    status: typeof entry["statusMessage"] === "string" ? entry["statusMessage"] : "",
  };
}

/** A command as a list is a program with its arguments. */
function withArguments(entry: Shape): Shape {
  const { command } = entry;
  if (!Array.isArray(command) || !areTexts(command) || entry["args"] !== undefined) return entry;
  const [program = "", ...args] = command;
  return { ...entry, command: program, args };
}

interface Members {
  readonly path: string;
  readonly entry: Shape;
  readonly say: Notify;
  readonly event: HookEvent;
}

type Own =
  | Pick<CommandHandler, "type" | "program" | "args" | "what">
  | Pick<HttpHandler, "type" | "url" | "headers" | "variables" | "what">
  | Pick<ModelHandler, "type" | "prompt" | "model" | "what">
  | Pick<McpToolHandler, "type" | "server" | "tool" | "input" | "what">;

/** Returns the part of a hook that depends on its type. */
function ownOf(members: Members, projectDir: string): Own | string | undefined {
  const { path, entry, say } = members;
  // A guard that lacks its type must not be lost.
  const { type: written = entry["command"] === undefined ? undefined : "command" } = entry;
  const type = typeof written === "string" ? written.toLowerCase() : written;
  switch (type) {
    case "command":
      return commandOf(members, projectDir);
    case "http":
      return httpOf(members);
    case "prompt":
    case "agent":
      return modelOf(members, type);
    case "mcp_tool":
      return mcpToolOf(members);
    default:
      if (typeof type === "string") return `hooks of type ${JSON.stringify(type)} are not supported`;
      return wrong(say, `${path}.type must be "command", got ${kindOf(type)}.`);
  }
}

function commandOf({ path, entry, say }: Members, projectDir: string): Own | undefined {
  const { command } = entry;
  if (typeof command !== "string" || command.trim() === "")
    return wrong(say, `${path}.command must be a command, got ${kindOf(command)}.`);
  const started = howToStart(entry, projectDir);
  if (started === undefined) return wrong(say, `${path}.args must be an array of strings.`);
  sayUnsetVariables(`${path}.command`, started.what, say);
  return { type: "command", ...started };
}

function httpOf({ path, entry, say }: Members): Own | undefined {
  const { url, headers = {}, allowedEnvVars = [] } = entry;
  if (typeof url !== "string" || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    return wrong(say, `${path}.url must be an http or https address, got ${kindOf(url)}.`);
  if (!isShape(headers) || !Object.values(headers).every((value) => typeof value === "string"))
    return wrong(say, `${path}.headers must be an object of strings.`);
  if (!areTexts(allowedEnvVars)) return wrong(say, `${path}.allowedEnvVars must be an array of strings.`);
  return {
    type: "http",
    url,
    headers: headers as Record<string, string>,
    variables: allowedEnvVars,
    what: url,
  };
}

function modelOf({ path, entry, say }: Members, type: "prompt" | "agent"): Own | undefined {
  const { prompt, model } = entry;
  if (typeof prompt !== "string" || prompt.trim() === "")
    return wrong(say, `${path}.prompt must be a text, got ${kindOf(prompt)}.`);
  return { type, prompt, model: typeof model === "string" ? model : undefined, what: prompt };
}

function mcpToolOf({ path, entry, say }: Members): Own | undefined {
  const { server, tool, input = {} } = entry;
  if (typeof server !== "string" || server === "")
    return wrong(say, `${path}.server must be the name of an MCP server, got ${kindOf(server)}.`);
  if (typeof tool !== "string" || tool === "")
    return wrong(say, `${path}.tool must be the name of a tool, got ${kindOf(tool)}.`);
  if (!isShape(input)) return wrong(say, `${path}.input must be an object, got ${kindOf(input)}.`);
  return { type: "mcp_tool", server, tool, input, what: `${server}: ${tool}` };
}

function areTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
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
  if (!areTexts(args)) return undefined;
  const fill = (text: string): string =>
    text.replaceAll(/\$\{(?:CLAUDE|RUNAHEAD)_PROJECT_DIR\}/g, () => projectDir);
  return { program: fill(command), args: args.map(fill), what: [command, ...args].join(" ") };
}

/** `{"tool_name": "Edit"}` and `{"tools": ["Edit"]}` name tools too. */
function toolsIn(matcher: Shape): unknown {
  return matcher["tool_name"] ?? matcher["toolName"] ?? matcher["tool"] ?? matcher["tools"] ?? matcher;
}

/** If the matcher is invalid, a guard runs for everything and any other hook for nothing. */
function matcherOf(given: unknown, { event, path, say: sayAll }: Members, toolNames?: readonly string[]) {
  const say: Notify = (words) => sayAll(`${path}: ${words}${words.endsWith("?") ? "" : "."}`);
  const matcher = isShape(given) ? toolsIn(given) : given;
  const inDoubt = event === "PreToolUse";
  // A list of names is clearly meant, although only a text is documented.
  const text = areTexts(matcher) ? matcher.join("|") : (matcher ?? "");
  if (typeof text !== "string")
    say(`its matcher must be a string, got ${kindOf(matcher)}, so the hook runs for everything`);
  else if (isAboutCall(event)) sayNoMatch(text, say, toolNames);
  return createMatcher({ text: typeof text === "string" ? text : "", inDoubt, notify: say });
}

function limitOf({ path, entry, say, event }: Members, type: string): number {
  const { timeout } = entry;
  const otherwise = defaultLimitMs(event, type);
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
  if (onFailure === undefined || onFailure === "proceed" || onFailure === "continue") return "proceed";
  if (onFailure !== "block") say(`${path}.onFailure must be "block" or "proceed"; "block" is used.`);
  return "block";
}

/** `asyncRewake` implies `async`. */
function isAsync({ path, entry, say }: Members, onFailure: OnFailure): boolean {
  if (entry["async"] !== true && entry["asyncRewake"] !== true) return false;
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
