/** Checks URLs for WebFetch: only `http` and `https`, and only public hosts. */

import ipaddr from "ipaddr.js";
import { Refusal } from "../shared/refusal.ts";

const MOST_URL_CHARS = 4_000;
/** Azure's internal service for its machines: in the public range, but reachable only from there. */
const NOT_PUBLIC: ReadonlySet<string> = new Set(["168.63.129.16"]);
/** The only part of IPv6 with public addresses. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");

/** Parses a URL like a browser, which also normalises decimal, hexadecimal and octal hosts. */
export function webAddress(text: string): URL {
  if (text.length > MOST_URL_CHARS)
    throw new Refusal(`The URL is too long: ${text.length} characters (limit: ${MOST_URL_CHARS}).`);
  if (!URL.canParse(text))
    throw new Refusal(`"${text}" is not a URL. Pass the full URL, such as https://example.com/page.`);
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new Refusal(`${url.protocol} URLs are not supported, only http: and https:.`);
  if (url.username !== "" || url.password !== "")
    throw new Refusal("URLs with a user name or password are not supported. Remove them.");
  url.hash = "";
  return url;
}

/** Excludes this machine, private networks, cloud metadata services, and tunnels that can lead there. */
export function isPublicAddress(address: string): boolean {
  const plain = address.replace(/%.*$/, "").replace(/^\[|\]$/g, "");
  if (!ipaddr.isValid(plain)) return false;
  const parsed = ipaddr.process(plain);
  if (parsed.range() !== "unicast" || NOT_PUBLIC.has(parsed.toString())) return false;
  return parsed.kind() === "ipv4" || (parsed as ipaddr.IPv6).match(GLOBAL_IPV6);
}

/** Whether a redirect can be followed without asking: same host and port, or an upgrade from http to https. */
export function isSameSite(from: URL, to: URL): boolean {
  if (from.hostname !== to.hostname) return false;
  if (from.protocol === to.protocol) return from.port === to.port;
  return from.protocol === "http:" && from.port === "" && to.port === "";
}
