import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readFile, readdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { until } from "../../../agent/test/support/until.ts";
import { newWorld, removeWorlds } from "../../test/fixtures/settings/world.ts";
import type { LoadedSettings } from "./loaded.ts";
import { trustIn } from "../trust/trust.ts";
import { type SettingsWatch, type WatchOptions, watchSettings } from "./watch.ts";

const open: SettingsWatch[] = [];
afterEach(async () => {
  for (const watch of open.splice(0)) watch.close();
  await removeWorlds();
});

const NEVER_MS = 1_000_000;
const OWN = "home/.claude/settings.json";
const PROJECT = "project/.claude/settings.json";

const denies = ({ sources }: LoadedSettings): string[] => sources.flatMap(({ deny }) => deny);
const allows = ({ sources }: LoadedSettings): string[] =>
  sources.filter(({ trusted }) => trusted).flatMap(({ allow }) => allow);
const rules = (allow: string[], deny: string[] = []) => ({ permissions: { allow, deny } });

/** A world whose settings are watched, with its notices. */
async function watched(files: Readonly<Record<string, unknown>>, options: Partial<WatchOptions> = {}) {
  const world = await newWorld();
  for (const [path, content] of Object.entries(files)) await world.write(path, content);
  const changes: (readonly string[])[] = [];
  const watch = await watchSettings(
    { ...world.options, pollMs: NEVER_MS, debounceMs: 5, ...options },
    (_, changed) => {
      changes.push(changed);
    },
  );
  open.push(watch);
  return { world, watch, changes };
}

/** How many folders this process watches; 0 where that cannot be seen. */
async function watchesOfKernel(): Promise<number> {
  const names = await readdir("/proc/self/fdinfo").catch(() => []);
  const texts = await Promise.all(
    names.map((name) => readFile(`/proc/self/fdinfo/${name}`, "utf8").catch(() => "")),
  );
  return texts.join("\n").split("inotify wd:").length - 1;
}

test("D04: fs.watch reports a change at once, and a removed allow rule stops applying", async () => {
  const { world, watch, changes } = await watched({ [OWN]: rules(["A(one)", "A(two)"], ["D(one)"]) });
  expect(allows(watch.current)).toEqual(["A(one)", "A(two)"]);
  await world.write(OWN, rules(["A(two)"], ["D(one)"]));
  await until(() => changes.length > 0 && !allows(watch.current).includes("A(one)"));
  expect([allows(watch.current), denies(watch.current), changes.at(-1)]).toEqual([
    ["A(two)"],
    ["D(one)"],
    expect.arrayContaining(["permissions.allow"]),
  ]);
});

test("a file that is replaced, as editors and git do, is noticed", async () => {
  const { world, watch, changes } = await watched({ [OWN]: { model: "one" } });
  await world.replace(OWN, { model: "two" });
  await until(() => changes.length > 0);
  expect([watch.current.model, changes]).toEqual(["two", [["model"]]]);
});

test("F12: if nothing can be watched, changes are seen by polling, and one notice says so", async () => {
  const notices: string[] = [];
  const options = { pollMs: 10, onNotice: (message: string) => void notices.push(message) };
  const failure = Object.assign(new Error("ENOSPC: no more watches"), { code: "ENOSPC" });
  const watchFolder = (): never => {
    throw failure;
  };
  const { world, watch } = await watched({ [OWN]: { model: "one" } }, { ...options, watchFolder });
  await world.write(OWN, { model: "two" });
  await until(() => watch.current.model === "two");
  expect(notices).toEqual([
    expect.stringMatching(
      /cannot be watched \(ENOSPC: no more watches\): settings are checked every 10 ms instead\.$/,
    ),
  ]);
});

