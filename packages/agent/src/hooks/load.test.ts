import type { CommandHandler, ConfiguredHandler } from "./handler.ts";
import { expect, test } from "vitest";
import { type HookConfig, loadHooks } from "./load.ts";

function load(...hooks: unknown[]) {
  return loadConfigs(
    hooks.map((each, at) => ({
      source: `settings-${at + 1}.json`,
      root: "/repo",
      trusted: true,
      hooks: each,
    })),
  );
}

function loadConfigs(configs: readonly HookConfig[], toolNames?: readonly string[]) {
  const notices: string[] = [];
  const { handlers, listed } = loadHooks(configs, { projectDir: "/repo", toolNames }, (message) =>
    notices.push(message),
  );
  return { handlers, listed, notices };
}

const command = (text: string, more: object = {}) => ({ type: "command", command: text, ...more });

const commandsIn = (handlers: readonly ConfiguredHandler[]): CommandHandler[] =>
  handlers.filter((handler) => handler.type === "command");

test("hooks load in the order of their files, with their defaults", () => {
  const { handlers, notices } = load(
    {
      PreToolUse: [
        { matcher: "Bash", hooks: [command("a"), command("b", { timeout: 5, onFailure: "block" })] },
      ],
      UserPromptSubmit: [{ hooks: [command("c")] }],
    },
    { SessionEnd: [{ hooks: [command("d", { async: true })] }], Stop: [{ hooks: [command("e")] }] },
  );
  expect(notices).toEqual([]);
  expect(
    commandsIn(handlers).map(({ event, program, args, limitMs, onFailure, isAsync }) => {
      return [event, program, ...args, limitMs, onFailure, isAsync];
    }),
  ).toEqual([
    ["PreToolUse", "/bin/sh", "-c", "a", 590_000, "proceed", false],
    ["PreToolUse", "/bin/sh", "-c", "b", 5_000, "block", false],
    ["UserPromptSubmit", "/bin/sh", "-c", "c", 30_000, "proceed", false],
    ["SessionEnd", "/bin/sh", "-c", "d", 1_500, "proceed", true],
    ["Stop", "/bin/sh", "-c", "e", 600_000, "proceed", false],
  ]);
});

test("a command with arguments starts without a shell, and another shell can be chosen", () => {
  const { handlers } = load({
    Stop: [
      {
        hooks: [
          command("${CLAUDE_PROJECT_DIR}/check", { args: ["--at", "${RUNAHEAD_PROJECT_DIR}/x", "$HOME"] }),
          command("echo", { shell: "bash" }),
          command("Write-Host", { shell: "powershell" }),
        ],
      },
    ],
  });
  expect(commandsIn(handlers).map(({ program, args, what }) => [program, args, what])).toEqual([
    [
      "/repo/check",
      ["--at", "/repo/x", "$HOME"],
      "${CLAUDE_PROJECT_DIR}/check --at ${RUNAHEAD_PROJECT_DIR}/x $HOME",
    ],
    ["bash", ["-c", "echo"], "echo"],
    ["powershell", ["-Command", "Write-Host"], "Write-Host"],
  ]);
});

test("an invalid entry is ignored, and the message names the file and the place in it", () => {
  const { handlers, listed, notices } = load(
    {
      PreToolUse: [
        "Bash",
        { matcher: "Bash" },
        {
          matcher: "Bash",
          hooks: [null, { prompt: "x" }, command(" "), { type: "command" }, command("y", { args: "z" })],
        },
        { matcher: "Bash", hooks: [command("good")] },
      ],
      PostToolUse: { Bash: "x" },
    },
    ["not an object"],
    null,
  );
  expect(handlers.map(({ what }) => what)).toEqual(["good"]);
  expect(notices).toEqual([
    "settings-1.json: hooks.PreToolUse[0] must be an object, got a string.",
    "settings-1.json: hooks.PreToolUse[1].hooks must be an array, got nothing.",
    "settings-1.json: hooks.PreToolUse[2].hooks[0] must be an object, got null.",
    'settings-1.json: hooks.PreToolUse[2].hooks[1].type must be "command", got nothing.',
    "settings-1.json: hooks.PreToolUse[2].hooks[2].command must be a command, got an empty string.",
    "settings-1.json: hooks.PreToolUse[2].hooks[3].command must be a command, got nothing.",
    "settings-1.json: hooks.PreToolUse[2].hooks[4].args must be an array of strings.",
    "settings-1.json: hooks.PostToolUse must be an array, got an object.",
    "settings-2.json: hooks must be an object, got an array.",
  ]);
  expect(listed.filter((hook) => hook.runs).map(({ id }) => id)).toEqual([
    "settings-1.json:hooks.PreToolUse[3].hooks[0]",
  ]);
});

