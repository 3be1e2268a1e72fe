import type { PersonAnswer, PersonQuestion } from "@runahead/harness";
import xterm from "@xterm/headless";
import { expect, test } from "vitest";
import { HOSTILE } from "../../../test/support/hostile.ts";
import { questionOf } from "../../../test/support/question.ts";
import { Dialog } from "./dialog.ts";
import { LiveRegion } from "../screen/live-region.ts";
import { reveal, strip } from "../../shared/safe-text.ts";
import { hardWrap } from "../screen/wrap.ts";

function opened(members: Partial<PersonQuestion>): { dialog: Dialog; answers: PersonAnswer[] } {
  const answers: PersonAnswer[] = [];
  const question: PersonQuestion = {
    callId: "1",
    toolName: "Bash",
    input: { command: "make" },
    description: "make",
    reason: "No rule allows it.",
    choices: [{ label: "Allow exactly this command", rules: ["Bash(make)"], scopes: ["session", "always"] }],
    from: undefined,
    waiting: 0,
    signal: new AbortController().signal,
    ...members,
  };
  const answer = (given: PersonAnswer): void => void answers.push(given);
  return { dialog: new Dialog(question, { place: 1, answer }), answers };
}

const shown = (dialog: Dialog, width = 60, rows = 24): string[] => dialog.render(width, rows).map(strip);

test("the whole input is shown, and each key gives its answer", () => {
  const { dialog, answers } = opened({ input: { command: "make\n  all", timeout: 5 }, waiting: 2 });
  expect(shown(dialog, 40)).toEqual([
    "─ Permission ─ 1 of 3 ──────────────────",
    "make",
    "No rule allows it.",
    "│ make",
    "│   all",
    "│ timeout: 5",
    "y allow once",
    "Rule for later calls: Allow exactly",
    "  this command: Bash(make)",
    "s allow for this session",
    "a always allow in this project",
    "n reject and end the turn (Esc)",
    "e reject and say what to do instead",
    "  (Tab)",
  ]);
  for (const key of ["y", "s", "\r", "a", "\r", "\r", "n", "\u001b", "x"]) {
    dialog.handleInput(key);
    if (key === "\r") dialog.unmark();
  }
  dialog.handleInput("\t");
  for (const key of ["n", "a", "y", "\r"]) dialog.handleInput(key);
  expect(answers).toEqual([
    { type: "once" },
    { type: "session", rules: ["Bash(make)"] },
    { type: "always", rules: ["Bash(make)"] },
    { type: "no" },
    { type: "no" },
    { type: "no", message: "nay" },
  ]);
});

test("a digit selects one of several choices, and the keys apply to it", () => {
  const { dialog, answers } = opened({
    choices: [
      { label: "Allow editing src/a.ts", rules: ["Edit(//p/src/a.ts)"], scopes: ["session", "always"] },
      { label: "Allow all edits in this workspace", rules: ["Edit(//p/**)"], scopes: ["session"] },
    ],
  });
  const offered = (): string[] => shown(dialog, 80).slice(4, -2);
  expect(offered()).toEqual([
    "Rule for later calls (1-2 to choose):",
    "› 1 Allow editing src/a.ts: Edit(//p/src/a.ts)",
    "  2 Allow all edits in this workspace: Edit(//p/**)",
    "s allow for this session",
    "a always allow in this project",
  ]);
  for (const key of ["a", "\r"]) dialog.handleInput(key);
  dialog.unmark();
  for (const key of ["3", "2", "a"])
    expect([key, dialog.meaningOf(key)]).toEqual([key, key === "3" ? undefined : "marks"]);
  dialog.handleInput("2");
  expect(dialog.meaningOf("a")).toBe(undefined);
  expect(offered()).toEqual([
    "Rule for later calls (1-2 to choose):",
    "  1 Allow editing src/a.ts: Edit(//p/src/a.ts)",
    "› 2 Allow all edits in this workspace: Edit(//p/**)",
    "s allow for this session",
  ]);
  dialog.handleInput("s");
  expect(offered().at(-1)).toBe("› s allow for this session: Enter to confirm");
  dialog.handleInput("\r");
  expect(answers).toEqual([
    { type: "always", rules: ["Edit(//p/src/a.ts)"] },
    { type: "session", rules: ["Edit(//p/**)"] },
  ]);
});