test("F12: a watch that fails later is reported once, and changes are seen by polling", async () => {
  const notices: string[] = [];
  const fails: ((error: Error) => void)[] = [];
  const { world, watch } = await watched(
    { [OWN]: { model: "one" } },
    {
      pollMs: 10,
      onNotice: (message) => void notices.push(message),
      watchFolder: (_path, _onEvent, onError) => (fails.push(onError), { close: () => {} }),
    },
  );
  for (const fail of [...fails, ...fails]) fail(new Error("EMFILE: too many open files, watch"));
  await world.write(OWN, { model: "two" });
  await until(() => watch.current.model === "two");
  expect([notices.length, notices[0]?.includes("(EMFILE: too many open files, watch)")]).toEqual([1, true]);
});

/** In a namespace of its own, a process may take the system's watches from itself. */
test.each([
  ["max_inotify_watches", "ENOSPC"],
  ["max_inotify_instances", "EMFILE"],
])("F12: without the system's %s, settings are still watched", async (limit, code) => {
  const world = await newWorld();
  await world.write(OWN, { model: "one" });
  const script = `
    import { watchSettings } from ${JSON.stringify(import.meta.resolve("./watch.ts"))};
    const onNotice = (message) => console.log(message);
    const options = { cwd: ${JSON.stringify(world.project)}, home: ${JSON.stringify(world.home)}, env: {}, managedPaths: [] };
    const watch = await watchSettings({ ...options, pollMs: 20, onNotice }, ({ model }) => (console.log(model), watch.close()));
    console.log("ready");
    // It lives for as long as its input is open.
    process.stdin.resume();
  `;
  const inside = `echo 0 > /proc/sys/user/${limit}; exec "$0" "$@"`;
  const node = [process.execPath, "--import", "tsx", "--input-type=module", "-e", script];
  const child = spawn("unshare", ["--user", "--map-root-user", "sh", "-c", inside, ...node], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill());
  let said = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => (said += piece));
  await until(() => said.includes("ready"));
  // In one step: the watch of the script ends with the first change, and an empty file would be one.
  await world.replace(OWN, { model: "two" });
  await until(() => said.includes("two"));
  child.stdin.end();
  const [exitCode] = (await once(child, "exit")) as [number];
  const lines = said.trim().split("\n");
  expect([exitCode, lines.length, lines.slice(1)]).toEqual([0, 3, ["ready", "two"]]);
  expect(lines[0]).toMatch(
    new RegExp(`cannot be watched \\(${code}: .*settings are checked every 20 ms instead\\.$`),
  );
});

test("a folder that is created later and the target of a link are noticed by polling", async () => {
  const { world, watch } = await watched({ "elsewhere/mine.json": { model: "one" } }, { pollMs: 10 });
  await mkdir(join(world.home, ".claude"));
  await symlink(join(world.folder, "elsewhere/mine.json"), join(world.folder, OWN));
  await until(() => watch.current.model === "one");
  await world.write("elsewhere/mine.json", { model: "two" });
  await until(() => watch.current.model === "two");
});

test("D05: a file that becomes unreadable keeps its last content, is reported, and is read again later", async () => {
  const { world, watch, changes } = await watched({ [OWN]: rules(["A(one)"], ["D(one)"]) });
  const path = join(world.folder, OWN);
  const breakers: [string, () => Promise<unknown>][] = [
    ["invalid JSON at line 1, column 2", () => writeFile(path, "{")],
    ["invalid JSON at line 1, column 1", () => writeFile(path, "")],
    ["it is larger than 3000000 bytes", () => writeFile(path, " ".repeat(3_000_001))],
    // By another name first: for a moment without a file, the watcher might see that there is none.
    [
      "its symbolic links form a loop",
      async () => (await symlink(path, `${path}.link`), await rename(`${path}.link`, path)),
    ],
  ];
  for (const [words, damage] of breakers) {
    await damage();
    await watch.reload();
    const { problems, isIncomplete, files } = watch.current;
    expect([allows(watch.current), denies(watch.current), isIncomplete]).toEqual([
      ["A(one)"],
      ["D(one)"],
      false,
    ]);
    expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining(words)]);
    expect(problems[0]?.message).toMatch(/Its last valid content still applies\.$/);
    expect(files.find((file) => file.path === path)?.state).toBe("kept");
    expect(changes.at(-1)).toEqual(["problems"]);
  }
  await world.write(`${OWN}.new`, rules([], ["D(two)"]));
  await rename(`${path}.new`, path);
  await watch.reload();
  expect([allows(watch.current), denies(watch.current), watch.current.problems]).toEqual([
    [],
    ["D(two)"],
    [],
  ]);
});

