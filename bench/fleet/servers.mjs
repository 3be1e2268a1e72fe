/** Postgres for the benchmark of the fleet, and what the processes of this machine use. */

import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmdirSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { freePort, startChild, until } from "../services.mjs";

const WORKER = new URL("worker.mjs", import.meta.url).pathname;
/** The kernel counts CPU time in hundredths of a second. */
const TICK_MS = 10;

/** The path of a program of Postgres. */
export function programOf(name) {
  const versions = "/usr/lib/postgresql";
  return existsSync(versions) ? `${versions}/${readdirSync(versions).toSorted().at(-1)}/bin/${name}` : name;
}

export async function startPostgres(folder) {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) spawnSync("chown", ["postgres", folder]);
  const as = (program, args) =>
    isRoot ? ["runuser", ["-u", "postgres", "--", program, ...args]] : [program, args];
  const data = join(folder, "data");
  const port = await freePort();
  const made = ["-D", data, "--auth=trust", "-U", "postgres", "-E", "UTF8", "--no-locale"];
  spawnSync(...as(programOf("initdb"), made), { cwd: "/" });
  // Durable, as in production: every commit waits for the disk.
  const settings = [
    "listen_addresses=127.0.0.1",
    `port=${port}`,
    "max_connections=300",
    "shared_buffers=256MB",
  ];
  const args = ["-D", data, "-k", folder, ...settings.flatMap((one) => ["-c", one])];
  spawn(...as(programOf("postgres"), args), { stdio: "ignore", cwd: "/" });
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  // A connection for each look would cost the server more than the look.
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  pool.on("error", () => {});
  const query = async (sql) => (await pool.query(sql)).rows;
  await until(async () => (await query("SELECT 1")).length === 1, "Postgres");
  const pid = Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]);
  const limit = cpuLimit(pid);
  const stop = () => {
    spawnSync(...as(programOf("pg_ctl"), ["stop", "-D", data, "-m", "immediate"]), { cwd: "/" });
    limit.remove();
  };
  return { url, query, stop, cpuMs: () => familyCpuMs(pid), limitCpu: (cores) => limit.set(cores) };
}

/** A short period, so that a server that has used its share waits for milliseconds only. */
const PERIOD_US = 10_000;
const GROUPS = "/sys/fs/cgroup";

/** Limits the CPU of a process and its children, also later ones, with a control group of Linux. Needs root. */
function cpuLimit(pid) {
  const isUnified = existsSync(`${GROUPS}/cgroup.controllers`);
  const root = isUnified ? GROUPS : `${GROUPS}/cpu`;
  const group = `${root}/runahead-bench-${process.pid}`;
  const enter = () => {
    if (isUnified) writeFileSync(`${root}/cgroup.subtree_control`, "+cpu");
    mkdirSync(group);
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
    for (const one of [pid, ...children]) writeFileSync(`${group}/cgroup.procs`, String(one));
  };
  return {
    /** Infinity: no limit. */
    set(cores) {
      try {
        if (!existsSync(group)) enter();
        const quota = Number.isFinite(cores) ? Math.round(cores * PERIOD_US) : undefined;
        if (isUnified) return writeFileSync(`${group}/cpu.max`, `${quota ?? "max"} ${PERIOD_US}`);
        writeFileSync(`${group}/cpu.cfs_period_us`, String(PERIOD_US));
        writeFileSync(`${group}/cpu.cfs_quota_us`, String(quota ?? -1));
      } catch (cause) {
        throw new Error("Limiting the CPU of Postgres needs Linux, root and writable control groups", {
          cause,
        });
      }
    },
    /** Once the process has ended. */
    remove() {
      if (existsSync(group)) rmdirSync(group);
    },
  };
}

/** The CPU time of a process and its children, in milliseconds. */
export function familyCpuMs(parent) {
  let ticks = 0;
  for (const name of readdirSync("/proc").filter((one) => /^\d+$/.test(one))) {
    let fields;
    try {
      fields = readFileSync(`/proc/${name}/stat`, "utf8")
        .replace(/^.*\) /, "")
        .split(" ");
    } catch {
      continue;
    }
    const [ppid, user, system, childUser, childSystem] = [1, 11, 12, 13, 14].map((at) => Number(fields[at]));
    if (Number(name) === parent) ticks += user + system + childUser + childSystem;
    else if (ppid === parent) ticks += user + system;
  }
  return ticks * TICK_MS;
}

/** The time that all cores were busy and idle, in milliseconds. */
export function machineTimes() {
  const all = cpus().map(({ times }) => times);
  const idle = all.reduce((sum, one) => sum + one.idle, 0);
  const total = all.reduce((sum, one) => sum + one.user + one.nice + one.sys + one.irq + one.idle, 0);
  return { busy: total - idle, total };
}

/** Starts a worker that waits for `go`. */
export function startWorker({ database, redis, name, slots = 8, toolMs = 0 }) {
  return startChild(WORKER, database.url, redis.url, name, String(slots), String(toolMs));
}

export function ask(child, message) {
  return new Promise((resolve) => {
    child.once("message", resolve);
    child.send(message);
  });
}

export const cpuMs = ({ user, system }) => (user + system) / 1_000;
