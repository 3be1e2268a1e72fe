/**
 * Connections that reach only allowed addresses. The check is made on the address that is actually connected to, so
 * that neither DNS rebinding nor a redirect can bypass it.
 */

import { lookup as systemLookup } from "node:dns";
import { type LookupFunction, type Socket, isIP } from "node:net";
import type { Dispatcher, buildConnector } from "undici";
import { Refusal } from "../shared/refusal.ts";
import { certificateFor, checkedProxy, isLoopbackName } from "./proxy.ts";
import { undici } from "./undici.ts";
import { isPublicAddress } from "./web-address.ts";

/** DNS lookup and the check for public addresses; tests replace it. */
export interface Network {
  readonly lookup: Lookup;
  readonly isPublic: (address: string) => boolean;
}

interface FoundAddress {
  readonly address: string;
  readonly family: number;
}

type Lookup = (
  hostname: string,
  options: { readonly all: true },
  done: (error: Error | null, addresses: readonly FoundAddress[]) => void,
) => void;

export const SYSTEM_NETWORK: Network = {
  lookup: (hostname, options, done) => systemLookup(hostname, options, done),
  isPublic: isPublicAddress,
};

const CONNECT_MS = 15_000;

export interface Connections {
  readonly agent: Dispatcher;
  /** Closes all connections, including those that are still being opened. */
  readonly close: () => Promise<void>;
}

export function connections(network: Network, allowPrivate: boolean): Connections {
  const { Agent, buildConnector: connector } = undici();
  const check = (host: string, addresses: readonly string[]): Error | undefined => {
    // One private address among public ones is as suspicious as only private ones.
    const found = addresses.find((address) => !network.isPublic(address));
    return found === undefined || allowPrivate ? undefined : privateHost(host, found);
  };
  const lookup = checkedLookup(network.lookup, check);
  const connectTo = (host: string): Connect =>
    connector({ timeout: CONNECT_MS, lookup, ...certificateFor(host) }) as Connect;
  const sockets = new Set<Socket>();
  const checked: buildConnector.connector = (options, done) => {
    const literal = options.hostname.replace(/^\[|\]$/g, "");
    // A host that is an IP address is not looked up.
    const refused = isIP(literal) === 0 ? undefined : check(literal, [literal]);
    if (refused !== undefined) return done(refused, null);
    const socket = connectTo(literal)(options, done);
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  };
  const direct = (): Connections => {
    const agent = new Agent({ connect: checked });
    return { agent, close: () => agent.destroy() };
  };
  const through = checkedProxy(checked, (host, done) =>
    checkHost(network.lookup, host, (found) => done(check(host, found))),
  );
  const { agent, close } = through ?? direct();
  const closeAll = (): Promise<void> => {
    // The agent does not track connections that are still being opened.
    for (const socket of sockets) socket.destroy(new Error("closed"));
    return close();
  };
  return { agent, close: closeAll };
}

/**
 * Finds the addresses of a host before a proxy gets it. The proxy resolves the name itself, so a name that has no
 * address here is left to it.
 */
function checkHost(lookup: Lookup, host: string, done: (addresses: readonly string[]) => void): void {
  if (isIP(host) !== 0) return done([host]);
  if (isLoopbackName(host)) return done(["127.0.0.1"]);
  lookup(host, { all: true }, (error, addresses) =>
    done(error === null ? addresses.map(({ address }) => address) : []),
  );
}

/** The types of undici do not say that the connector returns the socket before it is connected. */
type Connect = (...given: Parameters<buildConnector.connector>) => Socket;

type Check = (host: string, addresses: readonly string[]) => Error | undefined;

/** A lookup that fails if the check refuses one of the addresses. */
export function checkedLookup(lookup: Lookup, check: Check): LookupFunction {
  return (hostname, options, done) => {
    lookup(hostname, { all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      const problem =
        error ??
        check(
          hostname,
          (addresses ?? []).map(({ address }) => address),
        );
      if (problem !== undefined) return done(problem, "", 0);
      if (first === undefined) return done(new Refusal(`${hostname} has no IP address.`), "", 0);
      if (options.all === true) return done(null, [...addresses]);
      done(null, first.address, first.family);
    });
  };
}

function privateHost(host: string, address: string): Refusal {
  const where = host === address ? host : `${host} (${address})`;
  return new Refusal(
    `${where} is an address of this machine or a private network, and only public addresses are allowed`,
  );
}
