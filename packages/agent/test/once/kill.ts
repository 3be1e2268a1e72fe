/** Kills a session that charges orders, and starts it again until it is done. */

import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export const CHARGE_CHILD = new URL("charge-child.ts", import.meta.url);

export interface Place {
  /** The path of the bundled program. */
  readonly program: string;
  readonly kind: "http" | "postgres";
  readonly where: string;
  /** The orders are called after it. Default: `order`. */
  readonly name?: string;
  /** What the program does wrong on purpose. Default: nothing. */
  readonly fault?: "none" | "key" | "reconcile";
}

/** Called with each line that the session prints, in order. `kill` ends it at once, wherever it is. */
export type Killer = (line: string, kill: () => void) => void;

/** What happened to a session. */
export interface Killed {
  /** How the last run of it ended. */
  last: string;
  kills: number;
  /** How many of the kills came while a charge was running. */
  hits: number;
  /** What the service said about these charges afterwards. */
  hadCharged: number;
  hadNotCharged: number;
}

/** Starts the session once per killer, and once more to finish. */
export async function killed(place: Place, killers: readonly Killer[]): Promise<Killed> {
  const home = await mkdtemp(join(tmpdir(), "runahead-once-"));
  const sum: Killed = { last: "", kills: 0, hits: 0, hadCharged: 0, hadNotCharged: 0 };
  try {
    for (const killer of [...killers, undefined]) {
      const { lines, isKilled } = await start(place, home, killer);
      const count = (wanted: string): number => lines.filter((line) => line === wanted).length;
      sum.hadCharged += count("had-charged");
      sum.hadNotCharged += count("had-not-charged");
      sum.last = lines.find((line) => line.startsWith("done: "))?.slice("done: ".length) ?? "";
      if (isKilled) sum.kills++;
      if (isKilled && count("started") > count("ended")) sum.hits++;
      if (sum.last !== "" || !isKilled) break;
    }
    return sum;
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

interface Run {
  readonly lines: readonly string[];
  readonly isKilled: boolean;
}

function start(
  { program, kind, where, name = "order", fault = "none" }: Place,
  home: string,
  killer: Killer = () => {},
): Promise<Run> {
  const child = spawn(process.execPath, [program, home, kind, where, name, fault], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: string[] = [];
  let rest = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    const parts = (rest + text).split("\n");
    rest = parts.pop() ?? "";
    for (const line of parts) {
      lines.push(line);
      killer(line, () => child.kill("SIGKILL"));
    }
  });
  return new Promise((resolve) =>
    child.on("close", (_code, signal) => resolve({ lines, isKilled: signal === "SIGKILL" })),
  );
}
