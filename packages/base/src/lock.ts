/**
 * A lock that one process holds at a time. Each process puts a file named after itself into a lock directory and then
 * lists the directory, so of two that try at once, the later sees the earlier. Names are unique, so a stale lock is
 * removed without touching another one, and nothing depends on a clock (F16).
 */

import { createHash, randomUUID } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { mkdir, readdir, rmdir, unlink, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { codeOf } from "./error.ts";
import { canSeeProcesses, readProcess } from "./processes.ts";

/** Identifies a process, even if its pid is used again. */
interface Holder {
  readonly pid: number;
  /** Start time in clock ticks since boot. */
  readonly start: string;
  readonly boot: string;
  readonly namespace: string;
  readonly host: string;
}

export interface Lock {
  /** Takes the lock again after its directory was deleted. */
  renew(): Promise<void>;
  release(): Promise<void>;
}

const LOOKS = 20;
const LOOK_MS = 10;

/** `busy`: a running process holds it; the pid is 0 if it is not known. `isOwn`: this process itself does. */
export type Attempt =
  | { readonly type: "held"; readonly lock: Lock }
  | { readonly type: "busy"; readonly pid: number; readonly isOwn: boolean };

/** The locks of this process. A pid is not enough: a process in another container can have the same. */
const OWN = new Set<string>();

export async function tryLock(directory: string): Promise<Attempt> {
  const own = nameOf(thisProcess(), randomUUID());
  try {
    await place(directory, own);
    for (let look = 1; ; look++) {
      const others = await living(directory, own);
      const [first] = others;
      if (first === undefined) return { type: "held", lock: heldLock(directory, own) };
      // Of several that try, the first by name waits until the others have left.
      const isFirst = others.every((other) => tokenOf(own) < tokenOf(other));
      if (!isFirst || look === LOOKS) {
        await leave(directory, own);
        return { type: "busy", pid: parse(first)?.pid ?? 0, isOwn: OWN.has(first) };
      }
      await pause(LOOK_MS);
    }
  } catch (error) {
    await leave(directory, own);
    throw error;
  }
}

/** Returns the pid of the running process that holds the lock; undefined if there is none. */
export async function lockHolder(directory: string): Promise<number | undefined> {
  const [first] = await living(directory, "");
  return first === undefined ? undefined : (parse(first)?.pid ?? 0);
}

function heldLock(directory: string, own: string): Lock {
  return { renew: () => place(directory, own), release: () => leave(directory, own) };
}

/** The last process to leave removes the directory, possibly just after it was made. */
async function place(directory: string, own: string): Promise<void> {
  OWN.add(own);
  for (let attempt = 1; ; attempt++) {
    await mkdir(directory, { mode: 0o700 }).catch((error: unknown) => {
      if (codeOf(error) !== "EEXIST") throw error;
    });
    try {
      return await writeFile(join(directory, own), "", { flag: "a", mode: 0o600 });
    } catch (error) {
      if (codeOf(error) !== "ENOENT" || attempt === LOOKS) throw error;
    }
  }
}

async function leave(directory: string, own: string): Promise<void> {
  OWN.delete(own);
  await unlink(join(directory, own)).catch(() => {});
  await rmdir(directory).catch(() => {});
}

/** Returns the files of other running processes, and removes those of dead ones. */
async function living(directory: string, own: string): Promise<string[]> {
  const names = await readdir(directory).catch((error: unknown) => {
    if (codeOf(error) === "ENOENT") return [];
    throw error;
  });
  const others = names.filter((name) => name !== own);
  const alive = others.filter((name) => !isGone(parse(name)));
  for (const name of others) if (!alive.includes(name)) await unlink(join(directory, name)).catch(() => {});
  return alive;
}

/** A process on another machine or in another container is assumed to be running. */
function isGone(holder: Holder | undefined): boolean {
  if (holder === undefined) return false;
  const here = thisProcess();
  if (holder.boot !== here.boot) return holder.host === here.host;
  if (holder.namespace !== here.namespace) return false;
  return startOf(holder.pid) !== holder.start;
}

let known: Holder | undefined;

function thisProcess(): Holder {
  known ??= {
    pid: process.pid,
    start: startOf(process.pid) ?? "0",
    boot: hash(read("/proc/sys/kernel/random/boot_id")),
    namespace: hash(link("/proc/self/ns/pid")),
    host: hash(hostname()),
  };
  return known;
}

function nameOf({ pid, start, boot, namespace, host }: Holder, token: string): string {
  return [pid, start, boot, namespace, host, token].join(".");
}

function tokenOf(name: string): string {
  return name.slice(name.lastIndexOf(".") + 1);
}

function parse(name: string): Holder | undefined {
  const [pid = "", start = "", boot = "", namespace = "", host = ""] = name.split(".");
  return /^\d+$/.test(pid) ? { pid: Number(pid), start, boot, namespace, host } : undefined;
}

/** Returns undefined if the process does not exist; without /proc, its start time is not known. */
function startOf(pid: number): string | undefined {
  if (canSeeProcesses) return readProcess(pid)?.start.toString();
  try {
    process.kill(pid, 0);
    return "0";
  } catch (error) {
    return codeOf(error) === "EPERM" ? "0" : undefined;
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function link(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}

function hash(text: string): string {
  return text === "" ? "0" : createHash("sha256").update(text).digest("hex").slice(0, 8);
}
