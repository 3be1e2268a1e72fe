/** `/memory` shows the instruction files, and `#text` adds a line to one of them. */

import { appendFile, mkdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { CodingAgent } from "@runahead/harness";
import { excludeFromGit } from "@runahead/harness/internal";
import type { CommandPorts } from "./commands/ports.ts";
import type { Choosing } from "./panels/chooser.ts";
import { wordsOf } from "../shared/failure.ts";
import { reveal } from "../shared/safe-text.ts";
import type { World } from "../shared/world.ts";
import { dim } from "./screen/style.ts";
import { amount, oneLine, plural, shownPath } from "../shared/words.ts";

const REASONS = {
  user: "yours, read in every folder",
  project: "of the project",
  local: "of the project, only for you",
} as const;

const LOCAL = "CLAUDE.local.md";

/** Lists the files; one that is chosen opens in the editor. */
export async function memory(ports: CommandPorts): Promise<string[]> {
  const { world, choose, openFile } = ports;
  const made = ports.made();
  const loaded = made.instructions.files.map(({ path, scope, text }) => ({
    value: path,
    label: reveal(shownPath(path, world)),
    description: `${REASONS[scope]} · ${amount(text.length)} characters`,
  }));
  const others = (await memoryFiles(world, made)).filter(
    ({ value }) => !loaded.some((one) => one.value === value),
  );
  const more = others.map((choice) => ({ ...choice, label: `New: ${choice.label}` }));
  const path = await choose({ title: "Instruction files", choices: [...loaded, ...more], verb: "edit" });
  if (path === undefined) return memoryLines(world, made);
  const why = await openFile(path);
  if (why !== undefined) return [`Not edited: ${oneLine(why)}`];
  await keepOutOfGit(path);
  return [`Edited ${reveal(shownPath(path, world))}. New conversations read it.`];
}

/** Every file that is loaded and why, then the rules that wait for a file. */
export function memoryLines(world: World, { instructions, settings }: CodingAgent): string[] {
  const { files, conditional, problems } = instructions;
  const path = (one: string): string => reveal(shownPath(one, world));
  const lines = files.map(({ path: file, scope, importedBy, text }) => {
    const why = importedBy === undefined ? REASONS[scope] : `imported by ${path(importedBy)}`;
    return `${path(file)}  ${dim(`${why} · ${amount(text.length)} characters`)}`;
  });
  const waiting = conditional.map(
    ({ path: file, patterns }) =>
      `${path(file)}  ${dim(`when a file matches ${oneLine(patterns.join(", "))}`)}`,
  );
  return [
    ...(lines.length === 0 ? ["No instruction files."] : lines),
    ...waiting,
    ...problems.map(({ message }) => oneLine(message)),
    dim(`${plural(files.length, "file")} loaded. Files of subfolders are added when the model works there.`),
    ...(settings.isTrusted
      ? []
      : [dim("Imports from outside of this folder are ignored: it is not trusted.")]),
  ];
}

interface Ports {
  readonly world: World;
  readonly made: CodingAgent;
  readonly choose: (choosing: Choosing) => Promise<string | undefined>;
}

/** Adds a line to the file that the user chooses. */
export async function remember({ world, made, choose }: Ports, text: string): Promise<string[]> {
  if (text === "") return ["Type # and what to remember."];
  const choices = await memoryFiles(world, made);
  const value = await choose({ title: "Where should this be saved?", choices });
  if (value === undefined) return ["Nothing saved."];
  try {
    await addLine(value, text);
    await keepOutOfGit(value);
  } catch (error) {
    return [`Not saved: ${wordsOf(error)}`];
  }
  return [`Added to ${reveal(shownPath(value, world))}. New conversations read it.`];
}

async function memoryFiles(world: World, { settings }: CodingAgent): Promise<Choosing["choices"]> {
  const { root } = settings;
  const agents = join(root, "AGENTS.md");
  const hasAgents = (await stat(agents).catch(() => undefined)) !== undefined;
  return [
    { value: hasAgents ? agents : join(root, "CLAUDE.md"), label: "The project, for everybody" },
    { value: join(root, LOCAL), label: "The project, only for you" },
    { value: join(world.home, ".claude", "CLAUDE.md"), label: "All your projects" },
  ].map(({ value, label }) => ({ value, label, description: shownPath(value, world) }));
}

/** The file that is only for the user is not for commits. */
async function keepOutOfGit(path: string): Promise<void> {
  if (basename(path) === LOCAL) await excludeFromGit(dirname(path), LOCAL);
}

async function addLine(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const before = await readFile(path, "utf8").catch(() => "");
  const end = before.includes("\r\n") ? "\r\n" : "\n";
  const gap = before === "" || before.endsWith("\n") ? "" : end;
  await appendFile(path, `${gap}- ${text.replaceAll(/\s*\n\s*/g, " ").trim()}${end}`);
}
