import { chmodSync, renameSync, symlinkSync, unlinkSync, utimesSync, writeFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { type AnyTool, createToolCache } from "@runahead/engine";
import { expect, onTestFinished, test } from "vitest";
import { TestFolder, agentIn } from "../../test/support/file-tool-calls.ts";
import { webServer } from "../../test/support/web-server.ts";
import { webFetchTool } from "../web/web-fetch.ts";
import { fileTools } from "./file-tools.ts";
import { createFileMemory } from "./file-memory.ts";

const LONG = "a line of text\n".repeat(100);
const VIEW = { isShown: () => true };

/** Counts how often each tool really runs. */
function counted(tools: readonly AnyTool[]): {
  readonly tools: AnyTool[];
  readonly runs: Record<string, number>;
} {
  const runs: Record<string, number> = {};
  const made = tools.map((tool) => ({
    ...tool,
    call: (input: never, context: never) => {
      runs[tool.name] = (runs[tool.name] ?? 0) + 1;
      return tool.call(input, context);
    },
  }));
  return { tools: made, runs };
}

/** A file has a stamp when its last change is not of this moment. */
const settled = () => pause(150);

function agent(folder: TestFolder, options: Parameters<typeof fileTools>[1] = {}) {
  const { tools, runs } = counted(fileTools(createFileMemory(), options));
  const cache = createToolCache();
  return { call: agentIn(folder.path, cache.tools(tools, VIEW)), runs, cache, tools };
}

test("Read returns a note while the file is the same, and its text after any change of it", async () => {
  const folder = new TestFolder();
  folder.write("a.txt", LONG);
  await settled();
  const { call, runs } = agent(folder);
  const read = async (): Promise<string> => (await call("Read", { file_path: "a.txt" })).text.slice(0, 16);
  expect(await read()).toBe("     1\ta line of");
  expect(await read()).toBe("Unchanged: the r");
  expect([await read(), runs["Read"]]).toEqual(["Unchanged: the r", 2]);
  // The same size and the same modification time.
  const time = new Date(1_700_000_000_000);
  utimesSync(folder.at("a.txt"), time, time);
  await settled();
  await read();
  await read();
  writeFileSync(folder.at("a.txt"), LONG.replace("a line", "A LINE"));
  utimesSync(folder.at("a.txt"), time, time);
  expect(await read()).toBe("     1\tA LINE of");
  // Another file at the same place.
  folder.write("b.txt", LONG.replace("a line", "B line"));
  renameSync(folder.at("b.txt"), folder.at("a.txt"));
  expect(await read()).toBe("     1\tB line of");
});

test("a file that changed just now has no stamp, so a second change in the same moment is seen", async () => {
  const folder = new TestFolder();
  const { call } = agent(folder);
  for (let round = 0; round < 20; round++) {
    folder.write("a.txt", `${LONG}${String(round).padStart(3, "0")}`);
    expect((await call("Read", { file_path: "a.txt" })).text).toContain(String(round).padStart(3, "0"));
  }
});

test("a file that Read did not read again counts as read for Edit", async () => {
  const folder = new TestFolder();
  folder.write("a.txt", LONG);
  await settled();
  const { call, runs } = agent(folder);
  for (let at = 0; at < 3; at++) await call("Read", { file_path: "a.txt" });
  expect(runs["Read"]).toBe(2);
  const edit = {
    file_path: "a.txt",
    old_string: "a line of text\n",
    new_string: "changed\n",
    replace_all: true,
  };
  expect((await call("Edit", edit)).isError).toBe(false);
  expect((await call("Read", { file_path: "a.txt" })).text).toMatch(/^ {5}1\tchanged/);
});

test("a sub-agent that has not read a file reads it, so that it can edit it", async () => {
  const folder = new TestFolder();
  folder.write("a.txt", LONG);
  await settled();
  const { call, cache, tools } = agent(folder);
  for (let at = 0; at < 3; at++) await call("Read", { file_path: "a.txt" });
  const sub = agentIn(folder.path, cache.tools(tools), { agent: { id: "agent-1", type: "x" } });
  expect((await sub("Read", { file_path: "a.txt" })).text).toMatch(/^ {5}1\ta line/);
  const edit = { file_path: "a.txt", old_string: "a line of text\n", new_string: "b\n", replace_all: true };
  expect((await sub("Edit", edit)).isError).toBe(false);
});

test("a link that leads elsewhere is another file, and text of an editor is never used again", async () => {
  const folder = new TestFolder();
  folder.write("a.txt", `first ${LONG}`);
  folder.write("b.txt", `other ${LONG}`);
  symlinkSync("a.txt", folder.at("link"));
  await settled();
  const { call } = agent(folder);
  for (let at = 0; at < 3; at++) await call("Read", { file_path: "link" });
  unlinkSync(folder.at("link"));
  symlinkSync("b.txt", folder.at("link"));
  expect((await call("Read", { file_path: "link" })).text).toContain("other");
  let unsaved = `one ${LONG}`;
  const inEditor = agent(folder, { editor: { read: async () => unsaved } }).call;
  for (let at = 0; at < 3; at++) await inEditor("Read", { file_path: "a.txt" });
  unsaved = `two ${LONG}`;
  expect((await inEditor("Read", { file_path: "a.txt" })).text).toContain("two");
});

test.each(["Grep", "Glob"])(
  "%s runs again after a change in the folder, of an ignore file above it, or of what rules let it show",
  async (name) => {
    const folder = new TestFolder();
    folder.write("top/src/a.txt", "find me\n");
    folder.write("top/src/deep/b.txt", "find me\n");
    await settled();
    const hidden = new Set<string>();
    const { call, runs } = agent(folder, { mayShow: (path) => !hidden.has(path) });
    const input = name === "Grep" ? { pattern: "find me" } : { pattern: "**/*.txt" };
    const search = async (): Promise<string> => (await call(name, { ...input, path: "top/src" })).text;
    const both = "top/src/a.txt\ntop/src/deep/b.txt";
    expect([await search(), await search(), runs[name]]).toEqual([both, both, 1]);
    hidden.add(folder.at("top/src/a.txt"));
    expect(await search()).not.toContain("a.txt");
    hidden.clear();
    folder.write("top/.gitignore", "deep/\n");
    expect(await search()).toBe("top/src/a.txt");
    unlinkSync(folder.at("top/.gitignore"));
    folder.write("top/src/deep/c.txt", "find me\n");
    expect(await search()).toBe(`${both}\ntop/src/deep/c.txt`);
    unlinkSync(folder.at("top/src/deep/c.txt"));
    expect(await search()).toBe(both);
    if (name === "Glob") return;
    await settled();
    await search();
    folder.write("top/src/a.txt", "not here\n");
    expect(await search()).toBe("top/src/deep/b.txt");
    chmodSync(folder.at("top/src/a.txt"), 0o644);
  },
);

test("a search runs again after a change of the ignore file that the user's git settings name", async () => {
  const home = new TestFolder();
  const before = process.env["HOME"];
  process.env["HOME"] = home.path;
  onTestFinished(() => void (process.env["HOME"] = before));
  home.write(".gitconfig", '[core]\n\texcludesFile = "~/ignored"\n');
  home.write("ignored", "b.txt\n");
  const folder = new TestFolder();
  folder.write("a.txt", "x");
  folder.write("b.txt", "x");
  await settled();
  const { call, runs } = agent(folder);
  const search = async (): Promise<string> => (await call("Glob", { pattern: "*.txt" })).text;
  expect([await search(), await search(), runs["Glob"]]).toEqual(["a.txt", "a.txt", 1]);
  home.write("ignored", "a.txt\n");
  expect(await search()).toBe("b.txt");
});

test("a search of a large folder always runs", async () => {
  const folder = new TestFolder();
  for (let at = 0; at < 301; at++) folder.write(`${at}.txt`, "x");
  await settled();
  const { call, runs } = agent(folder);
  await call("Glob", { pattern: "*.txt" });
  await call("Glob", { pattern: "*.txt" });
  expect(runs["Glob"]).toBe(2);
});

test("WebFetch asks the server whether the page is still the same, and fetches it again if not", async () => {
  let version = 1;
  const asked: string[] = [];
  const answer: Parameters<typeof webServer>[0] = (request, response) => {
    const etag = `"v${version}"`;
    const known = request.headers["if-none-match"];
    asked.push(String(known));
    response.writeHead(known === etag ? 304 : 200, { etag, "content-type": "text/plain" });
    response.end(known === etag ? undefined : `version ${version} ${LONG}`);
  };
  const server = await webServer(answer);
  const { tools, runs } = counted([webFetchTool({ allowPrivate: true })]);
  const call = agentIn("/tmp", createToolCache().tools(tools, VIEW));
  const fetchIt = async (): Promise<string> => (await call("WebFetch", { url: server.url, prompt: "" })).text;
  expect(await fetchIt()).toContain("version 1");
  expect([await fetchIt(), await fetchIt()]).toEqual([
    expect.stringMatching(/^Unchanged: /),
    expect.stringMatching(/^Unchanged: /),
  ]);
  expect(runs["WebFetch"]).toBe(2);
  // At once: no time has passed in which an old page would do.
  version = 2;
  expect(await fetchIt()).toContain("version 2");
  expect(asked.at(-2)).toBe('"v1"');
});
