/** `domain:host` of WebFetch rules. */

import { type HostPattern, hostOf, hostPattern, matchesHost, matchesStars } from "@runahead/base";

export { hostOf } from "@runahead/base";

export interface DomainPattern extends HostPattern {
  /** Of a restriction, where `*` stands for any part of the host. */
  readonly anywhere?: string;
}

/** Accepts a URL instead of a domain only for denies and asks: an allow would cover more than it says. */
export function compileDomain(specifier: string, isGrant: boolean): DomainPattern | undefined {
  const host = /^domain:\s*(\S+)$/i.exec(specifier)?.[1] ?? (isGrant ? undefined : hostOf(specifier));
  if (host === undefined) return undefined;
  const anywhere = isGrant || !host.includes("*") ? {} : { anywhere: host.toLowerCase() };
  return { ...hostPattern(host), ...anywhere };
}

export function matchesDomain(pattern: DomainPattern, host: string): boolean {
  if (pattern.anywhere !== undefined && matchesStars(pattern.anywhere, host)) return true;
  return matchesHost(pattern, host);
}

/** Whether this is a URL that is not http or https: `file:`, `ftp:`, `data:`. */
export function hasOtherScheme(url: unknown): boolean {
  return typeof url === "string" && URL.canParse(url) && !/^https?:$/.test(new URL(url).protocol);
}
