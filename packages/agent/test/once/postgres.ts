/** A Postgres server of its own, in a temporary folder, reached through a socket there. */

import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const BIN = "/usr/lib/postgresql/15/bin";

export const hasPostgres = existsSync(join(BIN, "initdb"));

export interface PostgresServer {
  /** The folder of its socket. */
  readonly folder: string;
  close(): void;
}

export function postgresServer(): PostgresServer {
  const folder = mkdtempSync(join(tmpdir(), "runahead-pg-"));
  chmodSync(folder, 0o777);
  const data = join(folder, "data");
  const run = (program: string, words: readonly string[]): void => {
    const command = [join(BIN, program), ...words];
    // Postgres refuses to run as root.
    const all = process.getuid?.() === 0 ? ["runuser", "-u", "postgres", "--", ...command] : command;
    execFileSync(all[0] as string, all.slice(1), { stdio: "ignore", cwd: "/" });
  };
  run("initdb", ["-D", data, "-A", "trust", "-U", "postgres", "--no-sync"]);
  const options = `-k ${folder} -c listen_addresses=''`;
  run("pg_ctl", ["-D", data, "-o", options, "-l", join(folder, "log"), "-w", "start"]);
  return {
    folder,
    close: () => {
      run("pg_ctl", ["-D", data, "-m", "immediate", "-w", "stop"]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
