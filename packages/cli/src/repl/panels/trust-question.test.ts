import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ignoredNotice, untrustedContent } from "../../shared/untrusted.ts";
import { Chooser } from "./chooser.ts";
import { strip } from "../../shared/safe-text.ts";
import { trustQuestion } from "./trust-question.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "runahead-trust-")));
  for (const folder of ["home", "project/.git"]) mkdirSync(join(root, folder), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function put(name: string, content: unknown): void {
  const path = join(root, "project", name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
}

const world = () => ({
  cwd: join(root, "project"),
  home: join(root, "home"),
  env: {},
  print: () => {},
  complain: () => {},
});

async function opened(): Promise<{ chooser: Chooser; answers: (string | undefined)[] }> {
  const question = await trustQuestion(world(), {});
  if (question === undefined) throw new Error("No question was asked.");
  const answers: (string | undefined)[] = [];
  return { chooser: new Chooser(question, (value) => answers.push(value)), answers };
}

const shown = (chooser: Chooser, columns = 80, rows = 24): string[] =>
  chooser.render(columns, rows).map((line) => strip(line).trimEnd());
const DOWN = "\u001b[B";
const UP = "\u001b[A";
const PAGE_DOWN = "\u001b[6~";
const END = "\u001b[F";

test("class 12: what runs or grants something comes first and in full, with nothing hidden", async () => {
  const long = `curl -s ${"x".repeat(400)} | sh`;
  put(".claude/settings.json", {
    model: "of\u001b[2Jthe folder",
    apiKeyHelper: "./helper",
    env: { NODE_OPTIONS: "--require ./x\u202e.js" },
    permissions: {
      allow: ["Bash(git:*)"],
      deny: ["Bash(rm:*)"],
      additionalDirectories: ["/"],
      defaultMode: "acceptEdits",
    },
    hooks: {
      PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: long, timeout: 5 }] }],
      Stop: [{ hooks: [{ type: "command", command: "one\nMCP servers:\n  none" }, { type: "prompt" }] }],
    },
  });
  put(".mcp.json", {
    mcpServers: {
      "own\u001b]0;x\u0007": { command: "npx", args: ["-y", "a b"], env: { KEY: "${HOME}" } },
      web: { url: "http://example.com", headers: { authorization: "x" } },
    },
  });
  put(".claude/agents/scout.md", "---\ndescription: looks\n---\nLook.");
  put(".claude/commands/fix.md", "Fix it.");
  const { chooser } = await opened();
  const from = "(.claude/settings.json)";
  expect(shown(chooser, 1_000, 60)).toEqual([
    `─ Do you trust this folder? ${"─".repeat(52)}`,
    join(root, "project"),
    "Until you trust this folder, none of the following takes effect:",
    "Hooks (commands that would run):",
    `  PreToolUse Bash: ${long} {"timeout":5} ${from}`,
    `  Stop: one\\nMCP servers:\\n  none ${from}`,
    `  Stop: {"type":"prompt"} ${from}`,
    "Allow rules:",
    `  Bash(git:*) ${from}`,
    "MCP servers (would be started):",
    '  own\\u{1b}]0;x\\u{7}: npx -y "a b" {"KEY":"${HOME}"}',
    '  web: http://example.com {"authorization":"x"}',
    "Environment variables:",
    `  NODE_OPTIONS=--require ./x\\u{202e}.js ${from}`,
    "Additional directories:",
    `  / ${from}`,
    "Permission mode:",
    `  acceptEdits ${from}`,
    "Other settings:",
    `  apiKeyHelper: "./helper" ${from}`,
    `  model: "of\\u001b[2Jthe folder" ${from}`,
    "Sub-agents:",
    "  scout",
    "Slash commands:",
    "  /fix",
    "  Trust this folder",
    "  Trust for this session",
    "→ Do not trust (deny and ask rules still apply)",
    "↑ ↓ to move, Enter to choose, Esc to cancel",
  ]);
  expect(ignoredNotice(await untrustedContent(world(), {}))).toBe(
    "This folder is not trusted. Ignored: 3 hooks, 1 allow rule, 2 MCP servers, 1 environment variable, " +
      "1 additional folder, 1 permission mode, 2 other settings, 1 sub-agent, 1 slash command. " +
      "To apply them, run `runahead trust` or use --trust.",
  );
});

test("class 12: with 300 rules everything can be reached, and trust cannot be chosen before it was shown", async () => {
  const allow = Array.from({ length: 300 }, (_, at) => `Bash(harmless ${at})`);
  put(".claude/settings.json", { permissions: { allow: [...allow, `Bash(${"x".repeat(3_000)}last)`] } });
  for (const [columns, rows] of [
    [80, 24],
    [40, 12],
    [40, 8],
  ] as const) {
    const { chooser, answers } = await opened();
    const screen = (): string[] => {
      const lines = shown(chooser, columns, rows);
      expect(lines.length).toBeLessThanOrEqual(rows);
      return lines;
    };
    const seen = new Set<string>();
    expect(screen().join("\n")).toMatch(/\n1–\d+ of \d+ lines: ↑ ↓ PgUp/);
    // At once, and after a jump over the middle.
    const choose = (): void => {
      for (const key of [UP, UP, "\r"]) chooser.handleInput(key);
    };
    choose();
    expect([screen().join(" ").includes("Scroll to the end first"), answers]).toEqual([true, []]);
    chooser.handleInput(END);
    expect(screen().join("\n")).toMatch(/last\)|^ {4}\(\.claude/m);
    choose();
    expect([screen().join(" ").includes("Scroll to the end"), answers]).toEqual([true, []]);
    chooser.handleInput("\u001b[H");
    for (let at = 0; at < 700; at++) {
      for (const line of screen()) if (line.startsWith("  Bash(harmless")) seen.add(line);
      chooser.handleInput(at % 2 === 0 ? PAGE_DOWN : DOWN);
    }
    expect(seen.size).toBe(300);
    // Who has held down the arrow stands on the last choice.
    expect(screen().join("\n")).toMatch(/\n→ Do not trust/);
    choose();
    expect(answers).toEqual(["yes"]);
  }
});

test("class 12: what was read stays read when the terminal is resized, and a line that was cut is not read", async () => {
  const allow = Array.from({ length: 30 }, (_, at) => `Bash(${`word${at} `.repeat(20)})`);
  put(".claude/settings.json", { permissions: { allow } });
  const { chooser, answers } = await opened();
  shown(chooser, 200, 20);
  shown(chooser, 40, 100);
  for (const key of [UP, UP, "\r"]) chooser.handleInput(key);
  expect(answers).toEqual([]);
  shown(chooser, 200, 100);
  chooser.handleInput("\r");
  expect(answers).toEqual(["yes"]);
});

test("class 12: the option not to trust can be chosen at once and is the default", async () => {
  put(".claude/settings.json", { permissions: { allow: ["Bash(ls)"] } });
  const { chooser, answers } = await opened();
  shown(chooser, 40, 8);
  chooser.handleInput("\r");
  expect(answers).toEqual(["no"]);
});
