/** The tokens of `runahead serve`. */

import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { ServeToken } from "@runahead/fleet";
import { UsageError } from "@runahead/harness";
import type { World } from "../shared/world.ts";

export interface Tokens {
  readonly tokens: readonly ServeToken[];
  /** The token that was made up, to be shown. */
  readonly shown?: string;
}

const LOOPBACK = /^(?:127\.\d+\.\d+\.\d+|localhost|::1)$/;
const SCOPES = ["read", "write", "answer", "metrics"] as const;

/** A server that other machines can reach needs tokens that its operator chose. */
export async function tokensOf(
  { cwd, env }: World,
  { tokens: file, host }: { readonly tokens?: string; readonly host: string },
): Promise<Tokens> {
  if (file !== undefined) return { tokens: await tokensIn(resolve(cwd, file)) };
  const given = env["RUNAHEAD_SERVE_TOKEN"] ?? "";
  if (given !== "") return { tokens: [{ token: given, scopes: SCOPES }] };
  if (!LOOPBACK.test(host))
    throw new UsageError(
      `--host ${host} can be reached from other machines: give --tokens or set RUNAHEAD_SERVE_TOKEN`,
    );
  const token = randomBytes(24).toString("base64url");
  return { tokens: [{ token, scopes: SCOPES }], shown: token };
}

async function tokensIn(path: string): Promise<readonly ServeToken[]> {
  try {
    const value: unknown = JSON.parse(await readFile(path, "utf8"));
    if (Array.isArray(value)) return value as ServeToken[];
  } catch (error) {
    throw new UsageError(`cannot read --tokens ${path}: ${(error as Error).message}`);
  }
  throw new UsageError(
    `--tokens ${path} must contain an array: [{ "sha256": "…", "tenant": "…", "scopes": […] }]`,
  );
}
