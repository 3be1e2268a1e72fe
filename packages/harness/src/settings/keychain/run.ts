/** Runs a program of the system's keychain: with a time limit, and with secrets only on its input and output. */

import { execFile } from "node:child_process";
import type { Environment } from "../place.ts";

export interface KeychainProgram {
  /** An absolute path. */
  readonly program: string;
  readonly env: Environment;
  /** Default: 20,000. The user can be asked for a password meanwhile. */
  readonly limitMs?: number;
}

/** Why the keychain cannot be used. */
export class KeychainFailure extends Error {}

/** It did not answer in time. */
export class KeychainSilent extends KeychainFailure {}

interface Printed {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const LIMIT_MS = 20_000;
const MOST_BYTES = 1_000_000;

/** What these programs need to find the service, the user and a window for the password. */
const PASSED =
  /^(?:HOME|PATH|USER|LOGNAME|LANG|LC_ALL|TMPDIR|DBUS_SESSION_BUS_ADDRESS|XDG_RUNTIME_DIR|XDG_DATA_HOME|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY)$/;

/** Rejects if the program does not start or does not end in time. */
export function runKeychain(
  { program, env, limitMs = LIMIT_MS }: KeychainProgram,
  args: readonly string[],
  input = "",
): Promise<Printed> {
  const options = {
    env: Object.fromEntries(Object.entries(env).filter(([name]) => PASSED.test(name))),
    cwd: "/",
    timeout: limitMs,
    killSignal: "SIGKILL",
    maxBuffer: MOST_BYTES,
  } as const;
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      if (error === null) return resolve({ code: 0, stdout, stderr: stderr.trim() });
      if (error.killed === true)
        return reject(new KeychainSilent(`it did not answer within ${limitMs / 1000} s`));
      if (typeof error.code === "number") return resolve({ code: error.code, stdout, stderr: stderr.trim() });
      reject(new KeychainFailure(`${program} cannot be run (${String(error.code ?? error.signal)})`));
    });
    // The program can end before it has read its input.
    child.stdin?.on("error", () => {});
    child.stdin?.end(input);
  });
}

/** The first line of what the program says about its failure. */
export function failureOf({ code, stderr }: Printed): KeychainFailure {
  const [line = ""] = stderr.split("\n");
  return new KeychainFailure(line === "" ? `its program ended with code ${code}` : line);
}
