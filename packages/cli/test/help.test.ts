import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "commander";
import { afterAll, expect, test } from "vitest";
import { main, program } from "../src/main.ts";

const folder = mkdtempSync(join(tmpdir(), "runahead-help-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const WORLD = { cwd: folder, home: folder, env: {} };
const root = program({ ...WORLD, print: () => {}, complain: () => {} }, () => {});

/** Each command by the words that lead to it. */
function commandsOf(
  command: Command,
  words: readonly string[] = [],
): (readonly [readonly string[], Command])[] {
  const below = command.commands.flatMap((one) => commandsOf(one, [...words, one.name()]));
  return [[words, command], ...below];
}

async function helpOf(words: readonly string[]): Promise<string> {
  const printed: string[] = [];
  const print = (text: string): void => void printed.push(text);
  expect(await main([...words, "--help"], { ...WORLD, print, complain: print })).toBe(0);
  return printed.join("");
}

test("every command and every option has a help text", async () => {
  for (const [words, command] of commandsOf(root)) {
    const help = await helpOf(words);
    const undescribed = [...command.options, ...command.registeredArguments].filter(
      (one) => one.description === "",
    );
    expect([words, undescribed, command.description() === ""]).toEqual([words, [], false]);
    for (const { long, hidden } of command.options) if (!hidden) expect(help).toContain(long);
    for (const below of command.commands) expect(help).toContain(below.name());
  }
});

test("the help of every command matches its snapshot", async () => {
  const texts = await Promise.all(
    commandsOf(root).map(
      async ([words]) => `$ ${["runahead", ...words, "--help"].join(" ")}\n${await helpOf(words)}`,
    ),
  );
  await expect(texts.join("\n")).toMatchFileSnapshot("./help.txt");
});

test("the docs name every option of a run", () => {
  const docs = readFileSync(new URL("../../../docs/cli.md", import.meta.url), "utf8");
  const unnamed = root.options.map(({ long }) => long ?? "").filter((name) => !docs.includes(name));
  expect(unnamed).toEqual([]);
});