test("arrows and Enter choose an option, and a single Enter allows nothing", () => {
  const { dialog, answers } = opened({});
  const marked = (): string | undefined => shown(dialog).find((line) => line.startsWith("› "));
  dialog.handleInput("\r");
  expect([answers, marked()]).toEqual([[], "› y allow once: Enter to confirm"]);
  for (const [key, option] of [
    ["\u001b[B", "› s allow for this session: Enter to confirm"],
    ["\u001b[B", "› a always allow in this project: Enter to confirm"],
    ["\u001b[B", "› n reject and end the turn (Esc): Enter to confirm"],
    ["\u001b[A", "› a always allow in this project: Enter to confirm"],
  ] as const) {
    dialog.handleInput(key);
    expect(marked()).toBe(option);
  }
  dialog.handleInput("\r");
  expect(answers).toEqual([{ type: "always", rules: ["Bash(make)"] }]);
  // Letters still act after an arrow.
  dialog.handleInput("y");
  expect(answers.at(-1)).toEqual({ type: "once" });
});

test("Tab on an option that allows the call adds a comment, and otherwise says what to do instead", () => {
  const said: string[] = [];
  const answers: PersonAnswer[] = [];
  const open = (): Dialog =>
    new Dialog(questionOf(), {
      place: 1,
      answer: (given) => answers.push(given),
      comment: (text) => said.push(text),
    });
  const allowing = open();
  for (const key of ["\r", "\t", ..."then test it", "\r"]) allowing.handleInput(key);
  const rejecting = open();
  for (const key of ["\t", ..."use npm", "\r"]) rejecting.handleInput(key);
  expect([said, answers]).toEqual([["then test it"], [{ type: "once" }, { type: "no", message: "use npm" }]]);
});

test.each([40, 80, 200])("what a command does is shown once, with %i columns", (width) => {
  const description = "Run the tests";
  const same = opened({ input: { command: "npm test", description }, description });
  expect(shown(same.dialog, width).filter((line) => line.includes(description))).toEqual([description]);
  const command = opened({
    input: { command: "npm test" },
    description: "npm test",
    choices: [],
    reason: "",
  });
  expect(shown(command.dialog, width).filter((line) => line.includes("npm test"))).toEqual(["│ npm test"]);
  // A description that is cut above is shown as a part of the input.
  const long = "words ".repeat(100).trim();
  const lines = shown(
    opened({ input: { command: "x", description: long }, description: long }).dialog,
    width,
    90,
  );
  const text = lines
    .filter((line) => line.startsWith("│"))
    .map((line) => line.slice(2))
    .join("");
  expect([lines[1], text.replaceAll(" ", "").length]).toEqual([
    "No rule allows it.",
    `xdescription:${long}`.replaceAll(" ", "").length,
  ]);
});

test("a path in the reason is relative to the folder", () => {
  const { dialog } = opened({ reason: "Write of /p/a.txt is not allowed by any rule." });
  expect(shown(dialog)).toContain("Write of /p/a.txt is not allowed by any rule.");
  const inFolder = new Dialog(questionOf({ reason: "Write of /p/a.txt is not allowed by any rule." }), {
    place: 1,
    answer: () => {},
    folder: "/p",
  });
  expect(shown(inFolder)).toContain("Write of a.txt is not allowed by any rule.");
});

test("an edit shows the old and the new text", () => {
  const input = { file_path: "a.ts", old_string: "one\ntwo", new_string: "three", replace_all: true };
  const lines = shown(opened({ toolName: "Edit", input }).dialog).filter((line) => line.startsWith("│"));
  expect(lines).toEqual(["│ a.ts", "│ - one", "│ - two", "│ + three", "│ replace_all: true"]);
});

test("D18: hidden characters are shown everywhere", () => {
  const hidden = "a\u202eb";
  for (const [toolName, input] of [
    ["Bash", { command: hidden }],
    ["Bash", { command: "x", description: hidden }],
    ["Write", { file_path: "x", content: hidden }],
    ["Write", { file_path: hidden, content: "x" }],
    ["Edit", { file_path: "x", old_string: hidden, new_string: "x" }],
    ["mcp__a__b", { one: hidden }],
    ["mcp__a__b", { one: { two: [hidden] } }],
  ] as const) {
    const { dialog } = opened({
      toolName,
      input,
      description: `about ${hidden}`,
      reason: hidden,
      choices: [{ label: hidden, rules: [hidden], scopes: ["session"] }],
    });
    const text = dialog.render(60, 40).join("\n");
    expect([text.includes("\u202e"), text.split("a\\u{202e}b").length - 1]).toEqual([false, 5]);
  }
});

