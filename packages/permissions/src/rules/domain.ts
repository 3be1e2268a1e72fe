/** `domain:host` of WebFetch rules. */

import { type HostPattern, hostOf, hostPattern } from "@runahead/base";

export { type HostPattern as DomainPattern, hostOf, matchesHost as matchesDomain } from "@runahead/base";

/** Accepts a URL instead of a domain only for denies and asks: an allow would cover more than it says. */
export function compileDomain(specifier: string, isGrant: boolean): HostPattern | undefined {
  const host = /^domain:\s*(\S+)$/i.exec(specifier)?.[1] ?? (isGrant ? undefined : hostOf(specifier));
  return host === undefined ? undefined : hostPattern(host);
}

/** Whether this is a URL that is not http or https: `file:`, `ftp:`, `data:`. */
export function hasOtherScheme(url: unknown): boolean {
  return typeof url === "string" && URL.canParse(url) && !/^https?:$/.test(new URL(url).protocol);
}