test("an invalid field of a hook does not disable the hook", () => {
  const { handlers, notices } = load({
    PreToolUse: [
      { matcher: 7, hooks: [command("a", { timeout: "5", onFailure: "deny", if: 1 })] },
      { matcher: "Bash(", hooks: [command("b", { timeout: 9999, async: true, onFailure: "block" })] },
    ],
  });
  expect(
    handlers.map(({ matcher, limitMs, onFailure, rule, isAsync }) => {
      return [matcher.matches(["Bash"]), limitMs, onFailure, rule, isAsync];
    }),
  ).toEqual([
    [true, 590_000, "block", undefined, false],
    [true, 590_000, "block", undefined, false],
  ]);
  expect(notices).toHaveLength(7);
});

test("unsupported events and kinds of hooks load with one warning each", () => {
  const group = [{ hooks: [command("a"), command("b")] }];
  const { handlers, listed, notices } = load(
    { Dreaming: group, Stop: [{ hooks: [{ type: "pigeon", prompt: "?" }, command("c")] }] },
    {
      Dreaming: group,
      PreTolUse: group,
      PreToolUse: [{ hooks: [{ type: "pigeon" }, { type: "horse" }] }],
    },
  );
  expect(handlers.map(({ what }) => what)).toEqual(["c"]);
  expect(notices).toEqual([
    'Some hooks do not run: the event "Dreaming" is not supported (settings-1.json, settings-2.json).',
    'Some hooks do not run: hooks of type "pigeon" are not supported (settings-1.json, settings-2.json).',
    'Some hooks do not run: the event "PreTolUse" is not supported; did you mean "PreToolUse"? (settings-2.json).',
    'Some hooks do not run: hooks of type "horse" are not supported (settings-2.json).',
  ]);
  expect(listed).toHaveLength(10);
  expect(listed[0]).toEqual({
    id: "settings-1.json:hooks.Dreaming[0].hooks[0]",
    event: "Dreaming",
    matcher: "",
    source: "settings-1.json",
    what: "a",
    runs: false,
    why: 'the event "Dreaming" is not supported',
  });
});

test("hooks of all types load, and a wrong member of one is reported", () => {
  const hooks = [
    { type: "http", url: "https://example.org/hook", headers: { A: "$TOKEN" }, allowedEnvVars: ["TOKEN"] },
    { type: "prompt", prompt: "Is $ARGUMENTS fine?", model: "haiku" },
    { type: "agent", prompt: "Check the tests." },
    { type: "mcp_tool", server: "guard", tool: "check", input: { path: "${tool_input.file_path}" } },
    { type: "http", url: "ftp://example.org" },
    { type: "http", url: "https://example.org", headers: { A: 1 } },
    { type: "prompt" },
    { type: "mcp_tool", server: "guard" },
    { type: "mcp_tool", server: "guard", tool: "check", input: 7 },
  ];
  const { handlers, notices } = load({ PreToolUse: [{ hooks }] });
  expect(handlers.map(({ type, what, limitMs }) => [type, what, limitMs])).toEqual([
    ["http", "https://example.org/hook", 590_000],
    ["prompt", "Is $ARGUMENTS fine?", 30_000],
    ["agent", "Check the tests.", 60_000],
    ["mcp_tool", "guard: check", 590_000],
  ]);
  expect(notices).toHaveLength(5);
});

