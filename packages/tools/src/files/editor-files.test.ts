import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { TestFolder } from "../../test/support/file-tool-calls.ts";
import { inEditor, writeInEditor } from "./editor-files.ts";

const { signal } = new AbortController();
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
const withBom = (text: string): Buffer => Buffer.concat([BOM, Buffer.from(text)]);
const shown = (onDisk: Buffer, text: string): Promise<Buffer> =>
  inEditor("/a.txt", onDisk, { read: async () => text }, signal);

test("unsaved text keeps one byte order mark, whether the editor includes it or not", async () => {
  const onDisk = withBom("one\n");
  for (const text of ["two\n", "\uFEFFtwo\n"])
    expect((await shown(onDisk, text)).equals(withBom("two\n"))).toBe(true);
  expect(await shown(onDisk, "\uFEFFone\n")).toBe(onDisk);
});

test("unsaved text keeps the ends of lines of the file if the editor converts them", async () => {
  const onDisk = Buffer.from("one\r\ntwo\r\n");
  expect(await shown(onDisk, "one\ntwo\n")).toBe(onDisk);
  expect(String(await shown(onDisk, "one\n2\n"))).toBe("one\r\n2\r\n");
  expect(String(await shown(onDisk, "one\r\n2\n"))).toBe("one\r\n2\n");
  expect(String(await shown(Buffer.from("one\r\ntwo\n"), "one\n2\n"))).toBe("one\n2\n");
});

test("a write that the editor refuses says so, and that a new file is on disk", async () => {
  const folder = new TestFolder();
  const path = folder.at("new.txt");
  const write = () => Promise.reject(new Error("The buffer is locked."));
  const replacement = { path, bytes: Buffer.from("x"), before: undefined, signal };
  await expect(writeInEditor(replacement, "x", { write })).rejects.toThrow(
    `The editor did not write ${path}: The buffer is locked. The new file is on disk. Read it again.`,
  );
  expect(readFileSync(path, "utf8")).toBe("x");
});
