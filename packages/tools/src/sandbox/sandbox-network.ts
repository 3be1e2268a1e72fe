/**
 * Decides by name which hosts sandboxed commands can reach. A name that resolves to this machine or a private network
 * is allowed only if the list contains exactly that name.
 */

import { isIP } from "node:net";
import { type HostPattern, bare, domainEntry, hostOf, hostPattern, matchesHost } from "@runahead/base";

/** Hosts that sandboxed commands can reach. */
export interface SandboxNetwork {
  /**
   * `example.com`, `*.example.com` (subdomains), `localhost:3000`, `[::1]:8080`, `example.com:*`, or `*` for all
   * public hosts. Default ports: 80 and 443.
   */
  readonly allowedDomains: readonly string[];
  /** Hosts that are denied even if they are allowed above. Default port: any. */
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
  /** Whether it names exactly one host. */
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

  /** Throws if an entry is not a host. */
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

  /** The allowed hosts, for the model. */
  get words(): string {
    if (this.#words.length === 0) return "none";
    const more = this.#words.length - SHOWN_DOMAINS;
    return this.#words.slice(0, SHOWN_DOMAINS).join(", ") + (more > 0 ? ` and ${more} more` : "");
  }

  /** Hosts that mean the sandbox itself, so that a command can reach a server that it started there. */
  get own(): readonly string[] {
    return OWN.filter(
      (host) => !this.#allowed.some(({ pattern, isLiteral }) => isLiteral && matchesHost(pattern, host)),
    );
  }
}

function parse(text: string, ports: Rule["ports"]): Rule {
  const entry = domainEntry(text);
  if (entry.type === "wrong")
    throw new Error(
      `Invalid domain ${JSON.stringify(text)} in the sandbox's network settings: ${entry.why}.`,
    );
  const { host, port } = entry;
  return {
    pattern: hostPattern(host),
    ports: port === undefined ? ports : port === "any" ? port : [port],
    isLiteral: !host.includes("*"),
  };
}

/** Parses `host:port` from a client's request. */
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
