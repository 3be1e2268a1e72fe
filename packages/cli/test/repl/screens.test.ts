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
