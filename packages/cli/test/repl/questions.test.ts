import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { programs } from "./programs.ts";
import { type Program, pause, running } from "./terminal.ts";

const tested = programs();
const start = tested.start;

const made = ({ folder }: Program, name: string): boolean => existsSync(join(folder, "project", name));

test("a question can be answered with yes, with yes and a comment, or with no and a message to the model", async () => {
  const program = start({ prompt: "make them" });
  (await tested.model.asked()).calls(
    ["Bash", { command: "touch one" }],
    ["Bash", { command: "mkdir two" }],
    ["Bash", { command: "mkdir three" }],
  );
  const text = await program.sees("Permission");
  expect(text).toMatch(/\? \$ touch one · waiting for approval/);
  expect(text).toMatch(/│ touch one\n/);
  await program.answers("y");
  expect(await program.sees((seen) => /│ mkdir two\n/.test(seen))).toContain("Permission ─ 2 of 3");
  await program.answers("e");
  await program.sees("Reject, and do this instead:");
  program.press("use the old one");
  await program.sees("use the old one");
  // An Enter right after a burst of letters would be part of a paste.
  await pause(500);
  program.press("\r");
  await program.sees((seen) => /│ mkdir three\n/.test(seen));
  await program.answers("\u001b[B");
  await program.sees("› y allow once: Enter to confirm, Tab to add a comment");
  program.press("\t");
  await program.fills("Allow once, and add:", "and mind the gap");
  const answer = await tested.model.asked();
  expect(["one", "two", "three"].map((name) => made(program, name))).toEqual([true, false, true]);
  expect(tested.model.requests[1]).toContain("use the old one");
  // The comment goes out with the result of the call, not a turn later.
  expect(tested.model.requests[1]).toContain("and mind the gap");
  answer.says("I will.");
  const end = await program.sees("I will.");
  expect(end).toMatch(/✓ \$ touch one · done/);
  expect(end).toMatch(/⊘ \$ mkdir two · denied/);
});

test("always saves the rules that are shown, and the next call of that kind is not asked about", async () => {
  const program = start({ prompt: "make it" });
  (await tested.model.asked()).calls(["Bash", { command: "touch one" }]);
  await program.sees("Allow exactly this command: Bash(touch one)");
  await program.answers("a");
  await program.sees("› a always allow in this project: Enter to confirm");
  program.press("\r");
  (await tested.model.asked()).calls(["Bash", { command: "touch one" }]);
  (await tested.model.asked()).says("Done.");
  await program.sees("Done.");
  expect(readFileSync(join(program.folder, "project/.runahead/settings.local.json"), "utf8")).toContain(
    "Bash(touch one)",
  );
});

test("D01: Esc says no and ends the turn, as n does", async () => {
  const program = start({ prompt: "make it" });
  (await tested.model.asked()).calls(["Bash", { command: "touch one" }]);
  await program.answers("\u001b");
  await program.sees((text) => text.includes("· denied") && !text.includes("Esc to interrupt"));
  program.press("again\r");
  (await tested.model.asked()).calls(["Bash", { command: "touch two" }]);
  await program.answers("n");
  await program.sees((text) => text.split("· denied").length === 3 && !text.includes("Esc to interrupt"));
  expect([made(program, "one"), made(program, "two"), tested.model.requests.length]).toEqual([
    false,
    false,
    2,
  ]);
});

/** A key after the other, as somebody types who does not look at the screen. */
async function typeSlowly(program: Program, text: string): Promise<void> {
  for (const letter of text) {
    program.press(letter);
    await pause(120);
  }
}

