import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { memoryFolder, withMemory } from "./agent-memory.ts";

const made: string[] = [];
afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

test("notes are read, but not through a link, which a repository could bring", () => {
  const root = mkdtempSync(join(tmpdir(), "agent-memory-"));
  made.push(root);
  const secret = join(root, "secret");
  mkdirSync(secret);
  writeFileSync(join(secret, "MEMORY.md"), "s3cret\n");
  const promptOf = (name: string): string => {
    const folder = memoryFolder("project", name, { home: root, root });
    return withMemory({ name, description: "", prompt: "", memoryFolder: folder }).prompt;
  };
  const notes = join(root, ".claude", "agent-memory");
  for (const name of ["good", "file"]) mkdirSync(join(notes, name), { recursive: true });
  writeFileSync(join(notes, "good", "MEMORY.md"), "noted\n");
  symlinkSync(join(secret, "MEMORY.md"), join(notes, "file", "MEMORY.md"));
  symlinkSync(secret, join(notes, "folder"));
  expect(promptOf("good")).toContain("noted");
  for (const name of ["file", "folder"]) expect(promptOf(name)).not.toContain("s3cret");
});