test("D04, D05: if a file is deleted, its grants end, and its deny and ask rules and hooks stay", async () => {
  const hooks = { PreToolUse: [{ hooks: [{ type: "command", command: "./guard" }] }] };
  const content = {
    ...rules(["A(one)"], ["D(one)"]),
    env: { A: "1" },
    hooks,
    disableBypassPermissionsMode: "disable",
  };
  const { world, watch } = await watched({ [OWN]: content });
  await rm(join(world.folder, OWN));
  await watch.reload();
  const { current } = watch;
  expect([allows(current), denies(current), current.env, current.forbiddenModes]).toEqual([
    [],
    ["D(one)"],
    {},
    { bypassPermissions: "disableBypassPermissionsMode forbids it" },
  ]);
  expect(current.hooks.map((source) => source.hooks)).toEqual([hooks]);
  expect(current.problems.map(({ message }) => message)).toEqual([
    `${join(world.folder, OWN)}: it was deleted. Its deny and ask rules and its hooks apply until Runahead is restarted`,
  ]);
  await world.write(OWN, {});
  await watch.reload();
  expect([denies(watch.current), watch.current.hooks, watch.current.problems]).toEqual([[], [], []]);
});

test("D05: a file that could not be read at first is complete as soon as it can be", async () => {
  const { world, watch, changes } = await watched({ [PROJECT]: "{", [OWN]: rules(["A(one)"]) });
  expect([watch.current.isIncomplete, allows(watch.current)]).toEqual([true, []]);
  await world.write(PROJECT, rules([], ["D(one)"]));
  await until(() => !watch.current.isIncomplete);
  expect([allows(watch.current), denies(watch.current)]).toEqual([["A(one)"], ["D(one)"]]);
  expect(changes.flat()).toEqual(
    expect.arrayContaining(["isIncomplete", "permissions.allow", "permissions.deny"]),
  );
});

test("D16, D17: permissions that a repository grants itself later need trust, and changes of trust are noticed too", async () => {
  const files = { [PROJECT]: {}, "home/.runahead/any": "" };
  const { world, watch, changes } = await watched(files, { sources: ["project"] });
  await world.replace(PROJECT, {
    ...rules(["A(self)"]),
    hooks: { Stop: [{ hooks: [] }] },
    env: { PATH: "." },
  });
  await until(() => changes.length > 0);
  expect([
    allows(watch.current),
    watch.current.env,
    watch.current.hooks.map(({ trusted }) => trusted),
  ]).toEqual([[], {}, [false]]);
  await trustIn(world.options).trust(world.project);
  await until(() => watch.current.isTrusted);
  expect([allows(watch.current), watch.current.env, changes.at(-1)]).toEqual([
    ["A(self)"],
    { PATH: "." },
    ["env.PATH", "hooks.Stop", "permissions.allow", "trust"],
  ]);
});

test("a .git that appears below the root removes no deny rule", async () => {
  const world = await newWorld();
  await world.write(PROJECT, rules([], ["D(one)"]));
  const cwd = join(world.project, "packages");
  await mkdir(cwd);
  const watch = await watchSettings({ ...world.options, cwd, pollMs: NEVER_MS }, () => {});
  open.push(watch);
  await mkdir(join(cwd, ".git"));
  await watch.reload();
  expect([watch.current.root, denies(watch.current)]).toEqual([world.project, ["D(one)"]]);
});

