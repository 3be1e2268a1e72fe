import { expect, test } from "vitest";
import { programs } from "./programs.ts";

const tested = programs();

/** How often a text is on the screen and in the scrollback. */
const countOf = (text: string, what: string): number => text.split(what).length - 1;

test("a change of the mode while six Writes wait, and windows that shrink and grow, leave one copy of everything", async () => {
  const program = tested.start({ prompt: "write them", columns: 80, rows: 24 });
  const content = Array.from({ length: 12 }, (_, at) => `line ${at}`).join("\n");
  const names = ["one", "two", "three", "four", "five", "six"];
  (await tested.model.asked()).calls(
    ...names.map((name) => ["Write", { file_path: `${name}.txt`, content }] as const),
  );
  await program.sees("Permission ─ 1 of 6");
  for (const [columns, rows] of [
    [80, 16],
    [40, 16],
    [40, 12],
    [80, 24],
  ] as const) {
    program.resize(columns, rows);
    await program.sees((text) => text.includes("Permission ─ 1 of 6"));
  }
  program.press("\u001b[Z");
  (await tested.model.asked()).says("All six are written.");
  await program.sees("All six are written.");
  const end = await program.idle();
  for (const name of names) expect(countOf(end, `${name}.txt`)).toBe(1);
  expect([countOf(end, "Working"), countOf(end, "context "), countOf(end, "Permission")]).toEqual([0, 1, 0]);
});

test("TERM=dumb gets plain lines without any control sequence, and questions are answered by a typed line", async () => {
  const program = tested.start({ columns: 80, env: { TERM: "dumb" } });
  await program.sees("Type a prompt and press Enter");
  program.press("make it\r");
  (await tested.model.asked()).calls(["Bash", { command: "touch one", description: "Make it" }]);
  await program.sees("Type your answer and press Enter:");
  // An answer counts when the question could have been read; until then it is a prompt, which asks again.
  await program.answers("y\r", "reject and end the turn");
  const next = await tested.model.asked();
  next.says("It is **made**.\n\n```ts\nconst a = 1;\n```");
  const text = await program.sees("[default · ");
  expect(text).toMatch(
    /✓ Make it · done \d+\.\d s\n {2}└ \$ touch one\n[^\n]*\n\nIt is made\.\n\n```ts\n {2}const a = 1;\n```\n\[default · /,
  );
  program.press("\u0004");
  expect(await program.ended).toBe(0);
  expect(program.text()).toContain("Resume with runahead --resume");
  expect(program.written.replaceAll("\r\n", "")).not.toMatch(/\p{Cc}/u);
});

test("TERM=dumb: Ctrl+C interrupts what runs; if nothing runs, it says that a second one exits", async () => {
  const program = tested.start({ columns: 80, env: { TERM: "dumb" } });
  await program.sees("Type a prompt and press Enter");
  program.press("wait\r");
  (await tested.model.asked()).calls(["Bash", { command: "sleep 4000", description: "Wait" }]);
  await program.sees("· running");
  program.press("\u0003");
  await program.sees("[default · ");
  program.press("\u0003");
  await program.sees("Press Ctrl+C again to exit.");
  program.press("go on\r");
  (await tested.model.asked()).says("Gone on.");
  await program.sees("Gone on.");
  await program.sees((text) => text.split("[default · ").length > 2);
  program.press("\u0003");
  await program.sees((text) => text.split("Press Ctrl+C again").length > 2);
  program.press("\u0003");
  expect(await program.ended).toBe(130);
});

test("/compact says what it does and for how long, and Esc cancels it", async () => {
  const program = tested.start({ prompt: "begin", columns: 80 });
  (await tested.model.asked()).says("Begun.");
  await program.sees("Begun.");
  await program.idle();
  program.press("/compact\r");
  await tested.model.asked();
  await program.sees((text) => /Compacting the conversation \d+\.\d s · Esc to interrupt/.test(text));
  program.press("\u001b");
  await program.sees("Interrupted. The conversation was not compacted.");
  expect(await program.idle()).not.toContain("Compacting");
  program.press("/compact\r");
  const answering = await tested.model.asked();
  answering.says(`<summary>${"It is longer than what it summarises. ".repeat(40)}</summary>`);
  await program.sees("Cannot compact the conversation");
  expect(await program.idle()).not.toContain("not made shorter");
  // The title says so, too, while a list waits for the user.
  const title = (): string | undefined => program.written.match(/\]0;runahead[^\u0007]*/g)?.at(-1); // oxlint-disable-line no-control-regex -- its end
  program.press("/theme\r");
  await program.sees("─ Colours");
  await expect.poll(title).toMatch(/ready$/);
});

test("a session that is open elsewhere opens as a copy, with its transcript, context and cost; sessions without an answer are not listed", async () => {
  const first = tested.start({ prompt: "read it" });
  (await tested.model.asked()).calls(["Read", { file_path: "a.txt" }]);
  (await tested.model.asked()).says("It says hello.");
  await first.sees("It says hello.");
  await first.idle();
  const empty = tested.start({ folder: first.folder, prompt: "never answered" });
  await tested.model.asked();
  await empty.sees("never answered");
  const program = tested.start({ folder: first.folder, args: ["--resume"], columns: 100 });
  const list = await program.sees("read it");
  expect(list).toMatch(/read it +2 turns, in use: opens a copy/);
  expect(list).not.toContain("never answered");
  await program.answers("\r", "Which session");
  await program.answers("\r", "Open a copy?");
  const text = await program.sees("Resumed after");
  expect(text).toMatch(
    /› read it\n\n✓ Read a\.txt\n\nIt says hello\.\n\nResumed after 4 messages · context \d+ % · \$0\.\d+\.\n/,
  );
  await program.types("and now?");
  (await tested.model.asked()).says("Still hello.");
  await program.sees("Still hello.");
});
