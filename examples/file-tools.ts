/** A few real tools. Each declares what it touches, and the engine orders the calls. */

import { execFile } from "node:child_process";
import { readFile, readdir, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type AnyTool, type CallContext, type Claim, defineTool } from "@runahead/engine";
import { z } from "zod";

const file = (mode: Claim["mode"], cwd: string, path: string): Claim => ({
  mode,
  place: `fs:${resolve(cwd, path)}`,
});

const read = defineTool({
  name: "Read",
  description: "Reads a file.",
  inputSchema: z.object({ file_path: z.string() }),
  isReadOnly: () => true,
  access: ({ file_path }, { cwd }) => [file("read", cwd, file_path)],
  describe: ({ file_path }) => `Read ${file_path}`,
  call: ({ file_path }, { cwd }) => readFile(resolve(cwd, file_path), "utf8"),
});

const edit = defineTool({
  name: "Edit",
  description: "Replaces a text in a file.",
  inputSchema: z.object({ file_path: z.string(), old_string: z.string(), new_string: z.string() }),
  access: ({ file_path }, { cwd }) => [file("write", cwd, file_path)],
  describe: ({ file_path }) => `Edit ${file_path}`,
  async call({ file_path, old_string, new_string }, { cwd }) {
    const path = resolve(cwd, file_path);
    const text = await readFile(path, "utf8");
    if (text.split(old_string).length !== 2)
      throw new Error(`The text to replace must be in ${file_path} once.`);
    await writeFile(
      path,
      text.replace(old_string, () => new_string),
    );
    return `Edited ${file_path}.`;
  },
});

const search = defineTool({
  name: "Search",
  description: "Lists the files of a folder that contain a text.",
  inputSchema: z.object({ path: z.string(), text: z.string() }),
  isReadOnly: () => true,
  access: ({ path }, { cwd }) => [file("read", cwd, path)],
  describe: ({ text, path }) => `Search ${path} for "${text}"`,
  async call({ path, text }, { cwd }) {
    const folder = resolve(cwd, path);
    const entries = await readdir(folder, { withFileTypes: true });
    const names = entries.flatMap((entry) => (entry.isFile() ? [entry.name] : [])).toSorted();
    const contents = await Promise.all(names.map((name) => readFile(resolve(folder, name), "utf8")));
    return names.filter((_, at) => contents[at]?.includes(text)).join("\n");
  },
});

/** Reads anything in the folder: waits for edits there, and runs in parallel with other tests. */
const test = defineTool({
  name: "Test",
  description: "Runs a test file.",
  inputSchema: z.object({ file_path: z.string() }),
  isReadOnly: () => true,
  access: (_input, { cwd }) => [file("read", cwd, ".")],
  describe: ({ file_path }) => `Test ${file_path}`,
  call: ({ file_path }, context) => run(process.execPath, [file_path], context),
});

/** Declares no access, so it waits for all calls before it, and all calls after it wait for it. */
const bash = defineTool({
  name: "Bash",
  description: "Runs a command.",
  inputSchema: z.object({ command: z.string() }),
  timeoutMs: () => 30_000,
  onError: () => "cancel-later",
  describe: ({ command }) => command,
  call: ({ command }, context) => run("sh", ["-c", command], context),
});

function run(
  program: string,
  args: readonly string[],
  { cwd, signal, progress }: CallContext,
): Promise<string> {
  return new Promise((done, fail) => {
    const child = execFile(program, args, { cwd, signal }, (error, stdout, stderr) => {
      if (error === null) done(stdout);
      else fail(new Error(`${error.message}\n${stderr}`));
    });
    child.stdout?.on("data", (content: string) => progress({ type: "output", content }));
  });
}

export const fileTools: readonly AnyTool[] = [read, edit, search, test, bash];
