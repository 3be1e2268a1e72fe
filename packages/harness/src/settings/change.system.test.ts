import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { newWorld, removeWorlds } from "../../test/fixtures/settings/world.ts";
import { changeFile } from "./change.ts";
import { NotSaved } from "./error.ts";
import { loadSettings } from "./load.ts";
import { takeLock } from "./lock.ts";
import { saveRule } from "./save.ts";
import { trustIn } from "../trust/trust.ts";

afterEach(removeWorlds);

const LOCAL = "project/.runahead/settings.local.json";

/** A real process that runs this, with `save` for an allow rule, `trust` for a folder, and `say`. */
function startSaver({ project, home }: { project: string; home: string }, body: string) {
  const url = (name: string): string => JSON.stringify(new URL(name, import.meta.url).href);
  const script = `import { saveRule } from ${url("./save.ts")};
    import { trustIn } from ${url("../trust/trust.ts")};
    const save = (rule) => saveRule({ level: "local", behavior: "allow", rule, cwd: ${JSON.stringify(project)} });
    const { trust } = trustIn({ home: ${JSON.stringify(home)}, env: {} });
    const say = (words) => new Promise((done) => process.stdout.write(words + "\\n", done));
    ${body}`;
  const args = ["--import", "tsx", "--input-type=module", "-e", script];
  return spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
}

async function rulesIn(path: string): Promise<string[]> {
  const { permissions } = JSON.parse(await readFile(path, "utf8")) as { permissions: { allow: string[] } };
  return permissions.allow;
}

test("G07: twenty processes that save rules and trust folders at once lose nothing, and no reader sees half a file", async () => {
  const world = await newWorld();
  const path = await world.write(LOCAL, { kept: [1] });
  const roots = Array.from({ length: 20 }, (_, index) => join(world.folder, `root-${index}`));
  await Promise.all(roots.map((root) => mkdir(root)));
  const savers = roots.map((root, index) =>
    startSaver(
      world,
      `await trust(${JSON.stringify(root)});
       for (let at = 0; at < 3; at++) await save("Bash(${index}-" + at + ")");`,
    ),
  );
  const exits = savers.map(async (saver) => ((await once(saver, "exit")) as [number])[0]);
  const ended = Promise.all(exits).then(() => "ended" as const);
  let reads = 0;
  while ((await Promise.race([ended, pause(1, "running" as const)])) === "running") {
    expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ kept: [1] });
    reads++;
  }
  expect(await Promise.all(exits)).toEqual(savers.map(() => 0));
  expect(reads).toBeGreaterThan(10);
  const expected = savers.flatMap((_, index) => [0, 1, 2].map((at) => `Bash(${index}-${at})`));
  expect((await rulesIn(path)).toSorted()).toEqual(expected.toSorted());
  const trust = trustIn(world.options);
  expect(JSON.parse(await readFile(trust.path, "utf8"))).toEqual({ trusted: roots.toSorted() });
  const left = await Promise.all([path, trust.path].map((file) => readdir(dirname(file))));
  expect(left).toEqual([["settings.local.json"], ["trust.json"]]);
});

test("E06: a process that is killed while saving leaves the old or the new content, and the next one works", async () => {
  const world = await newWorld();
  const path = join(world.folder, LOCAL);
  const acknowledged: string[] = [];
  for (let round = 0; round < 8; round++) {
    const rule = `"Bash(${round}-" + at + ")"`;
    const saver = startSaver(world, `for (let at = 0; ; at++) { await save(${rule}); await say(${rule}); }`);
    let said = "";
    saver.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      said += chunk;
      // At another moment after the first each time.
      if (said.includes("\n")) setTimeout(() => saver.kill("SIGKILL"), round * 3);
    });
    await once(saver, "close");
    acknowledged.push(...said.split("\n").slice(0, -1));
    const rules = await rulesIn(path);
    expect(acknowledged.filter((saved) => !rules.includes(saved))).toEqual([]);
  }
  expect(acknowledged.length).toBeGreaterThanOrEqual(8);
  await saveRule({ level: "local", behavior: "allow", rule: "Bash(last)", cwd: world.project });
  expect(await readdir(dirname(path))).toEqual(["settings.local.json"]);
});

test("E06: temporary files of a killed process are never read, and are removed", async () => {
  const world = await newWorld();
  const path = await world.write(LOCAL, { model: "old" });
  await writeFile(`${path}.0b8f.next`, '{"model": "ne');
  const { model, isIncomplete } = await loadSettings({ ...world.options, isTrusted: true });
  expect([model, isIncomplete]).toEqual(["old", false]);
  await saveRule({ level: "local", behavior: "allow", rule: "Bash(x)", cwd: world.project });
  expect(await readdir(dirname(path))).toEqual(["settings.local.json"]);
});

test("a lock that is not released is reported after a while, and the file does not change", async () => {
  const world = await newWorld();
  const path = await world.write("home/a.json", "old");
  const release = await takeLock(path, 0);
  const change = changeFile({ path, mode: 0o600, waitMs: 10 }, () => Promise.resolve("new"));
  const why = `it has been locked by process ${process.pid} for more than 10 ms. If that process is gone, delete ${path}.lock.`;
  await expect(change).rejects.toThrow(new NotSaved(path, why));
  await release();
  expect(await readFile(path, "utf8")).toBe("old");
  await changeFile({ path, mode: 0o600 }, () => Promise.resolve("new"));
  expect([await readFile(path, "utf8"), await readdir(world.home)]).toEqual(["new", ["a.json"]]);
});

test("F06: a lock is stale if its process is gone or its pid was reused, but not if the process cannot be seen", async () => {
  const world = await newWorld();
  const path = join(world.home, "a.json");
  const release = await takeLock(path, 0);
  const [name = ""] = await readdir(`${path}.lock`);
  await release();
  const [pid, start, host, token] = name.split(".");
  const left = async (...parts: (string | undefined)[]): Promise<string> => {
    await mkdir(`${path}.lock`, { recursive: true });
    await writeFile(join(`${path}.lock`, parts.join(".")), "");
    const outcome = await takeLock(path, 0).then(
      (free) => free().then(() => "taken"),
      () => "refused",
    );
    await rm(`${path}.lock`, { recursive: true, force: true });
    return outcome;
  };
  expect([
    await left("4194305", start, host, token),
    await left(pid, "1", host, token),
    await left(pid, start, host, token),
    await left("4194305", start, "elsewhere", token),
    await left("not-a-number", start, host, token),
  ]).toEqual(["taken", "taken", "refused", "refused", "refused"]);
});

test("a file that cannot be written is reported, and no temporary file is left", async () => {
  const world = await newWorld();
  await mkdir(join(world.home, "a.json", "inner"), { recursive: true });
  const path = join(world.home, "a.json");
  const change = changeFile({ path, mode: 0o600 }, () => Promise.resolve("new"));
  await expect(change).rejects.toThrow(NotSaved);
  expect(await readdir(world.home)).toEqual(["a.json"]);
});
