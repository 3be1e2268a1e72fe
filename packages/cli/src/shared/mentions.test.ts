import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { PermissionVerdict } from "@runahead/harness";
import { withMentions } from "./mentions.ts";
import { attachedNames, typedText } from "../repl/input/prompt.ts";

let cwd: string;
const notices: string[] = [];
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), "runahead-mentions-"));
  notices.length = 0;
  writeFileSync(join(cwd, "a.txt"), "text\n");
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const verdict = (path: string): PermissionVerdict => ({
  behavior: path.endsWith("secret") ? "deny" : "ask",
  reason: "A rule denies it.",
  by: { type: "unclear" },
});

async function sent(text: string) {
  const prompt = await withMentions(text, { cwd, decide: verdict, onNotice: (one) => notices.push(one) });
  return { prompt, names: attachedNames(prompt) };
}

test("files and folders that are named are attached once, and missing ones are reported", async () => {
  mkdirSync(join(cwd, "src/in"), { recursive: true });
  writeFileSync(join(cwd, "src/b.ts"), "");
  const { prompt, names } = await sent("see @a.txt, (@a.txt) @src @nobody a@a.txt");
  expect(names).toEqual(["a.txt", "src"]);
  expect(prompt).toEqual([
    { type: "text", text: "see @a.txt, (@a.txt) @src @nobody a@a.txt" },
    { type: "text", text: '<file path="a.txt">\ntext\n\n</file>' },
    { type: "text", text: '<file path="src">\nb.ts\nin/\n</file>' },
  ]);
  expect(typedText(prompt)).toBe("see @a.txt, (@a.txt) @src @nobody a@a.txt");
  expect((await sent("nothing @missing-file")).prompt).toBe("nothing @missing-file");
  await sent("@src/none.ts, @b and @server:note://1 @Component({ @1 @2 @3 @4");
  expect(notices).toEqual([
    "Not attached: @nobody does not exist.",
    "Not attached: @missing-file does not exist.",
    "Not attached: @src/none.ts, @b, @1, @2, @3 and 1 more do not exist.",
  ]);
});

test("files that a rule denies, binary files and devices are skipped with a notice", async () => {
  writeFileSync(join(cwd, "secret"), "1");
  writeFileSync(join(cwd, "image"), Buffer.from([1, 0, 2]));
  symlinkSync("/dev/zero", join(cwd, "endless"));
  expect((await sent("@secret @image @endless")).prompt).toBe("@secret @image @endless");
  expect(notices).toEqual([
    "Not attached: @secret: A rule denies it.",
    "Not attached: @image: it is a binary file.",
    "Not attached: @endless: it is not a regular file or folder.",
  ]);
});

test("of a long file only the beginning is attached, with a note; of many files only the first", async () => {
  writeFileSync(join(cwd, "long"), "x".repeat(200_000));
  const { prompt } = await sent("@long");
  const text = Array.isArray(prompt) ? (prompt[1] as { text: string }).text : "";
  expect([text.length < 101_000, text.includes("the first 100000 of 200000 bytes")]).toEqual([true, true]);
  const many = Array.from({ length: 25 }, (_, at) => `f${at}`);
  for (const name of many) writeFileSync(join(cwd, name), name);
  const { names } = await sent(many.map((name) => `@${name}`).join(" "));
  expect([names.length, notices]).toEqual([20, ["Attached only the first 20 of 25 files."]]);
});

test("an image is attached as an image, and one that is too large is not", async () => {
  const png = Buffer.from("89504e470d0a1a0a0000000d49484452", "hex");
  writeFileSync(join(cwd, "shot.png"), png);
  writeFileSync(join(cwd, "big.png"), Buffer.concat([png, Buffer.alloc(4_000_000)]));
  const { prompt, names } = await sent("see @shot.png and @big.png");
  expect(names).toEqual(["shot.png"]);
  expect(prompt).toEqual([
    { type: "text", text: "see @shot.png and @big.png" },
    { type: "text", text: '<file path="shot.png">\n(an image, which follows)\n</file>' },
    { type: "image", source: { type: "base64", media_type: "image/png", data: png.toString("base64") } },
  ]);
  expect(notices).toEqual([expect.stringContaining("the image has 4.0 MB")]);
});
