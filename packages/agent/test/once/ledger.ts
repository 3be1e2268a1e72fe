/** Two places that take money: a service with idempotency keys, and a table in Postgres. */

import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** What a tool needs of a place that takes money. */
export interface Ledger {
  /** Charges once per key, however often it is called. */
  charge(key: string, order: string): Promise<string>;
  /** Returns what was charged with the key. If nothing was, nothing will be: later charges with it are refused. */
  close(key: string, order: string): Promise<string | undefined>;
}

/** A running service, and what it did. */
export interface ChargeService {
  readonly url: string;
  /** Every charge, by its order. */
  readonly charged: readonly string[];
  /** Called with each step of a charge, in order. */
  onStep: (step: "received" | "charged" | "answered") => void;
  close(): Promise<void>;
}

/** An HTTP service that honours `Idempotency-Key`. It works for a moment before and after it has charged. */
export async function chargeService(): Promise<ChargeService> {
  const charged: string[] = [];
  const byKey = new Map<string, string | undefined>();
  const server = createServer((request, response) => {
    const key = String(request.headers["idempotency-key"]);
    const order = String(request.headers["x-order"]);
    const isClosing = request.url === "/close";
    if (!isClosing) service.onStep("received");
    const work = (): void => {
      if (!byKey.has(key)) {
        byKey.set(key, isClosing ? undefined : `receipt ${charged.length + 1}`);
        if (!isClosing) charged.push(order);
      }
      if (!isClosing) service.onStep("charged");
      const receipt = byKey.get(key);
      const answer = (): void => {
        response.writeHead(receipt === undefined ? 409 : 200).end(receipt ?? "closed");
        if (!isClosing) service.onStep("answered");
      };
      if (isClosing) answer();
      else setTimeout(answer, 5);
    };
    if (isClosing) work();
    else setTimeout(work, 5);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const service: ChargeService = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    charged,
    onStep: () => {},
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
  return service;
}

export function httpLedger(url: string): Ledger {
  const post = async (path: string, key: string, order: string): Promise<Response> =>
    fetch(`${url}${path}`, { method: "POST", headers: { "Idempotency-Key": key, "X-Order": order } });
  return {
    async charge(key, order) {
      const response = await post("/charges", key, order);
      if (!response.ok) throw new Error(`refused: ${await response.text()}`);
      return response.text();
    },
    async close(key, order) {
      const response = await post("/close", key, order);
      return response.ok ? response.text() : undefined;
    },
  };
}

/** A table with one row per key, reached with psql through a socket in this folder. */
export function postgresLedger(folder: string): Ledger {
  const state = async (wanted: string, key: string, order: string): Promise<string> => {
    const script =
      "insert into charges values (:'key', :'order', :'state') on conflict (key) do nothing;\n" +
      "select state from charges where key = :'key';\n";
    return (await psql(folder, script, { key, order, state: wanted })).trim();
  };
  return {
    async charge(key, order) {
      if ((await state("charged", key, order)) !== "charged") throw new Error("refused: closed");
      return `receipt of ${order}`;
    },
    close: async (key, order) =>
      (await state("closed", key, order)) === "charged" ? `receipt of ${order}` : undefined,
  };
}

export function psql(
  folder: string,
  script: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<string> {
  const set = Object.entries(variables).flatMap(([name, value]) => ["-v", `${name}=${value}`]);
  return new Promise((resolve, reject) => {
    const child = execFile(
      "psql",
      ["-h", folder, "-U", "postgres", "-qAtX", "-v", "ON_ERROR_STOP=1", ...set, "postgres"],
      (error, stdout, stderr) =>
        error === null ? resolve(stdout) : reject(new Error(`${error.message} ${stderr}`)),
    );
    child.stdin?.end(script);
  });
}
