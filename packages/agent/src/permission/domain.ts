/** `domain:host` of WebFetch rules. */

import { matchesWildcard, type Wildcard, wildcard } from "./wildcard.ts";

export interface DomainPattern {
  /** By label, from the left. */
  readonly labels: readonly Wildcard[];
  /** `*.example.com`: any number of labels before these, and at least one. */
  readonly isBelow: boolean;
}

/** An address in place of a domain: a deny of it denies its host, a grant would be wider than it is written. */
export function compileDomain(specifier: string, isGrant: boolean): DomainPattern | undefined {
  const host = /^domain:\s*(\S+)$/i.exec(specifier)?.[1] ?? (isGrant ? undefined : hostOf(specifier));
  if (host === undefined) return undefined;
  const name = host.toLowerCase().replace(/\.$/, "");
  const isBelow = name.startsWith("*.");
  const labels = (isBelow ? name.slice(2) : name).split(".").map((label) => wildcard(toAscii(label)));
  return { labels, isBelow };
}

function toAscii(label: string): string {
  return /^[\p{ASCII}]*$/u.test(label) ? label : (hostOf(`http://${label}/`) ?? label);
}

export function matchesDomain({ labels, isBelow }: DomainPattern, host: string): boolean {
  const given = host.split(".");
  if (isBelow ? given.length <= labels.length : given.length !== labels.length) return false;
  const from = given.length - labels.length;
  return labels.every((label, at) => matchesWildcard(label, given[from + at] as string));
}

/** The host that a request would go to; undefined where that is no address of the web. */
export function hostOf(url: unknown): string | undefined {
  if (typeof url !== "string") return undefined;
  try {
    const { protocol, hostname } = new URL(url);
    const host = hostname.toLowerCase().replace(/\.$/, "");
    return /^https?:$/.test(protocol) && host !== "" ? host : undefined;
  } catch {
    return undefined;
  }
}
