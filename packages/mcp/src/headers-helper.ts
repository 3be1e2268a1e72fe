/** `headersHelper`: a command that prints the headers of a server, for tokens that expire. */

import { execFile } from "node:child_process";
import { isShape, messageOf } from "@runahead/base";
import { McpFailure } from "./failure.ts";
import type { OpenSpec } from "./open-spec.ts";

const LIMIT_MS = 10_000;
const MOST_BYTES = 1_000_000;
const SHELL = process.platform === "win32" ? "sh" : "/bin/sh";

interface Helper {
  readonly url: string;
  readonly command: string;
}

/** Runs the command. Rejects if it fails, or does not print an object of strings. */
export async function helperHeaders(spec: OpenSpec, helper: Helper): Promise<Record<string, string>> {
  const { name } = spec.entry;
  let value: unknown;
  try {
    value = JSON.parse(await printed(spec, helper));
  } catch (error) {
    throw new McpFailure(`its headersHelper failed: ${messageOf(error)}`);
  }
  if (isShape(value) && Object.values(value).every((held) => typeof held === "string"))
    return value as Record<string, string>;
  throw new McpFailure(`the headersHelper of ${name} must print a JSON object of strings`);
}

function printed({ entry, cwd, env, added, signal }: OpenSpec, { url, command }: Helper): Promise<string> {
  const facts = { CLAUDE_CODE_MCP_SERVER_NAME: entry.name, CLAUDE_CODE_MCP_SERVER_URL: url };
  const options = {
    cwd,
    env: { ...env, ...added, ...facts },
    signal,
    timeout: LIMIT_MS,
    maxBuffer: MOST_BYTES,
  };
  return new Promise((resolve, reject) => {
    execFile(SHELL, ["-c", command], options, (error, stdout, stderr) => {
      if (error === null) return resolve(stdout);
      const why = error.killed === true ? `it took longer than ${LIMIT_MS / 1000} s` : stderr.trim();
      reject(why === "" ? error : new Error(why));
    });
  });
}
