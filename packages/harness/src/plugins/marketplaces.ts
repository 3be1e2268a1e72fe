/**
 * Marketplaces that settings name: those that plugins can be added from by name, and those that managed settings allow
 * or block.
 */

import { homedir } from "node:os";
import { resolve } from "node:path";
import { isShape } from "@runahead/base";
import type { LoadedSettings } from "../settings/loaded.ts";

type WithOther = Pick<LoadedSettings, "other">;

/** A marketplace of `extraKnownMarketplaces`. */
export interface KnownMarketplace {
  readonly name: string;
  /** A folder, a `marketplace.json` (also at an address), `owner/repository`, a git address or `npm:PACKAGE`. */
  readonly source: string;
}

/** The marketplaces that trusted files name; of two with the same name, the first is used. */
export function knownMarketplaces({ other }: WithOther): readonly KnownMarketplace[] {
  const all = (other.get("extraKnownMarketplaces") ?? []).flatMap(({ value, trusted }) =>
    trusted && isShape(value)
      ? Object.entries(value).flatMap(([name, entry]) => {
          const source = addressIn(isShape(entry) ? (entry["source"] ?? entry) : entry);
          return source === undefined ? [] : [{ name, source }];
        })
      : [],
  );
  return all.filter(({ name }, at) => all.findIndex((one) => one.name === name) === at);
}

/** `{"source": "github", "repo": "owner/repository"}` and its siblings, or the address itself. */
function addressIn(value: unknown): string | undefined {
  if (isShape(value) && value["source"] === "npm" && typeof value["package"] === "string")
    return `npm:${value["package"].trim()}`;
  const { repo, url, path } = isShape(value) ? value : { repo: value };
  return [repo, url, path].find((one): one is string => typeof one === "string" && one.trim() !== "")?.trim();
}

/**
 * Says why a plugin cannot come from this source; undefined if it can. Only the lists of managed settings count:
 * `blockedMarketplaces`, and `strictKnownMarketplaces`, which allows nothing else.
 */
export function marketplaceObjection(source: string, settings: WithOther, cwd: string): string | undefined {
  const blocked = managedList(settings, "blockedMarketplaces");
  if (blocked?.some((entry) => isSame(entry, source, { cwd, isExact: false })) === true)
    return `${source} is blocked by blockedMarketplaces in the managed settings`;
  const allowed = managedList(settings, "strictKnownMarketplaces");
  if (allowed === undefined || allowed.some((entry) => isSame(entry, source, { cwd, isExact: true })))
    return undefined;
  return `${source} is not one of strictKnownMarketplaces in the managed settings`;
}

/** A value that is not a list allows nothing. */
function managedList({ other }: WithOther, key: string): readonly unknown[] | undefined {
  const found = (other.get(key) ?? []).filter(({ level }) => level === "managed");
  if (found.length === 0) return undefined;
  return found.flatMap(({ value }) => (Array.isArray(value) ? (value as unknown[]) : []));
}

interface Comparing {
  readonly cwd: string;
  /** Whether an entry with a branch or a folder stands only for that part, which cannot be chosen here. */
  readonly isExact: boolean;
}

function isSame(entry: unknown, source: string, { cwd, isExact }: Comparing): boolean {
  if (isShape(entry)) {
    const { hostPattern, pathPattern, ref } = entry;
    if (typeof hostPattern === "string") return isMatch(hostPattern, hostOf(source), !isExact);
    if (typeof pathPattern === "string")
      return isMatch(pathPattern, isPath(source) ? resolve(cwd, source) : undefined, !isExact);
    if (isExact && typeof ref === "string") return false;
  }
  const address = addressIn(entry);
  return address !== undefined && comparable(address, cwd) === comparable(source, cwd);
}

/** A pattern that is not valid blocks everything and allows nothing. */
function isMatch(pattern: string, text: string | undefined, ifInvalid: boolean): boolean {
  try {
    return text !== undefined && new RegExp(pattern).test(text);
  } catch {
    return ifInvalid;
  }
}

const GITHUB = /^(?:https?:\/\/|ssh:\/\/|git@|git:\/\/)?(?:www\.)?github\.com[:/]+([\w.-]+\/[\w.-]+)$/i;

/** The same text for all spellings of an address. */
function comparable(address: string, cwd: string): string {
  const plain = address
    .trim()
    .replace(/[?#].*$/, "")
    .replace(/\/+$/, "")
    .replace(/\.git$/i, "")
    // Credentials do not make it another place.
    .replace(/^(\w+:\/\/)[^@/]*@/, "$1");
  const [, repository] = GITHUB.exec(plain) ?? [];
  const short = repository ?? (/^[\w.-]+\/[\w.-]+$/.test(plain) ? plain : undefined);
  if (short !== undefined) return `github:${short.toLowerCase()}`;
  if (!isPath(plain)) return plain.toLowerCase();
  return resolve(cwd, plain.replace(/^~(?=\/|$)/, homedir));
}

function isPath(source: string): boolean {
  return !/^(?:\w+:\/\/|npm:)/.test(source) && !/^[\w.-]+@[\w.-]+:/.test(source);
}

function hostOf(source: string): string | undefined {
  const [, host] = /^\w+:\/\/(?:[^@/]*@)?([^:/]+)/.exec(source) ?? /^[\w.-]+@([\w.-]+):/.exec(source) ?? [];
  if (host !== undefined) return host.toLowerCase();
  return /^[\w.-]+\/[\w.-]+$/.test(source) ? "github.com" : undefined;
}
