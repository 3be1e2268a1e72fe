/** Forms of `.mcp.json` and of its entries that other programs write, turned into the documented ones. */

import { type Shape, isShape } from "@runahead/base";

/** Members that hold the address of a server in some program. */
export const ADDRESSES: readonly string[] = ["url", "serverUrl", "httpUrl", "uri", "endpoint"];

/** The servers by name, with or without `mcpServers` around them. Undefined if there is no place for servers. */
export function serversOf(value: Shape): Shape | undefined {
  const around = Object.entries(value).find(([key]) => /^mcp[-_]?servers$/i.test(key))?.[1];
  if (around !== undefined) return around === null ? {} : namedServers(around);
  const { mcp } = value;
  // The forms of editors and of other agents.
  if (isShape(value["servers"])) return value["servers"];
  if (isShape(mcp)) return serversOf(mcp) ?? namedServers(mcp);
  const named = Object.entries(value).filter(([key]) => !/^[$_/]/.test(key));
  return named.every(([, entry]) => isServer(entry)) ? Object.fromEntries(named) : undefined;
}

/** A list of servers, each with its name, is read as an object. */
function namedServers(value: unknown): Shape | undefined {
  if (isShape(value)) return value;
  if (!Array.isArray(value)) return undefined;
  const named = value.flatMap((entry: unknown) =>
    isShape(entry) && isText(entry["name"]) ? [[entry["name"], entry] as const] : [],
  );
  return named.length === value.length ? Object.fromEntries(named) : undefined;
}

function isServer(entry: unknown): boolean {
  return isShape(entry) && ["command", ...ADDRESSES].some((name) => name in entry);
}

/** An entry in the documented form. What cannot be understood stays as it is. */
export function documentedEntry(entry: unknown): unknown {
  if (typeof entry === "string" && /^https?:\/\//.test(entry)) return { url: entry };
  if (!isShape(entry)) return entry;
  const { transport, environment, ...rest } = entry;
  const whole = {
    ...rest,
    ...(isShape(transport) ? transport : transport === undefined ? {} : { transport }),
    ...(environment === undefined || rest["env"] !== undefined ? {} : { env: environment }),
  };
  return withArguments(withUrl(whole));
}

/** The whole command can be a list, arguments can be one text, and numbers among them are meant as text. */
function withArguments(entry: Shape): Shape {
  const { command, args } = entry;
  const whole = Array.isArray(command) ? (command as unknown[]) : [command];
  const given = typeof args === "string" && !/["'\\]/.test(args) ? args.trim().split(/\s+/) : (args ?? []);
  if (!Array.isArray(given)) return entry;
  const all = [...whole.slice(1), ...(given as unknown[])];
  const texts = all.map((one) => (typeof one === "number" || typeof one === "boolean" ? String(one) : one));
  const { args: _args, ...rest } = entry;
  return {
    ...rest,
    ...(command === undefined ? {} : { command: whole[0] }),
    ...(all.length === 0 ? {} : { args: texts }),
  };
}

function withUrl(entry: Shape): Shape {
  const url = ADDRESSES.map((name) => entry[name]).find((address) => address !== undefined);
  return url === undefined || entry["url"] !== undefined ? entry : { ...entry, url };
}

/** Numbers and flags are meant as text, null as nothing, and a list has `NAME=value` entries. */
export function asTexts(value: unknown): unknown {
  if (value === undefined || value === null) return {};
  if (Array.isArray(value)) return pairsIn(value as unknown[]) ?? value;
  if (!isShape(value)) return value;
  const given = Object.entries(value).filter(([, held]) => held !== null);
  return Object.fromEntries(
    given.map(([key, held]) => [key, ["number", "boolean"].includes(typeof held) ? String(held) : held]),
  );
}

/** Undefined if an entry is not a pair: `NAME=value`, or `Name: value` of a header. */
function pairsIn(entries: readonly unknown[]): Shape | undefined {
  const pairs = entries.map((entry) =>
    typeof entry === "string" ? /^([\w-]+)(?:=|:[ \t]*)(.*)$/s.exec(entry) : null,
  );
  if (pairs.includes(null)) return undefined;
  return Object.fromEntries(pairs.map((pair) => [pair?.[1] ?? "", pair?.[2] ?? ""]));
}

const UNITS: Readonly<Record<string, number>> = { "": 1, ms: 1, s: 1_000, m: 60_000, min: 60_000 };

/** Milliseconds, also as text and with a unit. */
export function asTime(value: unknown): unknown {
  if (typeof value !== "string") return value ?? undefined;
  const [, digits = "", unit = ""] = /^(\d+)\s*(ms|s|m|min)?$/.exec(value.trim()) ?? [];
  return digits === "" ? value : Number(digits) * (UNITS[unit] ?? 1);
}

const LEAST_TIME_MS = 1_000;

/** Leaves out a time limit that is meant in seconds: in milliseconds, no call would end in time. */
export function withUsableTime(entry: unknown): { readonly entry: unknown; readonly note?: string } {
  const limit = isShape(entry) ? asTime(entry["timeout"]) : undefined;
  if (!isShape(entry) || typeof limit !== "number" || limit <= 0 || limit >= LEAST_TIME_MS) return { entry };
  const { timeout, ...others } = entry;
  return {
    entry: others,
    note: `timeout: ${JSON.stringify(timeout)} has no effect: it is in milliseconds, and at least 1000`,
  };
}

/** A flag, also as text. */
export function isFlag(value: unknown, wanted: boolean): boolean {
  return value === wanted || (typeof value === "string" && value.toLowerCase() === String(wanted));
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
