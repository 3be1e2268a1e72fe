/** Patterns of host names, as in `WebFetch(domain:*.example.com)` and in the sandbox's list of domains. */

import { matchesStars } from "./stars.ts";

export interface HostPattern {
  /** From left to right; `*` in a label stands for any characters of that label. */
  readonly labels: readonly string[];
  /** `*.example.com`: at least one more label before these. With no labels, as in `*`, that is every host. */
  readonly isBelow: boolean;
}

export function hostPattern(text: string): HostPattern {
  const name = plainHost(text);
  if (name === "*") return { labels: [], isBelow: true };
  const isBelow = name.startsWith("*.");
  return { labels: (isBelow ? name.slice(2) : name).split(".").map(toAscii), isBelow };
}

export function matchesHost({ labels, isBelow }: HostPattern, host: string): boolean {
  const given = host.split(".");
  if (isBelow ? given.length <= labels.length : given.length !== labels.length) return false;
  const from = given.length - labels.length;
  return labels.every((label, at) => matchesStars(label, given[from + at] as string));
}

/** Returns the host of a URL; undefined if it is not an http or https URL. */
export function hostOf(url: unknown): string | undefined {
  if (typeof url !== "string") return undefined;
  try {
    const { protocol, hostname } = new URL(url);
    const host = plainHost(hostname);
    return /^https?:$/.test(protocol) && host !== "" ? host : undefined;
  } catch {
    return undefined;
  }
}

/** An entry of a list of domains: a host pattern with an optional port, or `*` for any port. */
export type DomainEntry =
  | { readonly type: "domain"; readonly host: string; readonly port: number | "any" | undefined }
  | { readonly type: "wrong"; readonly why: string };

const ENTRY = /^(\[[^\]]*\]|[^\s:/@]+?)(?::(\d{1,5}|\*))?$/;
const MOST_PORT = 65_535;

export function domainEntry(text: string): DomainEntry {
  const [, given = "", port] = ENTRY.exec(text.trim()) ?? [];
  if (given === "")
    return {
      type: "wrong",
      why: 'expected a host such as "example.com", "*.example.com" or "localhost:3000"',
    };
  if (Number(port) > MOST_PORT)
    return { type: "wrong", why: `${port} is not a valid port (at most ${MOST_PORT})` };
  if (hostOf(`http://${given.replaceAll("*", "x")}/`) === undefined)
    return { type: "wrong", why: `${given} is not a valid host name` };
  // Normalised in the same way as the hosts of requests.
  const host = given.includes("*") ? given : bare(hostOf(`http://${given}/`) ?? given);
  return { type: "domain", host, port: port === "*" ? "any" : port === undefined ? port : Number(port) };
}

/** An IPv6 address without its brackets. */
export function bare(host: string): string {
  return host.replace(/^\[|\]$/g, "");
}

function plainHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, "");
}

function toAscii(label: string): string {
  return /^[\p{ASCII}]*$/u.test(label) ? label : (hostOf(`http://${label}/`) ?? label);
}
