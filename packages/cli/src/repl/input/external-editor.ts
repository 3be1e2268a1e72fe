/** Ctrl+G: what one is typing, in an editor of one's own. */

import { spawn } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { World } from "../../shared/world.ts";
import { wordsOf } from "../../shared/failure.ts";

export type Edited =
  | { readonly type: "edited"; readonly text: string }
  | { readonly type: "failed"; readonly why: string };

/** What `VISUAL` or `EDITOR` names, with its arguments; undefined where neither does. */
export function editorOf({ env }: Pick<World, "env">): string | undefined {
  return [env["VISUAL"], env["EDITOR"]].find((name) => name !== undefined && name.trim() !== "");
}

/** The terminal is the editor's until it ends. The text goes through a file that nobody else may read. */
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

/** Gives why it failed, if it did. */
function run(editor: string, path: string, { cwd, env }: World): Promise<string | undefined> {
  // By a shell, since people write `code --wait` into it.
  const child = spawn("/bin/sh", ["-c", `${editor} "$1"`, "sh", path], { cwd, env, stdio: "inherit" });
  return new Promise((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) =>
      resolve(code === 0 ? undefined : `${editor} ended with ${signal ?? code}`),
    );
  });
}
