import { chmod, mkdir, mkdtemp, readFile, readdir, rm, stat, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { StreamingToolExecutor, defineTool } from "@runahead/engine";
import { afterEach, expect, test } from "vitest";
import { z } from "zod";
import { fileResults } from "./results.ts";

const folders: string[] = [];
afterEach(() => Promise.all(folders.splice(0).map((path) => rm(path, { recursive: true, force: true }))));

async function newStore() {
  const folder = await mkdtemp(join(tmpdir(), "results-"));
  folders.push(folder);
  const notices: string[] = [];
  const directory = join(folder, "id");
  return { directory, notices, results: fileResults(directory, (message) => notices.push(message)) };
}

const item = (callId: string, text: string) => ({ callId, toolName: "Read", text });

test("E06, E11: a large result is stored completely in a private file, without temporary files", async () => {
  const { directory, results } = await newStore();
  const path = await results.store(item("toolu_1", "ü😀\n".repeat(10_000)));
  expect(await readFile(path, "utf8")).toBe("ü😀\n".repeat(10_000));
  expect(((await stat(path)).mode & 0o777).toString(8)).toBe("600");
  expect(((await stat(dirname(path))).mode & 0o777).toString(8)).toBe("700");
  expect(await readdir(join(directory, "results"))).toEqual([basename(path)]);
});

test("E09: file names from call ids stay inside the folder, and never overwrite each other", async () => {
  const { directory, results } = await newStore();
  const ids = [
    "../../etc/passwd",
    "..%2f..%2fx",
    "a/b",
    "a\u0000b",
    "",
    ".",
    "..",
    "CON",
    "x".repeat(5_000),
    "ü",
    "a",
    "a",
  ];
  const paths = await Promise.all(ids.map(async (id) => results.store(item(id, `text of ${id}`))));
  expect(new Set(paths.map((path) => path.toLowerCase())).size).toBe(ids.length);
  expect(paths.filter((path) => dirname(path) !== join(directory, "results"))).toEqual([]);
  expect(paths.filter((path) => !/^[A-Za-z0-9_-]{1,100}\.txt$/.test(basename(path)))).toEqual([]);
  expect(await Promise.all(paths.map((path) => readFile(path, "utf8")))).toEqual(
    ids.map((id) => `text of ${id}`),
  );
});

test("E04: a results directory that is a link is not followed", async () => {
  const { directory, notices, results } = await newStore();
  const elsewhere = await mkdtemp(join(tmpdir(), "elsewhere-"));
  folders.push(elsewhere);
  await mkdir(directory);
  await symlink(elsewhere, join(directory, "results"));
  const path = await results.store(item("a", "text"));
  expect(dirname(path)).toBe(join(directory, "results.private-1"));
  expect([await readdir(elsewhere), notices.length]).toEqual([[], 1]);
});

test("E01, E05: if the store fails, the result loses only the middle of its text; a deleted directory is created again", async () => {
  const { directory, results } = await newStore();
  const long = defineTool({
    name: "Long",
    description: "Prints much",
    inputSchema: z.object({}),
    call: () => "x".repeat(100_000),
  });
  const reported: string[] = [];
  const run = async (callId: string): Promise<string> => {
    const executor = new StreamingToolExecutor({
      tools: [long],
      results,
      onEvent: (event) => void (event.type === "results-failed" && reported.push(event.message)),
    });
    executor.add({ id: callId, name: "Long", input: {} });
    for await (const update of executor.remaining())
      if (update.type === "result") return String(update.result.content);
    return "";
  };
  expect(await run("a")).toContain(`The full result is stored in ${join(directory, "results", "a-")}`);
  await rm(directory, { recursive: true });
  expect(await run("b")).toContain(`The full result is stored in ${join(directory, "results", "b-")}`);
  const gone = fileResults(join(directory, "x".repeat(300)), () => {});
  await expect(Promise.resolve(gone.store(item("a", "text")))).rejects.toThrow("ENAMETOOLONG");
  await rm(dirname(directory), { recursive: true });
  expect(await run("c")).toMatch(
    /^\[Result too large: 100000 characters, and it could not be stored \(ENOENT/,
  );
  expect(reported).toHaveLength(1);
  await mkdir(dirname(directory));
  await chmod(dirname(directory), 0o700);
});