test("class 13: text that is typed while a question appears does not answer it and is not lost", async () => {
  const program = start({ prompt: "make it" });
  await program.sees("/help for commands");
  await typeSlowly(program, "an");
  (await tested.model.asked()).calls(["Bash", { command: "touch one" }]);
  await typeSlowly(program, "d then y a s");
  await program.sees("1 question waiting for you to finish typing");
  expect([program.text().includes("Permission"), made(program, "one")]).toEqual([false, false]);
  expect(program.text()).toContain("and then y a s");
  // Nothing is typed any more: the question opens above the line, and however long the pause, letters are text.
  await program.sees("A question is waiting. Press Tab to answer it, or Enter to send your text.");
  expect(program.text()).toMatch(/─ Permission ─[^]*and then y a s/);
  await pause(3_500);
  program.press("y");
  await program.sees("and then y a sy");
  await pause(2_000);
  expect([program.text().includes("Permission"), made(program, "one")]).toEqual([true, false]);
  program.press("\t");
  await program.sees((text) => !text.includes("A question is waiting"));
  program.press("y");
  (await tested.model.asked()).says("Made.");
  expect(await program.sees("Made.")).toMatch(/─\n› and then y a sy *\n─/);
  expect(made(program, "one")).toBe(true);
  expect(existsSync(join(program.folder, "project/.runahead/settings.local.json"))).toBe(false);
});

test("class 13: a letter that would add a rule, and the next letter, are text, even seconds later", async () => {
  const program = start({ prompt: "make it" });
  (await tested.model.asked()).calls(["Bash", { command: "touch one" }]);
  await program.answers("a");
  await program.sees("Enter to confirm");
  await pause(2_000);
  program.press("n");
  await program.sees((text) => /─\n› an *\n─/.test(text) && text.includes("Permission"));
  program.press("d\r");
  await program.sees((text) => !/─\n› an/.test(text));
  await program.answers("n");
  (await tested.model.asked()).says("Yes?");
  await program.sees("Yes?");
  expect(tested.model.requests[1]).toContain('"and"');
  expect(made(program, "one")).toBe(false);
  expect(existsSync(join(program.folder, "project/.runahead/settings.local.json"))).toBe(false);
});

test("class 13: a paste does not answer, marked as one or not, and Esc with a draft interrupts", async () => {
  const program = start({ prompt: "make it" });
  (await tested.model.asked()).calls(["Bash", { command: "touch one" }]);
  await program.sees("Permission");
  await pause(650);
  program.press("\u001b[200~y\na\n\u001b[201~");
  await program.sees("A question is waiting.");
  program.press("\u0003");
  await program.sees((text) => !text.includes("A question is waiting") && !text.includes("finish typing"));
  await pause(650);
  program.press("always");
  await program.sees("A question is waiting.");
  await program.sees((text) => text.includes("always"));
  expect(made(program, "one")).toBe(false);
  program.press("\u001b");
  await program.sees((text) => !text.includes("Permission") && text.includes("always"));
  expect(made(program, "one")).toBe(false);
});

test("class 13: keys that were typed ahead do not answer a question of the model", async () => {
  const program = start({ prompt: "ask me" });
  const options = [{ label: "delete it" }, { label: "keep it" }];
  const answer = await tested.model.asked();
  await typeSlowly(program, "wait");
  answer.calls(["AskUser", { questions: [{ question: "What now?", options }] }]);
  await typeSlowly(program, " a moment");
  await program.sees("1 question waiting for you to finish typing");
  await program.sees("A question is waiting.");
  await pause(650);
  program.press("\t");
  await program.sees((text) => !text.includes("A question is waiting"));
  program.press("\u001b[B\r");
  await tested.model.asked();
  expect(tested.model.requests[1]).toContain("What now?\\n→ keep it");
  await program.sees("wait a moment");
});

