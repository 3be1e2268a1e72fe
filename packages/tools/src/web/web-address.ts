/** Which addresses of the web a model may have fetched: `http` and `https`, and machines that everybody can reach. */

import ipaddr from "ipaddr.js";
import { Refusal } from "../shared/refusal.ts";

const MOST_URL_CHARS = 4_000;
/** Azure's own service for its machines: in the range of public addresses, yet nobody else can reach it. */
const NOT_PUBLIC: ReadonlySet<string> = new Set(["168.63.129.16"]);
/** The only part of IPv6 in which public addresses are given out. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR("2000::/3");

/** Read as a browser does, so that decimal, hexadecimal and octal hosts have become what they stand for. */
export function webAddress(text: string): URL {
  if (text.length > MOST_URL_CHARS)
    throw new Refusal(
      `The url has ${text.length} characters: more than the ${MOST_URL_CHARS} that are taken.`,
    );
  if (!URL.canParse(text))
    throw new Refusal(`"${text}" is no url. Give the whole of it, as https://example.com/page.`);
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:")
    throw new Refusal(`${url.protocol} addresses are not fetched, only http: and https:.`);
  if (url.username !== "" || url.password !== "")
    throw new Refusal("A url with a user name or a password in it is not fetched.");
  url.hash = "";
  return url;
}

/** Not of this machine, this network, this provider's data centre, nor of a tunnel that may lead there. */
export function isPublicAddress(address: string): boolean {
  const plain = address.replace(/%.*$/, "").replace(/^\[|\]$/g, "");
  if (!ipaddr.isValid(plain)) return false;
  const parsed = ipaddr.process(plain);
  if (parsed.range() !== "unicast" || NOT_PUBLIC.has(parsed.toString())) return false;
  return parsed.kind() === "ipv4" || (parsed as ipaddr.IPv6).match(GLOBAL_IPV6);
}

/** Where a redirect may be followed without asking: the same host and port, perhaps from http to https. */
export function isSameSite(from: URL, to: URL): boolean {
  if (from.hostname !== to.hostname) return false;
  if (from.protocol === to.protocol) return from.port === to.port;
  return from.protocol === "http:" && from.port === "" && to.port === "";
}
