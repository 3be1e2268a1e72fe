import { appendFile, mkdir, mkdtemp, readFile, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Around } from "@runahead/engine";
import { afterEach, beforeEach, expect, test } from "vitest";
import { StoredOutputs, removeOldOutputs } from "./stored-outputs.ts";

let base: string;
let folder: string;
let texts: Map<string, string>;
let names: Record<string, string>;
let notices: string[];
beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "stored-outputs-"));
  folder = join(base, "tenant.x", "session");
  [texts, names, notices] = [new Map(), {}, []];
  await mkdir(join(base, "tenant.x"), { mode: 0o700 });
});
afterEach(() => rm(base, { recursive: true, force: true }));

/** The outputs of one run. The store and the state of the session outlive it. */
const run = () =>
  new StoredOutputs({
    folder,
    keep: async ({ text }) => {
      texts.set(`text-${texts.size}`, text);
      return `text-${texts.size - 1}`;
    },
    read: async (name) => texts.get(name),
    names: () => names,
    note: (set) => void (names = { ...names, ...set }),
    onNotice: (message) => notices.push(message),
  });

/** Runs a tool with this input. */
const call = (outputs: StoredOutputs, input: unknown, tool: () => unknown): unknown =>
  outputs.around({ input } as Parameters<Around>[0], async () => tool());

async function files(): Promise<string[]> {
  const found = await readdir(base, { recursive: true, withFileTypes: true });
  return found.filter((one) => one.isFile()).map(({ name }) => name);
}

test("a large result is a file that a call of a later run finds again, and no run leaves files", async () => {
  const first = run();
  const path = await first.store({ callId: "c/1", text: "one\n" });
  expect(path.startsWith(join(folder, "results", "c_1-"))).toBe(true);
  expect([await readFile(path, "utf8"), (await stat(path)).mode & 0o777]).toEqual(["one\n", 0o600]);
  await first.settle();
  expect(await files()).toEqual([]);
  const later = run();
  const read = (): Promise<string> => readFile(path, "utf8");
  expect(await call(later, { deep: [{ command: `head -1 '${path}' | wc` }] }, read)).toBe("one\n");
  expect(await call(later, { file_path: path }, read)).toBe("one\n");
  await later.settle();
  expect([await files(), texts.size, notices]).toEqual([[], 1, []]);
});

test("a file that the output or the error of a call names is kept, also what is written to it later", async () => {
  const first = run();
  const paths = ["a.out", "b.out", "c.out"].map((name) => join(folder, name));
  await mkdir(folder, { mode: 0o700 });
  for (const path of paths) await writeFile(path, "begin\n");
  const [ended, failed, unnamed] = paths;
  await call(first, {}, () => ({ text: `… The full output is in ${ended}. Read it.` }));
  const thrown = call(first, {}, () => {
    throw new Error(`Exit code 1\nThe full output is in ${failed}.`);
  });
  await expect(thrown).rejects.toThrow("Exit code 1");
  await appendFile(ended ?? "", "more\n");
  await first.settle();
  expect(await files()).toEqual([]);
  const later = run();
  const read = (path = "") => call(later, { path }, () => readFile(path, "utf8"));
  expect([await read(ended), await read(failed)]).toEqual(["begin\nmore\n", "begin\n"]);
  await expect(read(unnamed)).rejects.toThrow(/ENOENT/);
});

test("a text that was deleted from the store is an error that says so, and the call does not run", async () => {
  const path = await run().store({ callId: "c1", text: "one" });
  await run().settle();
  texts.clear();
  let ran = false;
  await expect(call(run(), path, () => (ran = true))).rejects.toThrow(
    `${path} was deleted from the store of the session.`,
  );
  expect(ran).toBe(false);
});

test("paths outside of the folder are neither read nor written, whatever the state says", async () => {
  await writeFile(join(base, "secret"), "secret");
  names = { "../../secret": "text-0", "../other/x": "text-0", [join(base, "y")]: "text-0" };
  texts.set("text-0", "overwritten");
  const outputs = run();
  for (const name of ["../../secret", "../other/x", "a/../../../secret"])
    await call(outputs, `${folder}/${name}`, () => `in ${folder}/${name}`);
  await outputs.settle();
  expect([await files(), await readFile(join(base, "secret"), "utf8"), texts.size]).toEqual([
    ["secret"],
    "secret",
    1,
  ]);
});

test("a store that fails does not fail a call that has run, and is reported", async () => {
  const outputs = new StoredOutputs({
    folder,
    keep: () => Promise.reject(new Error("the bucket is away")),
    read: () => Promise.reject(new Error("the bucket is away")),
    names: () => ({ "b.out": "text-0" }),
    note: () => {},
    onNotice: (message) => notices.push(message),
  });
  await mkdir(folder, { mode: 0o700 });
  await writeFile(join(folder, "a.out"), "x");
  const output = { text: `It is in ${folder}/a.out` };
  expect(await call(outputs, {}, () => output)).toBe(output);
  expect(notices).toEqual(["Cannot keep the output a.out in the store: the bucket is away"]);
  await expect(call(outputs, `${folder}/b.out`, () => 1)).rejects.toThrow(
    `Cannot read ${folder}/b.out from the store of the session: the bucket is away`,
  );
  await expect(outputs.store({ callId: "c", text: "x" })).rejects.toThrow("the bucket is away");
});

test("what killed processes have left is removed when it is old", async () => {
  for (const session of ["old", "new"]) {
    await mkdir(join(base, "t", session, "results"), { recursive: true });
    await writeFile(join(base, "t", session, "results", "x.txt"), "x");
  }
  const before = new Date("2020-01-01");
  for (const path of ["t/old/results/x.txt", "t/old/results", "t/old"])
    await utimes(join(base, path), before, before);
  await removeOldOutputs(base, Date.parse("2021-01-01"));
  expect(await files()).toEqual(["x.txt"]);
  expect([await readdir(join(base, "t")), await readdir(join(base, "t", "new"))]).toEqual([
    ["new"],
    ["results"],
  ]);
  await removeOldOutputs(join(base, "absent"), Date.now());
});
