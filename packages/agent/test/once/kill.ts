/** Kills a session that charges orders, and starts it again until it is done. */

import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));
const CHILD = fileURLToPath(new URL("charge-child.ts", import.meta.url));

export interface Place {
  readonly kind: "http" | "postgres";
  readonly where: string;
}

/** Called when the session is ready to work. `kill` ends it at once, wherever it is. */
export type Killer = (kill: () => void) => void;

/** Starts the session once per killer, and once more to finish. Returns what the last one printed. */
export async function killed({ kind, where }: Place, killers: readonly Killer[]): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), "runahead-once-"));
  try {
    let printed = "";
    for (const killer of [...killers, undefined]) {
      printed = await start([home, kind, where], killer);
      if (printed !== "") break;
    }
    return printed;
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/** Resolves with what it printed after it was ready: empty if it was killed. */
function start(parameters: readonly string[], killer: Killer | undefined): Promise<string> {
  const child = spawn(process.execPath, ["--import", "tsx", CHILD, ...parameters], {
    cwd: ROOT,
    stdio: ["ignore", "pipe", "inherit"],
  });
  let printed = "";
  child.stdout.on("data", (data: Buffer) => {
    const isReady = printed === "";
    printed += String(data);
    if (isReady) killer?.(() => child.kill("SIGKILL"));
  });
  return new Promise((resolve) => child.on("close", () => resolve(printed.replace("ready\n", "").trim())));
}
