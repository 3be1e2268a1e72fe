import { readFileSync, statSync, utimesSync } from "node:fs";
import { expect, test } from "vitest";
import { TestFolder, agentIn } from "../../test/support/file-tool-calls.ts";
import { ChangeLog, changeWords } from "./change-log.ts";
import { fileDiff } from "./file-diff.ts";
import { createFileMemory } from "./file-memory.ts";
import { fileTools } from "./file-tools.ts";

const TESTS = { id: "agent-1", type: "tests" };
const DOCS = { id: "agent-2", type: "docs" };

/** The main agent and two sub-agents of one session. */
function session() {
  const folder = new TestFolder();
  const memory = createFileMemory();
  const tools = fileTools(memory);
  const call = (agent?: typeof TESTS) => agentIn(folder.path, tools, agent === undefined ? {} : { agent });
  return { folder, memory, main: call(), tests: call(TESTS), docs: call(DOCS) };
}

const numbered = (count: number): string =>
  Array.from({ length: count }, (_, at) => `line ${at + 1}\n`).join("");

test("an edit of a file that another agent changed is refused with what changed and by whom", async () => {
  const { folder, main, tests } = session();
  folder.write("a.txt", numbered(30));
  await main("Read", { file_path: "a.txt" });
  await tests("Read", { file_path: "a.txt" });
  await tests("Edit", {
    file_path: "a.txt",
    old_string: "line 10\nline 11\nline 12\n",
    new_string: "a\nline 11\nb\nc\n",
  });
  const input = { file_path: "a.txt", old_string: "line 20", new_string: "x" };
  expect(await main("Edit", input)).toMatchObject({
    isError: true,
    text: expect.stringMatching(
      /^Error: .*a\.txt was changed by sub-agent "tests" \d s ago: \+3 −2, lines 10–13\. Read it again before you change it\.$/,
    ) as string,
  });
  expect((await main("Write", { file_path: "a.txt", content: "x" })).text).toMatch(
    /changed by sub-agent "tests"/,
  );
  expect(readFileSync(folder.at("a.txt"), "utf8")).toContain("line 11\nb\nc\n");
  await main("Read", { file_path: "a.txt" });
  expect(await main("Edit", input)).toMatchObject({ isError: false });
  expect((await tests("Edit", { ...input, old_string: "line 21" })).text).toMatch(
    /was changed by the main agent \d s ago: \+1 −1, line 21\./,
  );
});

test("what one agent read does not count for another", async () => {
  const { folder, main, tests, docs } = session();
  folder.write("a.txt", "one");
  await tests("Read", { file_path: "a.txt" });
  const input = { file_path: "a.txt", old_string: "one", new_string: "two" };
  expect((await main("Edit", input)).text).toMatch(/has not been read yet/);
  expect((await docs("Edit", input)).text).toMatch(/has not been read yet/);
  expect(await tests("Edit", input)).toMatchObject({ isError: false });
});

test("an agent's own changes never make a file stale for it, nor does a change that another agent took back", async () => {
  const { folder, main, tests } = session();
  folder.write("a.txt", "one two");
  for (const call of [main, tests]) await call("Read", { file_path: "a.txt" });
  await main("Edit", { file_path: "a.txt", old_string: "one", new_string: "1" });
  await main("Write", { file_path: "a.txt", content: "1 two three" });
  await main("Edit", { file_path: "a.txt", old_string: "three", new_string: "3" });
  await main("Write", { file_path: "a.txt", content: "one two" });
  expect(await tests("Edit", { file_path: "a.txt", old_string: "two", new_string: "2" })).toMatchObject({
    isError: false,
    text: expect.not.stringContaining("changed since") as string,
  });
  expect(readFileSync(folder.at("a.txt"), "utf8")).toBe("one 2");
});

test("a change by another agent is refused even if a formatter ran after it", async () => {
  const { folder, main, tests } = session();
  folder.write("a.txt", "one two");
  for (const call of [main, tests]) await call("Read", { file_path: "a.txt" });
  await tests("Edit", { file_path: "a.txt", old_string: "one", new_string: "1" });
  folder.write("a.txt", "1 two\n");
  expect((await main("Edit", { file_path: "a.txt", old_string: "two", new_string: "2" })).text).toMatch(
    /changed by sub-agent "tests"/,
  );
});

test("a file that changed while a command of another agent ran is refused; with one's own command it is not", async () => {
  const { folder, memory, main, tests } = session();
  const change = { file_path: "a.txt", old_string: "two", new_string: "2" };
  const ran = (agent: typeof TESTS | undefined, path: string, writes?: readonly string[]): void => {
    const { mtimeMs } = statSync(path);
    memory.noteCommand({ agent, startedAtMs: mtimeMs - 5, endedAtMs: mtimeMs + 5, writes });
  };
  const again = async (): Promise<string> => {
    folder.write("a.txt", "one two");
    for (const call of [main, tests]) await call("Read", { file_path: "a.txt" });
    return folder.write("a.txt", "1 two");
  };
  ran(TESTS, await again());
  expect((await main("Edit", change)).text).toMatch(
    /a\.txt was changed \d s ago while a command of sub-agent "tests" ran\. Read it again before you change it\.$/,
  );
  expect(await tests("Edit", change)).toMatchObject({ isError: false });
  const path = await again();
  ran(TESTS, path, [folder.at("b.txt")]);
  utimesSync(path, new Date(Date.now() + 10_000), new Date(Date.now() + 10_000));
  expect(await main("Edit", change)).toMatchObject({ isError: false });
  ran(TESTS, await again(), [folder.path]);
  ran(undefined, folder.at("a.txt"));
  expect(await main("Edit", change)).toMatchObject({ isError: false });
});

test("files that another agent changed are reported with its name, and to each agent", async () => {
  const { folder, memory, main, tests, docs } = session();
  const path = folder.write("a.txt", "one two");
  for (const call of [main, tests, docs]) await call("Read", { file_path: "a.txt" });
  await docs("Edit", { file_path: "a.txt", old_string: "one", new_string: "three" });
  expect(await memory.takeChangedFiles()).toEqual([`${path} (by sub-agent "docs")`]);
  expect(await memory.takeChangedFiles(TESTS)).toEqual([`${path} (by sub-agent "docs")`]);
  expect(await memory.takeChangedFiles(DOCS)).toEqual([]);
});

test("the words name the latest changes first and shorten long lists", () => {
  const log = new ChangeLog();
  const change = (agent: typeof TESTS | undefined, atMs: number, after: string) =>
    log.add("/a", { agent, atMs, diff: fileDiff("a\nb\nc\n", after) });
  change(undefined, 1_000, "a\nb\n");
  change(TESTS, 2_000, "a\nb\nc\nd\n");
  change(DOCS, 200_000, "x\nb\nc\n");
  change(undefined, 3_599_000, "");
  expect(changeWords(log.byOthers("/a", 1, "agent-9"), 3_600_000)).toBe(
    'changed by the main agent 1 s ago: +0 −3, line 1; by sub-agent "docs" 57 min ago: +1 −1, line 1; by sub-agent "tests" 60 min ago: +1 −0, line 4',
  );
  expect(changeWords(log.byOthers("/a", 0, "agent-9"), 20_000_000)).toMatch(/5 h ago.*; and 1 more times$/);
  expect(log.byOthers("/a", 0, undefined)).toHaveLength(2);
});
