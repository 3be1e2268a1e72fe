/**
 * Which hosts the commands in a sandbox may reach. Decided by name, outside the sandbox; a name that leads to this
 * machine or to a private network counts only where the list has that very name.
 */

import { isIP } from "node:net";
import { type HostPattern, bare, domainEntry, hostOf, hostPattern, matchesHost } from "@runahead/base";

/** Hosts that sandboxed commands can reach. */
export interface SandboxNetwork {
  /**
   * `example.com`, `*.example.com` (what is below it), `localhost:3000`, `[::1]:8080`, `example.com:*`, or `*` for all
   * public hosts. Without a port: 80 and 443.
   */
  readonly allowedDomains: readonly string[];
  /** Not these, although they are allowed; without a port, at any. */
  readonly deniedDomains?: readonly string[];
}

export interface Target {
  readonly host: string;
  readonly port: number;
}

export type NetworkVerdict =
  | { readonly type: "allowed"; readonly mayBePrivate: boolean }
  | { readonly type: "refused" };

interface Rule {
  readonly pattern: HostPattern;
  readonly ports: "any" | readonly number[];
  /** It names one host and no others. */
  readonly isLiteral: boolean;
}

const WEB_PORTS = [80, 443];
/** Names of the sandbox's own loopback. */
const OWN = ["localhost", "127.0.0.1", "::1"];
const SHOWN_DOMAINS = 30;

export class NetworkRules {
  readonly #allowed: readonly Rule[];
  readonly #denied: readonly Rule[];
  readonly #words: readonly string[];

  /** Throws where an entry is not a host. */
  constructor({ allowedDomains, deniedDomains = [] }: SandboxNetwork) {
    this.#allowed = allowedDomains.map((text) => parse(text, WEB_PORTS));
    this.#denied = deniedDomains.map((text) => parse(text, "any"));
    this.#words = allowedDomains;
  }

  judge({ host, port }: Target): NetworkVerdict {
    const matching = (rules: readonly Rule[]): Rule[] =>
      rules.filter(
        ({ pattern, ports }) => (ports === "any" || ports.includes(port)) && matchesHost(pattern, host),
      );
    const allowing = matching(this.#allowed);
    if (allowing.length === 0 || matching(this.#denied).length > 0) return { type: "refused" };
    return { type: "allowed", mayBePrivate: allowing.some(({ isLiteral }) => isLiteral) };
  }

  /** For the model. */
  get words(): string {
    if (this.#words.length === 0) return "none";
    const more = this.#words.length - SHOWN_DOMAINS;
    return this.#words.slice(0, SHOWN_DOMAINS).join(", ") + (more > 0 ? ` and ${more} more` : "");
  }

  /** Hosts that mean the sandbox itself, so that a command can talk to a server that it has started there. */
  get own(): readonly string[] {
    return OWN.filter(
      (host) => !this.#allowed.some(({ pattern, isLiteral }) => isLiteral && matchesHost(pattern, host)),
    );
  }
}

function parse(text: string, ports: Rule["ports"]): Rule {
  const entry = domainEntry(text);
  if (entry.type === "wrong")
    throw new Error(`The sandbox's list of domains: ${JSON.stringify(text)}: ${entry.why}.`);
  const { host, port } = entry;
  return {
    pattern: host === "*" ? { labels: [], isBelow: true } : hostPattern(host),
    ports: port === undefined ? ports : port === "any" ? port : [port],
    isLiteral: !host.includes("*"),
  };
}

/** `host:port`, as a client asks for it, in the form that rules have. */
export function targetOf(text: string, defaultPort: number): Target | undefined {
  const address = `http://${text}/`;
  const host = hostOf(address);
  if (host === undefined || /[/@?#\\]/.test(text)) return undefined;
  const port = /:(\d+)$/.exec(text)?.[1];
  return { host: bare(host), port: port === undefined ? defaultPort : Number(port) };
}

export function shownTarget({ host, port }: Target): string {
  return isIP(host) === 6 ? `[${host}]:${port}` : `${host}:${port}`;
}
