import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { SessionLocked } from "./error.ts";
import { type Lock, lockHolder, lockPath, takeLock } from "./lock.ts";

const folders: string[] = [];
afterEach(() => Promise.all(folders.splice(0).map((path) => rm(path, { recursive: true, force: true }))));

async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "lock-"));
  folders.push(folder);
  return folder;
}

/** The name that a lock of this process has, with parts of it changed. */
async function leftBehind(folder: string, change: (parts: string[]) => void): Promise<void> {
  const lock = await takeLock(folder, "model");
  const [name = ""] = await readdir(lockPath(folder, "model"));
  await lock.release();
  const parts = name.split(".");
  change(parts);
  await mkdir(lockPath(folder, "a"));
  await writeFile(join(lockPath(folder, "a"), parts.join(".")), "");
}

test("G05: a session has one holder, and after its release another; nothing is left", async () => {
  const folder = await newFolder();
  const lock = await takeLock(folder, "a");
  const error = await takeLock(folder, "a").catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(SessionLocked);
  expect((error as SessionLocked).message).toContain(
    `in use by this process (${process.pid}), which has opened it before. Close the agent or session`,
  );
  expect(await lockHolder(folder, "a")).toBe(process.pid);
  await lock.release();
  expect(await lockHolder(folder, "a")).toBeUndefined();
  await (await takeLock(folder, "a")).release();
  expect(await readdir(folder)).toEqual([]);
});

test("G05: of many that want a lock that was left behind, exactly one gets it", async () => {
  const folder = await newFolder();
  await leftBehind(folder, (parts) => (parts[1] = "1"));
  const attempts = Array.from({ length: 20 }, () =>
    takeLock(folder, "a").catch((error: unknown) => {
      if (error instanceof SessionLocked) return undefined;
      throw error;
    }),
  );
  const held = (await Promise.all(attempts)).filter((lock): lock is Lock => lock !== undefined);
  expect(held).toHaveLength(1);
  expect(await readdir(lockPath(folder, "a"))).toHaveLength(1);
});

test("G05, F06, F16: a lock is stale if its process is gone, its pid was reused, or the machine was rebooted", async () => {
  const changes: ((parts: string[]) => void)[] = [
    (parts) => (parts[0] = "4194305"),
    (parts) => (parts[1] = "1"),
    (parts) => (parts[2] = "0badb007"),
  ];
  for (const change of changes) {
    const folder = await newFolder();
    await leftBehind(folder, change);
    await (await takeLock(folder, "a")).release();
    expect(await readdir(folder)).toEqual([]);
  }
});

test("G05: a lock of a process that is not visible from here is not stolen", async () => {
  const changes: ((parts: string[]) => void)[] = [
    (parts) => (parts[3] = "another"),
    (parts) => ([parts[2], parts[4]] = ["0badb007", "elsewhere"]),
    (parts) => (parts[0] = "not-a-number"),
  ];
  for (const change of changes) {
    const folder = await newFolder();
    await leftBehind(folder, (parts) => {
      parts[0] = "4194305";
      change(parts);
    });
    await expect(takeLock(folder, "a")).rejects.toThrow(SessionLocked);
    expect(await readdir(lockPath(folder, "a"))).toHaveLength(1);
  }
});

test("a lock whose directory was deleted can be acquired again", async () => {
  const folder = await newFolder();
  const lock = await takeLock(folder, "a");
  await rm(lockPath(folder, "a"), { recursive: true });
  await lock.renew();
  await expect(takeLock(folder, "a")).rejects.toThrow(SessionLocked);
  await lock.release();
});