test("D03: Shift+Tab changes the mode, and a question that this answers is withdrawn", async () => {
  const program = start({ prompt: "write it" });
  await program.sees("default · claude");
  (await tested.model.asked()).calls(["Write", { file_path: "new.txt", content: "one\ntwo\n" }]);
  const text = await program.sees("Permission");
  expect(text).toMatch(/│ new\.txt\n│ new file\n│ {4}1 \+ one\n│ {4}2 \+ two\n/);
  program.press("\u001b[Z");
  await program.sees("acceptEdits · claude");
  (await tested.model.asked()).says("Written.");
  expect(await program.sees("Written.")).not.toContain("Permission");
  expect(readFileSync(join(program.folder, "project/new.txt"), "utf8")).toBe("one\ntwo\n");
  program.press("\u001b[Z");
  await program.sees("plan · claude");
  program.press("\u001b[Z");
  await program.sees("auto · claude");
  program.press("\u001b[Z");
  await program.sees("default · claude");
});

test("in mode auto a model decides, and one line says what", async () => {
  const program = start({ prompt: "make one", args: ["--permission-mode", "auto"] });
  (await tested.model.asked()).calls(["Bash", { command: "touch one" }]);
  (await tested.model.asked()).says('{"decision":"allow","reason":"You asked for it."}');
  (await tested.model.asked()).calls(["Bash", { command: "touch two" }]);
  (await tested.model.asked()).says('{"decision":"ask","reason":"You did not ask for two."}');
  const text = await program.sees("Permission");
  expect(text).toContain("Auto mode allowed Bash: You asked for it.");
  expect(text).toContain("Auto mode: You did not ask for two.");
  await program.answers("y");
  (await tested.model.asked()).says("Made.");
  await program.sees("Made.");
  expect([made(program, "one"), made(program, "two")]).toEqual([true, true]);
});

test("D18: a long command with hidden characters is shown completely, and can only be allowed once", async () => {
  const program = start({ prompt: "do it", rows: 20 });
  const command = `touch one \u202e\u001b[8m${"\n".repeat(30)}# ${" ".repeat(500)}the end`;
  (await tested.model.asked()).calls(["Bash", { command }]);
  const text = await program.sees("Permission");
  expect(text).toContain("touch one \\u{202e}\\u{1b}[8m");
  expect(text).not.toContain("the end");
  expect(text).not.toContain("always");
  await pause(650);
  for (let at = 0; at < 10; at++) program.press("\u001b[6~");
  expect(await program.sees("the end")).toContain("Permission");
  // The letter of an answer that is not offered is text.
  program.press("a");
  await program.sees("A question is waiting.");
  expect(made(program, "one")).toBe(false);
  program.press("\u007f");
  await program.sees((seen) => !seen.includes("is waiting"));
  await program.answers("n");
  await program.sees("denied");
  expect(made(program, "one")).toBe(false);
});

test("D02: when the terminal closes, the call in question does not run, and running calls are stopped", async () => {
  const program = start({ prompt: "make it", args: ["--allowedTools", "Bash(sleep:*)"] });
  const mark = `34${program.pid}`;
  (await tested.model.asked()).calls(
    ["Bash", { command: `sleep ${mark}` }],
    ["Bash", { command: "touch one" }],
  );
  await program.sees((text) => text.includes("Permission") && /sleep \d+ · running/.test(text));
  program.hangUp();
  expect(await program.ended).toBe(129);
  expect([made(program, "one"), running(`sleep ${mark}`)]).toEqual([false, []]);
});

test("the model asks the user a question and receives the answer", async () => {
  const program = start({ prompt: "ask me" });
  const options = [{ label: "red" }, { label: "blue", description: "like the sea" }];
  (await tested.model.asked()).calls(["AskUser", { questions: [{ question: "Which colour?", options }] }]);
  const text = await program.sees("Esc to skip");
  expect(text).toMatch(/─ Question ─+\nWhich colour\?\n→ red\n {2}blue +like the sea\n {2}Other …\n/);
  await program.answers("\u001b[B\r", "Which colour?");
  const answer = await tested.model.asked();
  expect(tested.model.requests[1]).toContain("Which colour?\\n→ blue");
  answer.says("Blue it is.");
  await program.sees("Blue it is.");
});