test("D17: hooks of an untrusted file never run; they are listed as not run, with one notice", () => {
  const hooks = {
    PreToolUse: [{ matcher: "(", hooks: [command("a"), command("b")] }],
    Odd: [{ hooks: [command("c")] }],
  };
  const { handlers, listed, notices } = loadConfigs([
    { source: ".claude/settings.json", root: "/repo", trusted: false, hooks },
  ]);
  expect(handlers).toEqual([]);
  expect(listed.map((hook) => [hook.what, hook.runs || hook.why])).toEqual([
    ["a", "its folder is not trusted"],
    ["b", "its folder is not trusted"],
    ["c", "its folder is not trusted"],
  ]);
  expect(notices).toEqual([".claude/settings.json: 3 hooks do not run because the folder is not trusted."]);
});

test("a rule keeps the folder that its paths are relative to", () => {
  const { handlers } = load({ PreToolUse: [{ hooks: [command("a", { if: "Edit(/src/**)" })] }] });
  expect(handlers[0]?.rule).toEqual({ text: "Edit(/src/**)", root: "/repo" });
});

test("class 10: a hook without a list around it or without a type, a text alone and a matcher that names tools are understood", () => {
  const { handlers, notices } = load({
    PreToolUse: [
      { matcher: "Edit", command: "lint" },
      { matcher: { tool_name: "Write" }, hooks: ["check"] },
      { matcher: { tools: ["Read", "Grep"] }, hooks: [command("note")] },
      { matcher: "Bash", hooks: [{ command: "guard" }] },
    ],
    postToolUse: { matcher: "Edit", hooks: { type: "Command", command: ["node", "fix.js"] } },
    stop: { command: "end" },
  });
  expect(notices).toEqual([]);
  expect(handlers.map(({ what, matcher }) => [what, matcher.text])).toEqual([
    ["lint", "Edit"],
    ["check", "Write"],
    ["note", "Read|Grep"],
    ["guard", "Bash"],
    ["node fix.js", "Edit"],
    ["end", ""],
  ]);
});

test("members without effect are named, and close spellings are suggested", () => {
  const entry = {
    onFailur: "block",
    timeoutMs: 5,
    matcher: "Bash",
    description: "d",
    url: "x",
    retries: null,
    continueOnBlock: false,
  };
  const { handlers, notices } = load({
    PreToolUse: [{ matchers: "Bash", description: "d", hooks: [command("a", entry)] }],
    PostToolUse: [{ hooks: [command("b", { continueOnBlock: true })] }],
  });
  expect(handlers).toHaveLength(2);
  expect(notices).toEqual([
    'settings-1.json: hooks.PreToolUse[0].matchers has no effect. Did you mean "matcher"?',
    "settings-1.json: hooks.PreToolUse[0].hooks[0].continueOnBlock has no effect: the model always reads the reason, and the turn continues.",
    'settings-1.json: hooks.PreToolUse[0].hooks[0].onFailur has no effect. Did you mean "onFailure"?',
    "settings-1.json: hooks.PreToolUse[0].hooks[0].timeoutMs has no effect: write timeout, in seconds.",
    "settings-1.json: hooks.PreToolUse[0].hooks[0].matcher has no effect.",
    "settings-1.json: hooks.PreToolUse[0].hooks[0].url has no effect.",
  ]);
});

test("a permission rule as a matcher is the tool with this rule as its condition", () => {
  const { handlers, notices } = load({
    PreToolUse: [
      { matcher: "Bash(git push *)", hooks: [command("a")] },
      { matcher: "Bash(Output)?", hooks: [command("b")] },
    ],
    SessionStart: [{ matcher: "a(b c)", hooks: [command("c")] }],
  });
  expect(handlers.map(({ matcher, rule }) => [matcher.text, rule?.text])).toEqual([
    ["Bash", "Bash(git push *)"],
    ["Bash(Output)?", undefined],
    ["a(b c)", undefined],
  ]);
  expect(notices).toEqual([]);
});

