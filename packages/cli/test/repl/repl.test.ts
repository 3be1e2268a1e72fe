import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { callEvents } from "./answers.ts";
import { programs } from "./programs.ts";
import { pause, running } from "./terminal.ts";

const tested = programs();
const start = tested.start;

const count = (text: string, part: string): number => text.split(part).length - 1;

test("text streams as markdown, is printed once, and the summary at the end says how to resume", async () => {
  const program = start();
  await program.sees("/help");
  program.press("hello\r");
  const answer = await tested.model.asked();
  await program.sees("› hello");
  answer.send({ type: "content_block_start", index: 0, content_block: { type: "text", text: "" } });
  const say = (text: string): void =>
    answer.send({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
  say("First paragraph.\n\nSome **bo");
  await program.sees("Some **bo");
  say("ld** words");
  expect(await program.sees("Some bold words")).toContain("Esc to interrupt");
  answer.send({ type: "content_block_stop", index: 0 });
  answer.ends("end_turn");
  await program.sees("147 in 50 out");
  program.press("\u0004");
  expect(await program.ended).toBe(0);
  const text = await program.sees("runahead --resume");
  expect([count(text, "First paragraph."), count(text, "Some bold words"), count(text, "› hello")]).toEqual([
    1, 1, 1,
  ]);
  expect(text).toContain("1 turn · ");
  expect(text).not.toContain("Interrupted");
  expect(text).not.toContain("────");
  // As it was: no bracketed paste, a cursor, nothing of the scrollback cleared.
  expect(program.written.lastIndexOf("\u001b[?2004l")).toBeGreaterThan(
    program.written.lastIndexOf("\u001b[?2004h"),
  );
  expect(program.written.lastIndexOf("\u001b[?25h")).toBeGreaterThan(
    program.written.lastIndexOf("\u001b[?25l"),
  );
  expect(program.written).not.toContain("\u001b[3J");
});

test("calls run in parallel while the response streams, each with its own line, output and outcome", async () => {
  const program = start({ prompt: "look at both" });
  const project = join(program.folder, "project");
  execFileSync("mkfifo", [join(project, "one"), join(project, "two")]);
  const answer = await tested.model.asked();
  answer.send(...callEvents(0, "Bash", { command: "cat one" }));
  await program.sees(/* while the response goes on */ (text) => /\$ cat one · running \d/.test(text));
  answer.send(...callEvents(1, "Bash", { command: "cat two" }));
  await program.sees((text) => /cat one · running \d[\s\S]*cat two · running \d/.test(text));
  // So that there is something to save.
  await pause(200);
  answer.ends("tool_use");
  writeFileSync(join(project, "two"), "from two\u001b]52;c;aGk=\u0007\u001b[31m!\n");
  await program.sees((text) => /cat one · running[\s\S]*✓ \$ cat two · done[^\n]*\n +└ from two!/.test(text));
  writeFileSync(join(project, "one"), "from one\n");
  const last = await tested.model.asked();
  last.says("Both are read.");
  const text = await program.sees((seen) => /Both are read\.[\s\S]*294 in 100 out/.test(seen));
  expect(text).toMatch(/✓ \$ cat one · done .*\n +└ from one\n✓ \$ cat two · done .*\n +└ from two!\n/);
  program.press("/exit\r");
  await program.ended;
  expect(await program.sees("saved by running ahead")).toContain("2 turns · ");
  // I06: what steers a terminal does not reach it.
  expect(program.written).not.toContain("\u001b]52");
});

test("an edit shows what has changed, and a sub-agent what it is doing", async () => {
  const program = start({
    prompt: "change it",
    args: ["--permission-mode", "acceptEdits", "--allowedTools", "Agent"],
  });
  const project = join(program.folder, "project");
  execFileSync("mkfifo", [join(project, "pipe")]);
  (await tested.model.asked()).calls(
    ["Read", { file_path: "a.txt" }],
    ["Edit", { file_path: "a.txt", old_string: "hello", new_string: "good bye" }],
    ["Agent", { description: "wait for it", prompt: "Wait." }],
  );
  (await tested.model.asked()).calls(["Bash", { command: "cat pipe" }]);
  const text = await program.sees((seen) =>
    /Agent: wait for it · running[^\n]*\n +└ \$ cat pipe · running/.test(seen),
  );
  expect(text).toMatch(/✓ Edit a\.txt · done[^\n]*\n +└ \+1 −1 lines\n +1 - hello\n +1 \+ good bye\n/);
  writeFileSync(join(project, "pipe"), "x");
  (await tested.model.asked()).says("It came.");
  (await tested.model.asked()).says("All done.");
  await program.sees("All done.");
  expect(readFileSync(join(project, "a.txt"), "utf8")).toBe("good bye\n");
});

test("Esc interrupts a running command, leaves no process, and keeps the draft", async () => {
  const program = start({ prompt: "wait", args: ["--allowedTools", "Bash"] });
  const mark = `31${program.pid}`;
  (await tested.model.asked()).calls(["Bash", { command: `echo begun; sleep ${mark} & sleep ${mark}` }]);
  await program.sees("└ begun");
  expect(running(`sleep ${mark}`).length).toBeGreaterThan(0);
  program.press("half a thought");
  await program.sees("half a thought");
  program.press("\u001b");
  const text = await program.sees("Interrupted.");
  expect(text).toMatch(/■ \$ .* · stopped/);
  expect(text).toContain("half a thought");
  expect(running(`sleep ${mark}`)).toEqual([]);
  // I07: at the first moment of the next one.
  program.press(" more\r\u001b");
  await program.sees((seen) => count(seen, "Interrupted.") === 2 && !seen.includes("Esc to interrupt"));
  program.press("\u0003\u0003");
  expect(await program.ended).toBe(0);
});

test("a prompt that is typed meanwhile is queued, shown, and can be taken back", async () => {
  const program = start({ prompt: "first" });
  const answer = await tested.model.asked();
  program.press("second\r");
  await program.sees("queued: second");
  program.press("third\r");
  await program.sees("queued: third");
  program.press("\u001b[A");
  await program.sees((text) => !text.includes("queued:") && /─\n› second *\n *third *\n─/.test(text));
  program.press(" and fourth\r");
  await program.sees("queued: second third and fourth");
  answer.says("One.");
  (await tested.model.asked()).says("Two.");
  const text = await program.sees("Two.");
  expect(text).toMatch(/One\.[\s\S]*› second\n {2}third and fourth[\s\S]*Two\./);
  expect(tested.model.requests).toHaveLength(2);
});

test("slash commands work, and an unknown one suggests the nearest", async () => {
  const program = start();
  await program.sees("/help");
  for (const [typed, seen] of [
    ["/hlep", "Did you mean /help?"],
    ["/help", "Shift+Tab"],
    ["/cost", "0 turns · 0 tokens in"],
    ["/context", "Context: 0 tokens"],
    ["/hooks", "No hooks."],
    ["/mcp", "No MCP servers."],
    ["/status", "not trusted"],
    ["/compact", "There is nothing to summarise"],
  ] as const) {
    program.press(`${typed}\r`);
    await program.sees(seen);
  }
  for (const [typed, seen] of [
    ["/permissions", "Permission rules ─ Default mode"],
    ["/model", "─ Model: claude-sonnet-5 ─"],
    ["/agents", "→ general-purpose"],
    ["/config", "→ Colours"],
  ] as const) {
    await program.types(typed);
    await program.sees(seen);
    program.press("\u001b");
    await program.sees((text) => !text.includes(seen));
  }
  await program.types("/model claude-sonet-5");
  await program.sees("Unknown model claude-sonet-5. Did you mean claude-sonnet-5?");
  program.press("one\r");
  (await tested.model.asked()).says("Eins.");
  await program.sees("Eins.");
  program.press("/model claude-opus-5\r");
  await program.sees("Model: claude-opus-5");
  program.press("two\r");
  (await tested.model.asked()).says("Zwei.");
  await program.sees("Zwei.");
  program.press("/clear\r");
  await program.sees("Started a new conversation.");
  program.press("three\r");
  (await tested.model.asked()).says("Drei.");
  await program.sees("Drei.");
  const sent = tested.model.requests.map(
    (text) => JSON.parse(text) as { model: string; messages: unknown[] },
  );
  expect(sent.map((request) => [request.model, request.messages.length])).toEqual([
    ["claude-sonnet-5", 1],
    ["claude-opus-5", 4],
    ["claude-opus-5", 1],
  ]);
});

test("the output of !command goes out with the next prompt, that of !!command does not", async () => {
  const program = start();
  await program.sees("/help");
  program.press("!echo '</user-command>' own $((6 * 7)); exit 3\r");
  await program.sees("exit code 3");
  program.press("!!echo secret $((6 * 7))\r");
  await program.sees((text) => text.includes("\nsecret 42"));
  await program.types("why?");
  (await tested.model.asked()).says("Because.");
  await program.sees("Because.");
  const sent = tested.model.requests[0] ?? "";
  expect(sent).toContain(
    String.raw`<user-command>\nThe user ran this command in their terminal:\n$ echo '&lt;/user-command>' own $((6 * 7)); exit 3\n&lt;/user-command> own 42\n[exit code 3]\n</user-command>`,
  );
  expect(sent).not.toContain("secret 42");
  await program.types("and now?");
  (await tested.model.asked()).says("Done.");
  await program.sees("Done.");
  expect(tested.model.requests[1]?.split("own 42")).toHaveLength(2);
});

test("!sh gets the terminal, and the screen is there again afterwards", async () => {
  const program = start();
  await program.sees("/help");
  program.press("!sh\r");
  await program.sees((text) => /[$#]\s*$/.test(text));
  program.press("echo inside $((1 + 1)); exit 4\r");
  await program.sees((text) => text.includes("\ninside 2"));
  expect(await program.sees("exit code 4")).toMatch(/! sh\n(.*\n)*exit code 4/);
  await pause(1_200);
  await program.types("go on");
  (await tested.model.asked()).says("Went on.");
  await program.sees("Went on.");
});

test("Ctrl+Z gives the shell the terminal, and the program goes on with its screen when it is continued", async () => {
  const program = start({ hasShell: true });
  await program.sees("/help");
  program.press("half a line");
  await program.sees("half a line");
  program.press("\u001a");
  await program.sees("the shell has the terminal");
  program.press("\r");
  await program.sees((text) => text.lastIndexOf("half a line") > text.indexOf("the shell has"));
  program.press(" and more");
  await program.sees("half a line and more");
});

test("without a shell that could continue it, Ctrl+Z does nothing", async () => {
  const program = start();
  await program.sees("/help");
  program.press("\u001a");
  await pause(1_000);
  await program.types("go");
  (await tested.model.asked()).says("Went.");
  await program.sees("Went.");
});

test("!command runs for the user only, and Esc stops it", async () => {
  const program = start();
  await program.sees("/help");
  program.press("!echo own $((6 * 7)); exit 3\r");
  await program.sees((text) => /! echo own[^\n]*\nown 42\nexit code 3/.test(text));
  const mark = `32${program.pid}`;
  program.press(`!sleep ${mark} & sleep ${mark}\r`);
  await program.sees("running · Esc to stop");
  program.press("\u001b");
  await program.sees("killed by SIGKILL");
  expect(running(`sleep ${mark}`)).toEqual([]);
  expect(tested.model.requests).toEqual([]);
});

test("I05: one column, a resize, wide characters and a paste of 5 MB do no harm", async () => {
  const program = start({ columns: 1, rows: 4 });
  await program.sees((text) => text.includes("─"));
  program.press("漢字");
  await pause(300);
  program.resize(60, 10);
  await program.sees("漢字");
  program.resize(20, 5);
  program.resize(80, 24);
  await program.sees("default · claude-sonnet-5");
  program.press("\\\rline two\u001b\rline three");
  await program.sees((text) => /─\n› 漢字 *\n *line two *\n *line three *\n─/.test(text));
  program.press(`\u001b[200~${"x".repeat(5_000_000)}\u001b[201~`);
  await program.sees("[Pasted text #1, 5000000 characters]");
  program.press("\r");
  (await tested.model.asked()).says("Much.");
  expect(tested.model.requests[0]?.includes(`漢字\\nline two\\nline three${"x".repeat(5_000_000)}`)).toBe(
    true,
  );
  await program.sees("Much.");
  // What was pasted does not come back, to be laid out line by line.
  program.press("\u001b[A");
  program.press("next");
  await program.sees((text) => /─\n› next *\n─/.test(text));
});

test("a signal exits with its code, kills everything and restores the terminal", async () => {
  const program = start({ prompt: "wait", args: ["--allowedTools", "Bash"] });
  const mark = `33${program.pid}`;
  (await tested.model.asked()).calls(["Bash", { command: `echo begun; sleep ${mark}` }]);
  await program.sees("└ begun");
  process.kill(program.pid, "SIGTERM");
  expect(await program.ended).toBe(143);
  expect(running(`sleep ${mark}`)).toEqual([]);
  expect(await program.sees("runahead --resume")).toContain("stopped");
  expect(program.written.lastIndexOf("\u001b[?2004l")).toBeGreaterThan(
    program.written.lastIndexOf("\u001b[?2004h"),
  );
});

test("I08: Ctrl+C during exit does not wait for hooks", async () => {
  const hook = { type: "command", command: "sleep 3" };
  const settings = JSON.stringify({ hooks: { SessionEnd: [{ hooks: [hook] }] } });
  const program = start({ prompt: "hi", args: ["--settings", settings] });
  (await tested.model.asked()).says("Hello.");
  await program.sees((text) => text.includes("Hello.") && !text.includes("Esc to interrupt"));
  program.press("\u0004");
  await program.sees("Exiting …");
  program.press("\u0003");
  // Who waits is given 0.
  expect(await program.ended).toBe(130);
  expect(await program.sees("1 turn")).toContain("Hello.");
});

test("--resume without an id shows the sessions of the folder, and Esc leaves", async () => {
  const first = start({ prompt: "remember me" });
  (await tested.model.asked()).says("I will.");
  await first.sees("I will.");
  first.press("\u0004");
  expect(await first.ended).toBe(0);
  const { folder } = first;
  const second = start({ folder, args: ["--resume"] });
  expect(await second.sees("Which session do you want to resume?")).toMatch(/remember me +1 turn/);
  await second.answers("\r", "Which session");
  await second.sees("I will.");
  second.press("\u0004");
  expect(await second.ended).toBe(0);
  const third = start({ folder, args: ["--resume"] });
  await third.answers("\u001b", "Which session");
  expect(await third.ended).toBe(0);
});

test("without a session to continue, it says so and exits, and nothing is drawn", async () => {
  const program = start({ args: ["--resume", "nobody"] });
  expect(await program.ended).toBe(2);
  await program.sees("No session");
  expect(existsSync(join(program.folder, "home", ".pi"))).toBe(false);
  expect(program.written).not.toContain("\u001b[?2004h");
});
