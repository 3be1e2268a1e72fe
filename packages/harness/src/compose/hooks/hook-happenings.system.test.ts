import { existsSync, lstatSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { until } from "../../../../agent/test/support/until.ts";
import { PromptWorld, calls, requestsOf, says } from "../../../test/support/prompt-world.ts";
import { runSetupHooks } from "../coding-agent.ts";

let world: PromptWorld;
let log: string;
beforeEach(() => {
  world = new PromptWorld();
  log = join(world.root, "log");
  world.write("a.txt", "a\n");
  world.write("pkg/b.txt", "b\n");
  world.commitAll();
});
afterEach(() => world.remove());

type Heard = Readonly<Record<string, unknown>>;

const note = (): object => ({ type: "command", command: `printf '%s\\n' "$(cat)" >> ${log}` });
const settings = (hooks: object, more: object = {}): string =>
  world.write(".claude/settings.json", JSON.stringify({ hooks, ...more }));
const heard = (): Heard[] =>
  existsSync(log)
    ? readFileSync(log, "utf8")
        .split("\n")
        .filter((line) => line.trim() !== "")
        .map((line) => JSON.parse(line) as Heard)
    : [];
const run = (command: string): object => ({ type: "command", command });
const start = (input: object) => calls("Agent", { description: "d", prompt: "go", ...input });
const { signal } = new AbortController();

test("class 6: UserPromptExpansion runs when a command is expanded, adds context, and can block it", async () => {
  world.write(".claude/commands/ship.md", "Ship $ARGUMENTS.");
  world.write(".claude/commands/bad.md", "Bad.");
  settings({
    UserPromptExpansion: [
      { hooks: [note()] },
      { matcher: "ship", hooks: [run("echo extra-context")] },
      { matcher: "bad", hooks: [run("echo no-bad >&2; exit 2")] },
    ],
  });
  const { prompts } = await world.start([]);
  expect((await prompts.expand("/ship it now", signal))?.text).toBe("Ship it now.\n\nextra-context");
  await expect(prompts.expand("/bad", signal)).rejects.toThrow("no-bad");
  expect(heard()[0]).toMatchObject({
    hook_event_name: "UserPromptExpansion",
    expansion_type: "slash_command",
    command_name: "ship",
    command_args: "it now",
    prompt: "/ship it now",
  });
});

test("class 6: ConfigChange runs when a settings file changes, and a block keeps the change out", async () => {
  const hooks = {
    ConfigChange: [
      { hooks: [note()] },
      { matcher: "project_settings", hooks: [run("echo stop >&2; exit 2")] },
    ],
    DirectoryAdded: [{ hooks: [note()] }],
  };
  const own = join(world.home, ".claude/settings.json");
  mkdirSync(join(world.home, ".claude"));
  writeFileSync(own, JSON.stringify({ hooks }));
  const { gate } = await world.start([]);
  const facts = { cwd: world.project, hookDecision: undefined };
  const decide = (command: string): string => gate.decide("Bash", { command }, facts).behavior;
  world.write(".claude/settings.json", JSON.stringify({ permissions: { allow: ["Bash(npm test)"] } }));
  await until(() => heard().some(({ source }) => source === "project_settings"));
  writeFileSync(
    own,
    JSON.stringify({ hooks, permissions: { allow: ["Bash(make)"], additionalDirectories: ["/srv"] } }),
  );
  await until(() => heard().some(({ hook_event_name: name }) => name === "DirectoryAdded"));
  expect(heard().find(({ source }) => source === "user_settings")).toMatchObject({
    hook_event_name: "ConfigChange",
    file_path: own,
  });
  expect(heard().find(({ hook_event_name: name }) => name === "DirectoryAdded")).toMatchObject({
    directory: "/srv",
    source: "settings",
  });
  expect(decide("make")).toBe("allow");
  expect(decide("npm test")).toBe("ask");
});

test("class 6: FileChanged runs for the files that its matcher or a watchPaths answer names", async () => {
  const answer = { hookSpecificOutput: { hookEventName: "SessionStart", watchPaths: ["watched.txt"] } };
  settings({
    FileChanged: [
      { matcher: ".envrc|.env", hooks: [note(), run('echo "GREETING=hi" >> "$CLAUDE_ENV_FILE"')] },
      { hooks: [note()] },
    ],
    SessionStart: [{ hooks: [run(`echo '${JSON.stringify(answer)}'`)] }],
  });
  const MOST = 50;
  const shown = Array.from({ length: MOST }, () => [
    calls("Bash", { command: "sleep 0.2; echo got-$GREETING" }),
    says("2"),
  ]);
  const { agent, server } = await world.start([says("1"), ...shown.flat()]);
  await agent.send("one");
  world.write(".envrc", "x");
  world.write("watched.txt", "x");
  world.write("other.txt", "x");
  const names = (): string[] => heard().map(({ file_path: path }) => String(path).split("/").at(-1) ?? "");
  await until(() => names().includes(".envrc") && names().includes("watched.txt"));
  expect(heard()[0]).toMatchObject({
    hook_event_name: "FileChanged",
    event: "add",
    file_event_type: "created",
  });
  expect(names()).not.toContain("other.txt");
  rmSync(join(world.project, "watched.txt"));
  await until(() => heard().some(({ event }) => event === "unlink"));
  // The variables are read after all hooks of the event have ended.
  let printed = "";
  for (let tries = 0; tries < MOST && !printed.includes("got-hi"); tries++) {
    await agent.send("two");
    printed = JSON.stringify(requestsOf(server).at(-1)?.messages.at(-1));
  }
  expect(printed).toContain("got-hi");
});

test("class 6: Setup runs with its trigger only when it is asked for, and sets variables", async () => {
  settings({
    Setup: [
      { matcher: "init", hooks: [note()] },
      { matcher: "maintenance", hooks: [run("echo clean")] },
    ],
  });
  await world.start([]);
  expect(heard()).toEqual([]);
  const { agent, server } = await world.start([says("1")], { setup: "maintenance" });
  await agent.send("go");
  expect(JSON.stringify(requestsOf(server)[0]?.messages)).toContain("clean");
  await runSetupHooks({ ...world.surroundings, trust: true });
  expect(heard()).toMatchObject([{ hook_event_name: "Setup", trigger: "init" }]);
});

test("class 6: WorktreeCreate makes the worktree of a sub-agent, and WorktreeRemove removes it", async () => {
  const made = join(world.root, "made");
  settings({
    WorktreeCreate: [
      { hooks: [run(`(cat; echo) >> ${log}; git worktree add -q --detach ${made} >&2 && echo ${made}`)] },
    ],
    WorktreeRemove: [{ hooks: [run(`(cat; echo) >> ${log}; git worktree remove ${made}`)] }],
  });
  const answers = [
    start({ isolation: "worktree" }),
    calls("Bash", { command: "pwd" }),
    says("in"),
    says("out"),
  ];
  const { agent, server } = await world.start(answers);
  await agent.send("go");
  expect(JSON.stringify(requestsOf(server)[2]?.messages.at(-1))).toContain(made);
  expect(heard()).toMatchObject([
    { hook_event_name: "WorktreeCreate", name: "agent-1" },
    { hook_event_name: "WorktreeRemove", worktree_path: made },
  ]);
  expect(existsSync(made)).toBe(false);
});

test("class 6: hooks on the calls of a sub-agent name it, and those on other calls do not", async () => {
  settings({ PreToolUse: [{ matcher: "Bash|Agent", hooks: [note()] }] });
  const { agent } = await world.start([
    start({ subagent_type: "explore" }),
    calls("Bash", { command: "ls" }),
    says("in"),
    says("out"),
  ]);
  await agent.send("go");
  expect(heard().map(({ tool_name, agent_id, agent_type }) => [tool_name, agent_id, agent_type])).toEqual([
    ["Agent", undefined, undefined],
    ["Bash", "agent-1", "explore"],
  ]);
});

test("class 6: a WorktreeCreate hook that prints no folder keeps the sub-agent from starting", async () => {
  settings({ WorktreeCreate: [{ hooks: [run("echo '{\"continue\": true}'")] }] });
  const { agent, server } = await world.start([start({ isolation: "worktree" }), says("out")]);
  await agent.send("go");
  const [, last] = requestsOf(server);
  expect(JSON.stringify(last?.messages.at(-1))).toContain("did not print the path of a folder");
});

test("class 1: worktree settings link folders, check out a part, and WorktreeRemove hears of git's own worktrees", async () => {
  world.write(".gitignore", "node_modules/\n");
  mkdirSync(join(world.project, "node_modules"));
  settings(
    { WorktreeRemove: [{ hooks: [note()] }] },
    { worktree: { symlinkDirectories: ["node_modules", "../outside"], sparsePaths: ["pkg"] } },
  );
  world.git("add", ".");
  world.git("commit", "-qm", "second");
  let inside: readonly string[] = [];
  let isLink = false;
  const answers = [
    start({ isolation: "worktree" }),
    calls("Bash", { command: "ls" }),
    says("in"),
    says("out"),
  ];
  const { agent } = await world.start(answers, {
    onEvent: () => {
      const path = world.worktrees().find((one) => existsSync(join(one, "node_modules")));
      if (path === undefined) return;
      inside = readdirSync(path);
      isLink = lstatSync(join(path, "node_modules")).isSymbolicLink();
    },
  });
  await agent.send("go");
  expect(inside).toContain("pkg");
  expect(isLink).toBe(true);
  expect(heard()).toMatchObject([{ hook_event_name: "WorktreeRemove" }]);
  expect(existsSync(String(heard()[0]?.["worktree_path"]))).toBe(false);
});

test("class 6: TeammateIdle runs when a background sub-agent is about to end, and can keep it at work", async () => {
  const once = `test -f ${log}.done || { touch ${log}.done; echo look-again >&2; exit 2; }`;
  settings({ TeammateIdle: [{ hooks: [note(), run(once)] }] });
  const answers = [
    start({ run_in_background: true }),
    says("main"),
    says("early"),
    says("late"),
    says("end"),
  ];
  const { agent, server } = await world.start(answers, { waitsForBackground: true });
  await agent.send("go");
  await until(() => heard().length >= 2);
  expect(heard()[0]).toMatchObject({ hook_event_name: "TeammateIdle", teammate_name: "agent-1" });
  expect(server.requests.map(({ text }) => text).join()).toContain("look-again");
});