test("many changes at once cause few calls, and no change causes none", async () => {
  const { world, watch, changes } = await watched({ [OWN]: { model: "0" } }, { debounceMs: 50 });
  for (let at = 1; at <= 50; at++) await world.replace(OWN, { model: String(at) });
  await until(() => watch.current.model === "50");
  expect(changes.length).toBeLessThan(25);
  const before = changes.length;
  await world.replace(OWN, { model: "50" });
  await watch.reload();
  expect(changes.length).toBe(before);
});

test("after close, nothing is reported and nothing stays open", async () => {
  const counts = { opened: 0, closed: 0 };
  const watchFolder = () => (counts.opened++, { close: () => void counts.closed++ });
  const injected = await watched({ [OWN]: {}, [PROJECT]: {} }, { watchFolder });
  injected.watch.close();
  expect([counts.opened > 1, counts.closed]).toEqual([true, counts.opened]);
  const before = await watchesOfKernel();
  const { world, watch, changes } = await watched({ [OWN]: { model: "one" } }, { pollMs: 5 });
  expect((await watchesOfKernel()) > before).toBe(process.platform === "linux");
  await world.write(OWN, { model: "two" });
  const running = watch.reload();
  watch.close();
  await running;
  await world.write(OWN, { model: "three" });
  await watch.reload();
  await pause(50);
  expect([changes, watch.current.model, await watchesOfKernel()]).toEqual([[], "one", before]);
});

test("a process that does not close the watch still exits", async () => {
  const world = await newWorld();
  await world.write(OWN, {});
  const module = new URL("./watch.ts", import.meta.url).href;
  const script = `import { watchSettings } from ${JSON.stringify(module)};
    await watchSettings(${JSON.stringify(world.options)}, () => {});`;
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script], {
    stdio: "inherit",
  });
  expect(await once(child, "exit")).toEqual([0, null]);
});

test("class 10: project settings that change while a sandboxed command runs grant nothing, and what they forbid applies", async () => {
  let isRunning = false;
  const from = { [PROJECT]: rules(["A(one)", "A(two)"], ["D(one)"]), [OWN]: rules(["A(own)"]) };
  const { world, watch } = await watched(from, {
    isTrusted: true,
    wasSandboxed: () => isRunning,
    watchFolder: () => ({ close: () => {} }),
  });
  isRunning = true;
  await world.write(PROJECT, {
    permissions: { allow: ["A(two)", "A(evil)"], deny: ["D(two)"], defaultMode: "acceptEdits" },
    hooks: { PreToolUse: [{ hooks: [{ type: "command", command: "evil" }] }] },
    env: { EVIL: "1" },
    passEnv: ["ANTHROPIC_API_KEY"],
  });
  await world.write("project/.runahead/settings.local.json", rules(["A(planted)"]));
  await world.write(OWN, rules(["A(own)", "A(later)"]));
  await watch.reload();
  const { current } = watch;
  expect(allows(current).toSorted()).toEqual(["A(later)", "A(own)", "A(two)"]);
  expect(denies(current).toSorted()).toEqual(["D(one)", "D(two)"]);
  expect([current.mode, current.hooks, current.env, current.passEnv]).toEqual(["default", [], {}, []]);
  expect(
    current.problems.filter(({ message }) => message.includes("while a sandboxed command")),
  ).toHaveLength(2);
  // Nor does it count when it is written once more, after the command.
  isRunning = false;
  await world.write(PROJECT, rules(["A(two)", "A(evil)", "A(more)"]));
  await watch.reload();
  expect(allows(watch.current)).not.toContain("A(evil)");
});

test("settings that change while no sandboxed command runs apply at once", async () => {
  const { world, watch } = await watched(
    { [PROJECT]: rules(["A(one)"]) },
    {
      isTrusted: true,
      wasSandboxed: (atMs) => atMs < Date.now() - 3_600_000,
      watchFolder: () => ({ close: () => {} }),
    },
  );
  await world.write(PROJECT, rules(["A(two)"]));
  await watch.reload();
  expect(allows(watch.current)).toEqual(["A(two)"]);
});