test("a matcher that no tool has is said, with what to write instead", () => {
  const { notices } = load({
    PreToolUse: [
      { matcher: 'tool == "Bash" && tool_input.command matches "git"', hooks: [command("a")] },
      { matcher: "mcp__memory|bash|mcp__", hooks: [command("b")] },
      { matcher: "mcp__memory__.*|mcp__memory__add|Bash|MyTool", hooks: [command("c")] },
    ],
    Notification: [{ matcher: "bash", hooks: [command("d")] }],
  });
  expect(notices.map((notice) => /the matcher .*? has no effect|write \S+$/.exec(notice)?.[0])).toEqual([
    'the matcher "tool == \\"Bash\\" && tool_input.command matches \\"git\\"" has no effect',
    'the matcher "mcp__memory" has no effect',
    'the matcher "bash" has no effect',
    'the matcher "mcp__" has no effect',
  ]);
  expect(notices.slice(1).map((notice) => notice.replace(/.*: /, ""))).toEqual([
    "write mcp__memory__.*.",
    "write Bash.",
    "write mcp__.*.",
  ]);
});

test("an unknown event is named as such, whatever it contains", () => {
  const { listed, notices } = load({ pre: ["echo hi"], Stopp: [{ hooks: [command("a")] }], Stop: "echo hi" });
  expect(notices).toEqual([
    'Some hooks do not run: the event "pre" is not supported (settings-1.json).',
    'Some hooks do not run: the event "Stopp" is not supported; did you mean "Stop"? (settings-1.json).',
  ]);
  expect(listed.map(({ event, runs }) => [event, runs])).toEqual([
    ["pre", false],
    ["Stopp", false],
    // A text alone is meant as a command.
    ["Stop", true],
  ]);
});

test("a matcher that names no tool is said if the tools are known, beside others only if it is misspelled", () => {
  const groups = [
    "EnterPlanMode",
    "Wrte|Bash",
    "Bash|PowerShell",
    "TodoWrite",
    "MultiEdit|Edit",
    "Edit, ",
    "mcp__a__b",
  ];
  const hooks = { PreToolUse: groups.map((matcher) => ({ matcher, hooks: [command("a")] })) };
  const config = { source: "s", root: "/repo", trusted: true, hooks };
  const tools = ["Bash", "Edit", "TaskCreate", "TaskUpdate", "Write"];
  expect(loadConfigs([config], tools).notices).toEqual([
    's: hooks.PreToolUse[0].hooks[0]: the matcher "EnterPlanMode" has no effect: no tool has this name.',
    's: hooks.PreToolUse[1].hooks[0]: the matcher "Wrte" has no effect: no tool has this name. Did you mean "Write"?',
    's: hooks.PreToolUse[3].hooks[0]: the matcher "TodoWrite" has no effect: no tool has this name. Write TaskCreate|TaskUpdate.',
  ]);
  expect(loadConfigs([config]).notices).toEqual([]);
});

test("a command that uses a variable which hooks do not have is named", () => {
  const guard = (text: string) => ({ hooks: [command(text)] });
  const { handlers, notices } = load({
    PreToolUse: [
      guard('echo "$CLAUDE_TOOL_INPUT" | grep -q "rm -rf" && exit 2'),
      guard('prettier --write "${CLAUDE_FILE_PATHS}" "$TOOL_INPUT_file_path" $CLAUDE_FILE_PATHS'),
      guard('echo "${CLAUDE_TOOL_INPUT:-$(cat)}" "$CLAUDE_PROJECT_DIR" $CLAUDE_TOOL_INPUT_X2 $TOOL_INPUTS'),
      guard("TOOL_INPUT=$(jq .tool_input); check $TOOL_INPUT"),
    ],
  });
  expect(handlers).toHaveLength(4);
  const words = (at: number, name: string): string =>
    `settings-1.json: hooks.PreToolUse[${at}].hooks[0].command: $${name} has no effect: hooks read the event as JSON from stdin.`;
  expect(notices).toEqual([
    words(0, "CLAUDE_TOOL_INPUT"),
    words(1, "CLAUDE_FILE_PATHS"),
    words(1, "TOOL_INPUT_file_path"),
  ]);
});
