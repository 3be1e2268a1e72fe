import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type Block,
  createPermissionGate,
  type PersonAnswer,
  createAgent,
  scripted,
  sessions,
  fileTools,
  shellTools,
} from "@runahead/harness";
import { afterEach, beforeEach, expect, test } from "vitest";
import { main } from "../main.ts";

let root = "";
let project = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "runahead-replay-")));
  project = join(root, "project");
  for (const folder of ["home", "project/.git", "project/src"])
    mkdirSync(join(root, folder), { recursive: true });
  writeFileSync(join(project, "src/a.txt"), "one\n");
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function run(...args: readonly string[]): Promise<{ code: number; out: string; error: string }> {
  const [out, error]: [string[], string[]] = [[], []];
  const code = await main(["permissions", "replay", ...args], {
    cwd: project,
    home: join(root, "home"),
    env: { PATH: process.env["PATH"] },
    print: (text) => out.push(text),
    complain: (text) => error.push(text),
  });
  return { code, out: out.join("\n"), error: error.join("\n") };
}

type Call = readonly [name: string, input: object];

/** A session of one turn in which a person gives these answers; gives its id. */
async function played(calls: readonly Call[], answers: readonly PersonAnswer[]): Promise<string> {
  const session = await sessions({ home: join(root, "home/.runahead"), cwd: project }).create();
  const left = [...answers];
  const sources = [{ name: "settings.json", root: project, trusted: true, deny: ["Bash(rm:*)"] }];
  const permissions = createPermissionGate({
    settings: { mode: "default", sources },
    cwd: project,
    home: join(root, "home"),
    askPerson: () => left.shift() ?? { type: "no", message: "not that" },
  });
  const shell = shellTools({
    root: project,
    env: process.env,
    home: join(root, "state"),
    outputFolder: join(root, "out"),
  });
  const blocks = calls.map(([name, input], at): Block => ({ type: "tool_use", id: `c${at}`, name, input }));
  const agent = createAgent({
    model: scripted([blocks, [{ type: "text", text: "Done." }]]),
    tools: [...fileTools(), ...shell.tools],
    permissions,
    session,
    cwd: project,
  });
  await agent.send("Go.");
  await agent.close();
  await shell.close();
  return session.id;
}

const CALLS: readonly Call[] = [
  ["Read", { file_path: "src/a.txt" }],
  ["Bash", { command: "touch made" }],
  ["Bash", { command: "touch other" }],
  ["Bash", { command: "rm made" }],
  ["Nothing", {}],
  ["Bash", {}],
];

test("each call is shown with the past and the new verdict, and no tool runs", async () => {
  await played(CALLS, [{ type: "once" }, { type: "no", message: "no" }]);
  const before = readdirSync(project);
  const { code, out } = await run("--allow", "Bash(touch:*)", "--deny", "Read(src/**)");
  expect(code).toBe(0);
  expect(out.split("\n")).toEqual([
    "* allowed           → denied   Read src/a.txt  [rule Read(src/**) (command line)]",
    "* asked, allowed    → allowed  Bash touch made  [rule Bash(touch:*) (command line)]",
    "* asked, denied     → allowed  Bash touch other  [rule Bash(touch:*) (command line)]",
    "* denied            → asked    Bash rm made  [mode default]",
    "4 calls: 2 allowed (was 1), 1 asked (was 2), 1 denied",
    "2 more failed before a verdict and were skipped",
  ]);
  expect(readdirSync(project)).toEqual(before);
});

test("a mode is replayed, also auto, and --changed leaves out unchanged verdicts", async () => {
  await played(CALLS, [{ type: "once" }, { type: "once" }]);
  expect((await run("--mode", "acceptEdits", "--changed")).out.split("\n")).toEqual([
    "* asked, allowed    → allowed  Bash touch made  [mode acceptEdits]",
    "* asked, allowed    → allowed  Bash touch other  [mode acceptEdits]",
    "* denied            → allowed  Bash rm made  [mode acceptEdits]",
    "4 calls: 4 allowed (was 1), 0 asked (was 2), 0 denied (was 1)",
    "2 more failed before a verdict and were skipped",
  ]);
  expect((await run("--mode", "auto")).out).toContain("1 allowed, 3 judged by a model, 0 asked (was 2)");
  const { code, error } = await run("--mode", "nonsense");
  expect([code, error]).toEqual([2, expect.stringContaining("auto")]);
});

test("a settings file, an id and all sessions can be chosen, and JSON has everything", async () => {
  const first = await played([["Bash", { command: "make a" }]], []);
  const second = await played([["Bash", { command: "make b\nmake c" }]], []);
  const file = join(root, "more.json");
  writeFileSync(file, JSON.stringify({ permissions: { deny: ["Bash(make a)"] } }));
  const one = await run(first.slice(0, 12), "--settings", file, "--json");
  expect(JSON.parse(one.out)).toMatchObject({
    calls: [
      {
        session: first,
        callId: "c0",
        toolName: "Bash",
        verdict: "asked, denied",
        now: "denied",
        isChanged: true,
      },
    ],
    totals: { allowed: { now: 0, was: 0 }, asked: { now: 0, was: 1 }, denied: { now: 1, was: 0 } },
    skipped: 0,
  });
  const all = (await run("--all")).out.split("\n");
  expect(all.filter((line) => line.startsWith("Session")).toSorted()).toEqual(
    [`Session ${first}`, `Session ${second}`].toSorted(),
  );
  expect(all).toContain("  asked, denied     → asked    Bash make b make c  [mode default]");
  expect(all.at(-1)).toBe("2 calls: 0 allowed, 2 asked, 0 denied");
});

test("a folder without sessions says so", async () => {
  const { code, error } = await run();
  expect([code, error]).toEqual([2, "runahead: no sessions in this folder"]);
});
