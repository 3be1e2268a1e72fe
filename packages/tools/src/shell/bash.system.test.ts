import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { makeWorld, nothingLeft } from "../../test/support/shell-world.ts";

afterEach(nothingLeft);

test("stdout and stderr are returned together, in the order in which they were written", async () => {
  const world = await makeWorld();
  const command = "for i in 1 2 3; do echo out $i; echo err $i >&2; done";
  const { text, isError } = await world.bash(command);
  expect({ text, isError }).toEqual({ text: "out 1\nerr 1\nout 2\nerr 2\nout 3\nerr 3", isError: false });
});

test("a command can reopen /dev/stdout and /dev/stderr", async () => {
  const world = await makeWorld();
  const { text } = await world.bash("echo one > /dev/stderr; echo two | tee /dev/stderr > /dev/stdout");
  expect(text).toBe("one\ntwo\ntwo");
});

test("an empty output is described", async () => {
  const world = await makeWorld();
  expect(await world.bash("true")).toEqual({
    text: "(Bash completed with no output)",
    isError: false,
    progress: [],
  });
});

test("a failure has the exit code and the output, without a stack trace", async () => {
  const world = await makeWorld();
  const { text, isError } = await world.bash("echo '    at foo (bar.js:1:2)'; exit 3");
  expect({ text, isError }).toEqual({ text: "Exit code 3\n    at foo (bar.js:1:2)", isError: true });
});

test("a command that a signal ended says which", async () => {
  const world = await makeWorld();
  const { text } = await world.bash("echo before; kill -SEGV $$");
  expect(text).toBe("Killed by SIGSEGV\nbefore");
});

test("a syntax error is reported as bash prints it, and an unclosed here-document works", async () => {
  const world = await makeWorld();
  const broken = await world.bash("if");
  expect(broken.isError).toBe(true);
  expect(broken.text).toMatch(/^Exit code [12]\nbash: eval: line 2?1?: ?syntax error/);
  expect((await world.bash("cat <<EOF\nhello")).text).toMatch(/hello$/);
});

test("an exit code that is an answer is explained and does not count as an error", async () => {
  const world = await makeWorld();
  writeFileSync(join(world.root, "a"), "one\n");
  writeFileSync(join(world.root, "b"), "two\n");
  const outcome = async (command: string): Promise<string> => {
    const { text, isError } = await world.bash(command);
    return `${isError ? "failed" : "fine"}: ${text.split("\n").at(-1)}`;
  };
  expect(await outcome("grep three a")).toBe("fine: (Exit code 1: no matches.)");
  expect(await outcome("cat a | grep -q three")).toBe("fine: (Exit code 1: no matches.)");
  expect(await outcome("cd . && grep three a")).toBe("fine: (Exit code 1: no matches.)");
  expect(await outcome("diff a b")).toBe("fine: (Exit code 1: the inputs differ.)");
  expect(await outcome("[ -f c ]")).toBe("fine: (Exit code 1: the condition is false.)");
  expect(await outcome("echo x; [[ -f c ]]")).toBe("fine: (Exit code 1: the condition is false.)");
  expect(await outcome("cd nowhere && grep one a")).toMatch(/^failed: .*No such file or directory/);
  expect(await outcome("false && grep one a")).toBe("failed: Exit code 1");
  expect(await outcome("grep three nowhere")).toMatch(/^failed: grep: nowhere/);
  expect(await outcome("set -e; false; grep three a")).toBe("failed: Exit code 1");
});

