import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { programs } from "./programs.ts";
import type { Program } from "./terminal.ts";

const tested = programs();
/** `SOAK_PROMPTS=30` for a short run. */
const PROMPTS = Number(process.env["SOAK_PROMPTS"] ?? 300);
/** The first measurement is after the caches are filled. */
const EARLY = Math.floor(PROMPTS / 6);
const SIZES = [
  [80, 24],
  [40, 20],
  [200, 50],
  [100, 30],
] as const;

/** In megabytes. */
const memoryOf = ({ pid }: Program): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1000;

/** How many bytes the program writes to show one typed letter. */
async function echoOf(program: Program, letter: string): Promise<number> {
  const before = program.written.length;
  program.press(letter);
  await program.sees((text) => text.includes(letter));
  await program.idle();
  const written = program.written.length - before;
  program.press("\u007f");
  await program.sees((text) => !text.includes(letter));
  return written;
}

test("300 prompts with resizes: memory grows only by what is kept, a typed letter costs as much as at the start, and nothing is doubled", {
  timeout: 1_200_000,
}, async () => {
  const program = tested.start({ args: ["--allowedTools", "Bash"], columns: 80, rows: 24 });
  await program.sees("/help for commands");
  let early = { memory: 0, echo: 0 };
  for (let at = 1; at <= PROMPTS; at++) {
    const [columns, rows] = SIZES[at % SIZES.length] ?? [80, 24];
    program.resize(columns, rows);
    await program.types(`prompt ${at}.`);
    (await tested.model.asked()).calls(
      ["Bash", { command: `seq 1 200; echo mark ${at}` }],
      ["Read", { file_path: "a.txt" }],
    );
    (await tested.model.asked()).says(`Answer ${at} of it.\n\n\`\`\`ts\nconst a = ${at};\n\`\`\``);
    await program.sees(`Answer ${at} of it.`);
    await program.idle();
    if (at === EARLY) early = { memory: memoryOf(program), echo: await echoOf(program, "ß") };
  }
  const last = { memory: memoryOf(program), echo: await echoOf(program, "ß") };
  console.log(`After ${EARLY} and ${PROMPTS} prompts: ${JSON.stringify({ early, last })}`);
  const text = await program.idle();
  expect(text.match(new RegExp(`Answer ${PROMPTS} of it\\.`, "g"))).toHaveLength(1);
  expect([text.match(/Esc to interrupt/g), text.match(/context \d+ %/g)?.length]).toEqual([null, 1]);
  // The conversation itself is kept, and so are the outputs of the last 50 calls.
  expect(last.memory - early.memory, JSON.stringify({ early, last })).toBeLessThan(60);
  expect(last.echo).toBeLessThanOrEqual(early.echo * 1.5 + 50);
});
