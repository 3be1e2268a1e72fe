/** The protocol's conformance suite, which starts our client once for each scenario. */

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";

export interface Suite {
  /** The suite of today needs a newer Node than we do. */
  readonly node: string;
  readonly script: string;
}

export interface Ran {
  readonly scenario: string;
  readonly passed: boolean;
  /** As the suite sums it up. */
  readonly summary: string;
}

/** The latest that runs on Node 20; `run.ts` runs the one of today. */
export const SUITE: Suite = {
  node: process.execPath,
  script: fileURLToPath(import.meta.resolve("@modelcontextprotocol/conformance/dist/index.js")),
};

/** Those that do not concern us, and why. */
export const NOT_OURS: readonly (readonly [RegExp, string])[] = [
  [
    /^auth\/metadata-var[23]$/,
    "the suite's server names another issuer than its address, which RFC 8414 forbids",
  ],
  [/^auth\/scope-step-up$/, "a connection never opens a browser: the user logs in again with --scope"],
  [/^auth\/client-credentials-/, "programs that log in without a user are not supported"],
  [/^sep-2640-/, "skills are an extension of the protocol that is not offered"],
];

const CLIENT = fileURLToPath(new URL("./client.ts", import.meta.url));
const LIMIT_MS = 60_000;

/** All that the suite has for clients. */
export async function scenariosOf(suite: Suite): Promise<readonly string[]> {
  const { output } = await run(suite, ["list"]);
  const [forClients] = output.slice(output.indexOf("Client scenarios")).split("\n\n");
  return [...(forClients ?? "").matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name as string);
}

export function isOurs(scenario: string): boolean {
  return !NOT_OURS.some(([pattern]) => pattern.test(scenario));
}

/** They take long, so they are not part of every test run. */
export function isLogin(scenario: string): boolean {
  return scenario.startsWith("auth/");
}

export async function runScenario(suite: Suite, scenario: string): Promise<Ran> {
  const command = `${process.execPath} --import tsx ${CLIENT}`;
  const { code, output } = await run(suite, ["client", "--command", command, "--scenario", scenario]);
  const summary = /^Passed: .*/m.exec(output)?.[0] ?? output.slice(-500);
  return { scenario, passed: code === 0, summary };
}

function run(
  { node, script }: Suite,
  args: readonly string[],
): Promise<{ readonly code: number; readonly output: string }> {
  const cwd = fileURLToPath(new URL("../../../agent/", import.meta.url));
  return new Promise((resolve) => {
    const child = execFile(
      node,
      [script, ...args],
      { cwd, timeout: LIMIT_MS, maxBuffer: 50_000_000 },
      (_, out, err) => resolve({ code: child.exitCode ?? 1, output: `${out}${err}` }),
    );
  });
}