test("D18: a call that does not fit on the screen, or that no rule can allow, cannot be always allowed", () => {
  const command = "x".repeat(500);
  const roomy = opened({ input: { command } });
  expect(shown(roomy.dialog, 60, 24).some((line) => line.includes("always"))).toBe(true);
  for (const { dialog, answers } of [opened({ input: { command } }), opened({ choices: [] })]) {
    expect(shown(dialog, 60, 12).some((line) => line.includes("always"))).toBe(false);
    for (const key of ["s", "\r", "a", "\r"]) dialog.handleInput(key);
    expect(answers).toEqual([]);
  }
});

test("a long change of a file can be scrolled and allowed by a rule, which names only the file", () => {
  const input = { file_path: "a.txt", content: "x\n".repeat(100) };
  const choices = [{ label: "Allow all edits", rules: ["Edit(//a/**)"], scopes: ["session"] as const }];
  const change = { toolName: "Write", input, description: "Write a.txt", choices };
  const { dialog, answers } = opened(change);
  const lines = shown(dialog, 60, 24);
  expect(lines.filter((line) => /of 102 lines|Allow all edits|^s allow/.test(line))).toEqual([
    "1–16 of 102 lines: ↑ ↓ to scroll",
    "Rule for later calls: Allow all edits: Edit(//a/**)",
    "s allow for this session",
  ]);
  for (const key of ["s", "\r"]) dialog.handleInput(key);
  expect(answers).toEqual([{ type: "session", rules: ["Edit(//a/**)"] }]);
  const low = shown(opened(change).dialog, 60, 13);
  expect(low.filter((line) => /of 102 lines|^s allow/.test(line))).toEqual([
    "1–7 of 102 lines: ↑ ↓ to scroll; too long for a rule",
  ]);
  const narrow = shown(opened(change).dialog, 40, 13);
  expect(narrow.slice(narrow.findIndex((line) => line.includes("of 102 lines"))).slice(0, 2)).toEqual([
    "1–5 of 102 lines: ↑ ↓ to scroll; too",
    "long for a rule",
  ]);
  expect(narrow.length).toBeLessThanOrEqual(13);
});

test("D18: every line of a long call can be reached by scrolling", () => {
  const command = Array.from({ length: 100 }, (_, at) => `line ${at}`).join("\n");
  const { dialog } = opened({ input: { command } });
  const seen = new Set<string>();
  for (let at = 0; at < 100; at++) {
    const lines = shown(dialog, 60, 12);
    expect(lines.length).toBeLessThanOrEqual(12);
    for (const line of lines) if (line.startsWith("│ line")) seen.add(line);
    dialog.handleInput("\u001b[B");
  }
  expect(seen.size).toBe(100);
});

test("lines are wrapped at the width and lose nothing", () => {
  const text = `a${" ".repeat(20)}漢字 b`;
  expect(hardWrap(text, 7).join("")).toBe(text);
  expect(hardWrap("abc", 1)).toEqual(["a", "b", "c"]);
});

test("class 11: every character of a command is on the screen, whatever its width", async () => {
  const wide = [
    "👩‍👩‍👧‍👦",
    "👍🏽",
    "🇩🇪🇫🇷",
    "❤\ufe0f",
    "한글",
    "e\u0301",
    "กำ",
    "नि",
    "ﷺ",
    "a\u1160b",
    "1\ufe0f\u20e3",
    "\u1100",
    "🏽",
    "\u{1e944}",
    "\u11a8",
  ];
  for (const text of [...HOSTILE, ...wide.map((one) => one.repeat(50))]) {
    const size = { columns: 37, rows: 600 };
    const command = `${text}; rm -rf hidden #${text.slice(-20)}`;
    const { dialog } = opened({ input: { command }, description: "x", reason: "y" });
    const terminal = new xterm.Terminal({ cols: size.columns, rows: size.rows, allowProposedApi: true });
    const frame = { above: [], live: dialog.render(size.columns, size.rows) };
    await new Promise<void>((resolve) => terminal.write(new LiveRegion().draw(frame, size), resolve));
    const rows = Array.from(
      { length: size.rows },
      (_, at) => terminal.buffer.active.getLine(at)?.translateToString(true) ?? "",
    );
    const drawn = rows.flatMap((row) => (row.startsWith("│") ? [row.slice(2)] : [])).join("");
    const plain = (whole: string): string => whole.replaceAll(/\s/g, "");
    expect(plain(drawn)).toBe(plain(reveal(command)));
  }
});