test("the working directory is kept for the next command, whatever ends the shell", async () => {
  const world = await makeWorld();
  mkdirSync(join(world.root, "a\nb/c"), { recursive: true });
  expect((await world.bash("cd 'a\nb'")).text).toBe(`(The working directory is now ${world.root}/a\nb.)`);
  expect((await world.bash("pwd; cd c; exit 0")).text).toMatch(/^.*\/a\nb\n\(The working/);
  expect(world.cwd).toBe(join(world.root, "a\nb/c"));
  await world.bash("set -e; cd ..; false");
  expect(world.cwd).toBe(join(world.root, "a\nb"));
  await world.bash("trap 'echo mine' EXIT; cd ..");
  expect(world.cwd).toBe(world.root);
  await world.bash("echo /tmp >&3; printf '/tmp\\n\\0' >&3; echo /tmp");
  expect(world.cwd).toBe(world.root);
});

test("tracing shows only the command's own lines", async () => {
  const world = await makeWorld();
  expect((await world.bash("set -x; echo hi")).text).toBe("++ echo hi\nhi");
});

test("the command has no parameters and no descriptors of ours", async () => {
  const world = await makeWorld();
  expect((await world.bash('echo "$# [$1]"; [ -e /proc/self/fd/3 ] && echo three; echo end')).text).toBe(
    "0 []\nend",
  );
});

test("F14: in a deleted folder nothing runs, and the next command runs in the project", async () => {
  const world = await makeWorld();
  mkdirSync(join(world.root, "gone"));
  const during = await world.bash("cd gone && rmdir ../gone && echo done");
  const gone = join(world.root, "gone");
  expect(during.text).toBe(`done\n(The working directory no longer exists and was reset to ${world.root}.)`);
  world.cwd = gone;
  const before = await world.bash("touch made");
  expect(before).toEqual({
    text: `Error: Not run: the working directory ${gone} no longer exists, so it was reset to ${world.root}. Call again to run the command there.`,
    isError: true,
    progress: [],
  });
  expect(world.cwd).toBe(world.root);
  expect(readdirSync(world.root)).toEqual([]);
});

test("F09: stdin is empty, and there is no terminal", async () => {
  const world = await makeWorld();
  const { text } = await world.bash('cat; wc -c; read -r x; echo "[$x]"; tty; echo secret < /dev/tty');
  expect(text).toMatch(/^Exit code 1\n0\n\[\]\nnot a tty\n.*\/dev\/tty: No such device or address$/);
});

test("F11: binary output is kept on disk and cleaned for the model", async () => {
  const world = await makeWorld();
  const odd = String.raw`printf '\033[31mred\033[0m \033]0;title\007a\000b \377\376 10%%\r50%%\r100%%\ndone\r\n'`;
  const { text, progress } = await world.bash(odd);
  expect(text).toBe("100%\ndone");
  expect(progress.join("")).toBe("100%\ndone\n");
  const kept = await world.bash(`${odd}; head -c 60000 /dev/zero | tr '\\0' x; sleep 0`);
  const [file = ""] = readdirSync(world.outputFolder).filter((name) => name.endsWith(".out"));
  expect(kept.text).toMatch(/\n\[… about 4[\d,]+ of 60,\d+ characters left out\. The full output is in /);
  const raw = readFileSync(join(world.outputFolder, file));
  expect(raw.subarray(0, 12).toString("latin1")).toBe("\u001B[31mred\u001B[0m".slice(0, 12));
  expect(raw.includes(Buffer.from([0xff, 0xfe]))).toBe(true);
  expect((await world.bash(String.raw`printf 'a\000b\377c'`)).text).toBe("a\u2400b\uFFFDc");
  expect((await world.bash("head -c 5000 /dev/urandom")).text).toMatch(
    /^\[Binary data, about \d+ bytes, not/,
  );
});

test("the whole of a long output is in a private file while it runs, and a short one leaves none", async () => {
  const world = await makeWorld();
  await world.bash("echo short");
  expect(readdirSync(world.outputFolder)).toEqual([]);
  const { text } = await world.bash("seq 1 20000");
  const path = /The full output is in (\S+\.out)\./.exec(text)?.[1] ?? "";
  expect(readFileSync(path, "utf8").split("\n").length).toBe(20_001);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(world.outputFolder).mode & 0o777).toBe(0o700);
  expect(text).toMatch(
    /^1\n2\n3\n[^]*\n\[… lines 1,022–18,667 of 20,000 left out\. The full output is in \S+ Read it with offset and limit\.\]\n[^]*\n19999\n20000$/,
  );
  expect(text.length).toBeLessThan(13_000);
});

test("if the output folder cannot be created, the middle of a long output is lost and the command still runs", async () => {
  const world = await makeWorld({ outputFolder: "/dev/null/nowhere" });
  const { text, isError } = await world.bash("seq 1 20000");
  expect(isError).toBe(false);
  expect(text).toMatch(
    /\n\[… about [\d,]+ of 108,894 bytes left out\. The full output was not saved \(ENOTDIR.*\)\. If you need it, run the command with less output\.\]\n/,
  );
});

test("output is shown live, at most twenty times a second", async () => {
  const world = await makeWorld();
  const { progress, text } = await world.bash("for i in $(seq 1 200); do echo $i; sleep 0.002; done");
  expect(progress.join("")).toBe(`${text}\n`);
  expect(progress.length).toBeGreaterThan(2);
  expect(progress.length).toBeLessThan(60);
});

test("Bash declares its access: reads run in parallel, writes alone, and a cd in order", async () => {
  const world = await makeWorld({ isReadOnlyCommand: (command) => /^(?:ls|cd|sleep|echo)\b/.test(command) });
  const [bash] = world.shell.tools;
  const context = { cwd: world.root };
  expect(bash?.access?.({ command: "ls" }, context)).toEqual([{ mode: "read", place: "*" }]);
  expect(bash?.access?.({ command: "cd a && ls" }, context)).toEqual([
    { mode: "read", place: "*" },
    { mode: "write", place: "context:/cwd" },
  ]);
  expect(bash?.access?.({ command: "make a" }, context)).toEqual([{ mode: "write", place: "*" }]);
  expect(bash?.access?.({ command: "ls", run_in_background: true }, context)).toEqual([
    { mode: "write", place: "*" },
  ]);
  expect([bash?.isReadOnly?.({ command: "ls" }), bash?.isReadOnly?.({ command: "rm a" })]).toEqual([
    true,
    false,
  ]);
  expect([bash?.onError?.({ command: "ls" }), bash?.onError?.({ command: "rm a" })]).toEqual([
    "isolate",
    "cancel-later",
  ]);
  expect(
    [{}, { timeout: 5 }, { timeout: 1e9 }].map((more) => bash?.timeoutMs?.({ command: "ls", ...more })),
  ).toEqual([120_000, 5, 600_000]);
  expect(bash?.describe?.({ command: "ls -l\npwd" })).toBe("ls -l");
  expect(bash?.describe?.({ command: "ls", description: "Lists" })).toBe("Lists");
});

test("a failing command cancels the calls after it; one that only reads does not", async () => {
  const world = await makeWorld({ isReadOnlyCommand: (command) => command.startsWith("ls") });
  const [read, , cancelled] = await world.turn([
    ["Bash", { command: "ls nowhere" }],
    ["Bash", { command: "false" }],
    ["Bash", { command: "touch made" }],
  ]);
  expect(read?.isError).toBe(true);
  expect(cancelled?.text).toMatch(/^Not run: an earlier call \(Bash, call_2\) failed/);
  expect(readdirSync(world.root)).toEqual([]);
});

test("invalid input gets a clear error", async () => {
  const world = await makeWorld();
  const { text } = await world.call("Bash", { timeout: "5", run_in_background: 1 });
  expect(text).toBe(
    "<tool_use_error>InputValidationError: Bash cannot take this input:\n" +
      "- the required parameter `command` is missing\n" +
      "- `timeout`: must be a number, not string\n" +
      "- `run_in_background`: must be a boolean, not number</tool_use_error>",
  );
  expect((await world.bash("echo a\0b")).text).toContain("must not contain a NUL");
  expect((await world.bash(" ")).text).toContain("must not be empty");
  expect((await world.bash("ls", { timeout: 0 })).text).toContain("must be greater than 0");
  expect((await world.bash(`: ${"x".repeat(130_000)}`)).text).toContain("must be at most 120000 bytes");
});

test("programs open no editor, pager or prompt, and see that an agent runs them", async () => {
  const editors = { GIT_EDITOR: "vim", EDITOR: "vim", PAGER: "less", GIT_PAGER: "less", AI_AGENT: "other" };
  const world = await makeWorld({ env: { ...process.env, ...editors } });
  const names = [
    "GIT_EDITOR",
    "GIT_SEQUENCE_EDITOR",
    "GIT_TERMINAL_PROMPT",
    "GIT_PAGER",
    "PAGER",
    "AI_AGENT",
  ];
  const { text } = await world.bash(`printf '%s\n' ${names.map((name) => `"$${name}"`).join(" ")}`);
  expect(text.split("\n")).toEqual(["true", "true", "0", "cat", "cat", "runahead"]);
  const identity = "-c user.name=a -c user.email=a@b";
  await world.bash(`git init -q . && git ${identity} commit -q --allow-empty -m first`);
  const amended = await world.bash(
    `git ${identity} commit -q --amend --allow-empty && git log -1 --format=%s`,
  );
  expect(amended).toMatchObject({ text: "first", isError: false });
});

test("the settings can replace the variables for agents", async () => {
  const world = await makeWorld({ addedEnv: { GIT_EDITOR: "ed", AI_AGENT: "mine" } });
  expect((await world.bash('echo "$GIT_EDITOR $AI_AGENT $PAGER"')).text).toBe("ed mine cat");
});
