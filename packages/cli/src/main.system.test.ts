import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type Ran, runMain } from "../test/support/run-main.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "runahead-cli-")));
  for (const folder of ["home", "project/.git"]) mkdirSync(join(root, folder), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, content: unknown): string {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  return file;
}

const run = (...args: readonly string[]): Promise<Ran> => runMain(root, args);

test("help is not an error; an unknown word is, and the nearest command is named", async () => {
  expect(await run("--help")).toMatchObject({
    code: 0,
    out: expect.stringContaining("permissions") as string,
  });
  const { code, error } = await run("setings");
  expect([code, error.includes("settings")]).toEqual([2, true]);
  expect((await run("permissions", "check", "--tool", "Bash")).code).toBe(2);
});

test("settings are shown with their source and whether they apply", async () => {
  write("project/.claude/settings.json", { permissions: { allow: ["Bash(ls:*)"], deny: ["Read(.env)"] } });
  write("home/.claude/settings.json", { permissions: { defaultMode: "acceptEdits" } });
  const { code, out } = await run("settings");
  expect(code).toBe(0);
  expect(out).toContain("not trusted");
  expect(out).toMatch(/mode +acceptEdits/);
  expect(out).toMatch(/Bash\(ls:\*\) .*ignored: the folder is not trusted/);
  expect(out).toMatch(/Read\(\.env\) +← [^(]*$/m);
  const json = JSON.parse((await run("settings", "--json", "--trust")).out) as { isTrusted: boolean };
  expect(json.isTrusted).toBe(true);
});

test("settings names the allow rules that allow nothing, and goes on", async () => {
  write("project/.claude/settings.json", { permissions: { allow: ["Bash(done)", "Bash(ls -la)"] } });
  const { code, error } = await run("settings", "--trust");
  expect(code).toBe(0);
  expect(error).toMatch(/\.claude\/settings\.json: allow rule Bash\(done\) allows nothing\. /);
  expect(error).not.toContain("ls -la");
});

test("the prompt is printed with the size of each part, as sizes only, or as JSON", async () => {
  execFileSync("git", ["init", "-q"], { cwd: join(root, "project") });
  write("project/AGENTS.md", "Run the checks.");
  const whole = await run("prompt");
  expect([whole.code, whole.error]).toEqual([0, ""]);
  expect(whole.out).toMatch(/^=== system prompt ===\nYou are Runahead[^]*=== tool Bash ===\n\{/);
  expect(whole.out).toContain("Run the checks.");

  const { out } = await run("prompt", "--sizes");
  const sizeOf = (name: string): number =>
    Number(new RegExp(`^ *${name} +([\\d,]+)$`, "m").exec(out)?.[1]?.replaceAll(",", ""));
  expect(out).not.toContain("You are Runahead");
  expect(sizeOf("total")).toBe(
    sizeOf("system prompt") + sizeOf("reminder before the first prompt") + sizeOf("\\d+ tools"),
  );
  expect(sizeOf("Bash")).toBeGreaterThan(0);

  const more = ["--json", "--model", "some-model", "--append-system-prompt", "At the end."];
  const report = JSON.parse((await run("prompt", ...more)).out) as Record<string, unknown>;
  expect(Object.keys(report)).toEqual(["system", "opening", "tools"]);
  expect(report["system"]).toMatch(/The user can answer questions\.\n\nAt the end\.$/);
  expect(report["opening"]).toContain("Run the checks.");
});

test("a settings file that cannot be read is reported, and the exit code says so", async () => {
  write("project/.claude/settings.json", "{");
  const { code, error } = await run("settings");
  expect(code).toBe(1);
  expect(error).toContain("settings.json");
  expect(error).toContain("every call that needs permission is asked about");
});

test("a folder can be trusted, and no longer", async () => {
  write("project/.claude/settings.json", { permissions: { allow: ["Bash(make:*)"] } });
  const check = ["permissions", "check", "--tool", "Bash", "--input", '{"command": "make all"}'];
  expect((await run(...check)).out).toMatch(/^ask\n/);
  expect((await run("trust")).code).toBe(0);
  expect((await run(...check)).out).toMatch(/^allow\n/);
  expect((await run("trust", "--revoke")).code).toBe(0);
  expect((await run(...check)).out).toMatch(/^ask\n/);
});

test("a verdict is explained, with the rules that would allow it", async () => {
  const settings = '{"permissions": {"deny": ["Bash(rm:*)"]}}';
  const check = (command: string) =>
    run(
      "permissions",
      "check",
      "--tool",
      "Bash",
      "--input",
      JSON.stringify({ command }),
      "--settings",
      settings,
    );
  const denied = await check("ls && rm -rf build");
  expect(denied.out).toMatch(/^deny\n.*Bash\(rm:\*\)/);
  expect((await check("npm test")).out).toMatch(/^ask\n[^]*Allow exactly this command:\n +Bash\(npm test\)/);
  // As in the agent, git is asked about in a folder that is not trusted.
  expect((await check("git status")).out).toMatch(/^ask\n/);
  expect((await run("trust")).code).toBe(0);
  expect((await check("git status")).out).toMatch(/^allow\n/);
});

test("input that is not a JSON object is reported", async () => {
  const check = (input: string) => run("permissions", "check", "--tool", "Bash", "--input", input);
  expect(await check("{")).toMatchObject({ code: 2, error: expect.stringContaining("--input") as string });
  expect(await check("[]")).toMatchObject({
    code: 2,
    error: expect.stringContaining("JSON object") as string,
  });
});

const CASE = {
  id: "a",
  settings: { allow: ["Bash(ls:*)"] },
  tool: "Bash",
  input: { command: "ls" },
  expect: "allow",
};

test("a file of cases is run, and wrong allows are errors", async () => {
  write("project/good.jsonl", `${JSON.stringify(CASE)}\n`);
  const good = await run("permissions", "test", "good.jsonl");
  expect([good.code, good.out.includes("score: 100.0 %")]).toEqual([0, true]);
  write(
    "project/bad.jsonl",
    `${JSON.stringify(CASE)}\n${JSON.stringify({ ...CASE, id: "b", expect: "deny" })}\n`,
  );
  const bad = await run("permissions", "test", "bad.jsonl");
  expect(bad.code).toBe(1);
  expect(bad.out).toMatch(/false allows: 1\n +b: allow, expected deny/);
});

test("several files of cases make one report by category, with real fixture files", async () => {
  const links = { "/home/u/proj/link": "/etc/passwd" };
  const reads = { ...CASE, settings: {}, input: { command: "cat l*" }, fixture: { symlinks: links } };
  const searches = { ...CASE, settings: { deny: ["Read(.env)"] }, input: { command: "grep -r x ." } };
  write("project/links.jsonl", `${JSON.stringify({ ...reads, category: "links", expect: "ask" })}\n`);
  write("project/kept.jsonl", `${JSON.stringify({ ...searches, category: "kept", expect: "ask" })}\n`);
  const both = await run("permissions", "test", "links.jsonl", "kept.jsonl");
  expect(both.code).toBe(0);
  expect(both.out).toMatch(/^kept +1\/1 +0 +0 +0\nlinks +1\/1 +0 +0 +0$/m);
  const confined = await run("permissions", "test", "links.jsonl", "kept.jsonl", "--confined", "--json");
  const { falseAllows, categories } = JSON.parse(confined.out) as {
    falseAllows: unknown[];
    categories: object;
  };
  expect([confined.code, falseAllows.length, Object.keys(categories)]).toEqual([1, 1, ["kept", "links"]]);
});

test("a weakened deny is an error too", async () => {
  const line = { ...CASE, settings: {}, input: { command: "make" }, expect: "deny" };
  write("project/weak.jsonl", `${JSON.stringify(line)}\n`);
  expect((await run("permissions", "test", "weak.jsonl")).code).toBe(1);
});

test("a line that is not a case is named by its number", async () => {
  write("project/odd.jsonl", `${JSON.stringify(CASE)}\n{\n`);
  const { code, error } = await run("permissions", "test", "odd.jsonl");
  expect([code, error]).toEqual([2, "runahead: odd.jsonl: Line 2: not valid JSON."]);
  expect((await run("permissions", "test", "nowhere.jsonl")).code).toBe(2);
  execFileSync("mkfifo", [join(root, "project", "pipe")]);
  const pipe = await run("permissions", "test", "pipe");
  expect([pipe.code, pipe.error]).toEqual([
    2,
    expect.stringContaining("cannot read pipe: it is not a regular file"),
  ]);
});

test("hooks are listed with why they do not run, and run against a sample", async () => {
  const hook = { type: "command", command: "echo no >&2; exit 2" };
  write("project/.claude/settings.json", { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [hook] }] } });
  expect((await run("hooks")).out).toContain("does not run");
  const sample = [
    "hooks",
    "test",
    "PreToolUse",
    "--input",
    '{"tool_name": "Bash", "tool_input": {}}',
    "--trust",
  ];
  const { code, out } = await run(...sample);
  expect(code).toBe(0);
  expect(out).toContain("no");
  expect((await run("hooks", "test", "Nothing")).code).toBe(2);
  expect((await run(...sample, "--id", "nobody")).code).toBe(2);
});
