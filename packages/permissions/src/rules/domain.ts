/** `domain:host` of WebFetch rules. */

import { type HostPattern, hostOf, hostPattern } from "@runahead/base";

export { type HostPattern as DomainPattern, hostOf, matchesHost as matchesDomain } from "@runahead/base";

/** An address in place of a domain: a deny of it denies its host, a grant would be wider than it is written. */
export function compileDomain(specifier: string, isGrant: boolean): HostPattern | undefined {
  const host = /^domain:\s*(\S+)$/i.exec(specifier)?.[1] ?? (isGrant ? undefined : hostOf(specifier));
  return host === undefined ? undefined : hostPattern(host);
}

/** Whether this is an address, and not one of the web: `file:`, `ftp:`, `data:`. */
export function hasOtherScheme(url: unknown): boolean {
  return typeof url === "string" && URL.canParse(url) && !/^https?:$/.test(new URL(url).protocol);
}
