import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./source.ts";

const LIMIT_MS = 300_000;

/** Checks one page; `.ci/run` checks all of them. Resolves with what is wrong. */
function check(page: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      ["scripts/doc-code.mjs", page],
      { cwd: ROOT },
      (_error, _printed, complaints) => resolve(complaints),
    );
  });
}

/** The problems reported about a page with this text; its path is shortened to `page.md`. */
async function complaintsAbout(text: string): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "runahead-docs-code-test-"));
  try {
    const page = join(folder, "page.md");
    writeFileSync(page, text);
    return (await check(page)).replaceAll(page, "page.md");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const block = (kind: string, ...lines: string[]): string => ["```" + kind, ...lines, "```", ""].join("\n");

/** Wrong blocks, the line of the error within the block, and the message. */
const WRONG: readonly (readonly [text: string, line: number, said: string])[] = [
  [block("ts no-run", 'const count: number = "one";', "console.log(count);"), 1, "error TS2322"],
  [block("ts", 'throw new Error("too bad");'), 0, "ended with 1"],
  [
    block("ts", 'console.log("one");') + block("text output", "two"),
    0,
    "the output differs from what the page shows",
  ],
  [block("ts fragment", "console.log(nowhere);"), 1, "error TS2304"],
  [
    `<!-- setup\ndeclare const count: number;\n-->\n\n${block("ts fragment", "count.trim();")}`,
    5,
    "error TS2339",
  ],
  [block("json", "{ a: 1 }"), 0, "Expected property name"],
  [block("sh", "npx runahead -p --no-such"), 0, "`runahead` has no option --no-such"],
  [
    block("sh", "runahead permissions check --tool Bash --inputs '{}'"),
    0,
    "`runahead permissions check` has no option --inputs",
  ],
  [block("sh", "echo hi && npm run nonsense"), 0, "package.json has no script nonsense"],
  [block("text output", "one"), 0, "there is no program before it that runs"],
  [block("ts", "// examples/quick-start.ts", "const nothing = 1;"), 0, "is not in examples/quick-start.ts"],
];

test(
  "wrong code is reported with its page and line",
  async () => {
    const right = [block("ts", 'console.log("one");') + block("text output", "one"), block("json", "{}")];
    const complaints = await complaintsAbout([...WRONG.map(([text]) => text), ...right].join("\n"));
    let line = 1;
    for (const [text, at, said] of WRONG) {
      expect(complaints).toContain(`page.md:${line + at}: ${said}`);
      line += text.split("\n").length;
    }
    const places = [...complaints.matchAll(/page\.md:(\d+)/g)].map((match) => Number(match[1]));
    expect(places.filter((place) => place >= line)).toEqual([]);
  },
  LIMIT_MS,
);

test("a block that is not closed or has an unknown kind is reported", async () => {
  expect(await complaintsAbout("```ts\n1;\n")).toContain("page.md:1: the block is not closed");
  expect(await complaintsAbout(block("typescript", "1;"))).toContain(
    'page.md:1: unknown kind of block "typescript"',
  );
});
