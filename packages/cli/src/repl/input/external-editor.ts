/** Ctrl+G: edits the input line in the user's own editor. */

import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { World } from "../../shared/world.ts";
import { wordsOf } from "../../shared/failure.ts";

export type Edited =
  | { readonly type: "edited"; readonly text: string }
  | { readonly type: "failed"; readonly why: string };

/** Returns the command in `VISUAL` or `EDITOR`, with its arguments, or undefined if neither is set. */
export function editorOf({ env }: Pick<World, "env">): string | undefined {
  return [env["VISUAL"], env["EDITOR"]].find((name) => name !== undefined && name.trim() !== "");
}

/** Gives the terminal to the editor until it exits. The text goes through a private file. */
export async function editOutside(text: string, editor: string, world: World): Promise<Edited> {
  const folder = await mkdtemp(join(tmpdir(), "runahead-prompt-"));
  const path = join(folder, "prompt.md");
  try {
    await writeFile(path, text, { mode: 0o600 });
    const failure = await run(editor, path, world);
    if (failure !== undefined) return { type: "failed", why: failure };
    return { type: "edited", text: (await readFile(path, "utf8")).replace(/\n+$/, "") };
  } catch (error) {
    return { type: "failed", why: wordsOf(error) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Opens a file, and creates its folder. Returns why that failed, or undefined. */
export async function openOutside(path: string, editor: string, world: World): Promise<string | undefined> {
  await mkdir(dirname(path), { recursive: true });
  return run(editor, path, world);
}

/** Returns why it failed, or undefined. */
function run(editor: string, path: string, { cwd, env }: World): Promise<string | undefined> {
  // Through a shell, because the variable can contain arguments, such as `code --wait`.
  const child = spawn("/bin/sh", ["-c", `${editor} "$1"`, "sh", path], { cwd, env, stdio: "inherit" });
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) =>
      resolve(
        code === 0
          ? undefined
          : `The editor failed: ${editor} ${signal === null ? `exited with code ${code}` : `was killed by ${signal}`}.`,
      ),
    );
  });
}
