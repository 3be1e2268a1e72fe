import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { TestFolder } from "../../test/support/file-tool-calls.ts";
import { withFile } from "./open-file.ts";
import { openPinned, pin, withPin } from "./pin.ts";

test.each([
  ["the file itself", "link.txt"],
  ["its folder", "link/a.txt"],
  ["a folder in the middle", "up/link/deep/a.txt"],
])("class 9: %s became a link after the path was resolved: nothing is opened", async (_, name) => {
  const folder = new TestFolder();
  folder.write("outside/a.txt", "secret");
  folder.write("outside/deep/a.txt", "secret");
  mkdirSync(folder.at("up"));
  symlinkSync("outside/a.txt", folder.at("link.txt"));
  symlinkSync("outside", folder.at("link"));
  symlinkSync("../outside", folder.at("up/link"));
  const path = folder.at(name);
  expect(() => pin(path, "written")).toThrow(
    `${path} moved while it was being opened, so nothing was written. Try again.`,
  );
  await expect(withFile(path, async ({ handle }) => handle.readFile("utf8"))).rejects.toThrow(
    `${path} moved while it was being opened, so nothing was read. Try again.`,
  );
});

test("class 9: what is pinned stays the same file and folder when its name leads elsewhere", async () => {
  const folder = new TestFolder();
  folder.write("work/a.txt", "judged");
  folder.write("outside/a.txt", "secret");
  const text = await withPin(folder.at("work/a.txt"), "read", async (pinned) => {
    renameSync(folder.at("work"), folder.at("moved"));
    symlinkSync("outside", folder.at("work"));
    const handle = await openPinned(pinned, "read");
    try {
      return await handle.readFile("utf8");
    } finally {
      await handle.close();
    }
  });
  expect(text).toBe("judged");
  await withPin(folder.at("moved"), "written", async ({ fixed }) => {
    renameSync(folder.at("moved"), folder.at("again"));
    symlinkSync("outside", folder.at("moved"));
    writeFileSync(`${fixed}/b.txt`, "new");
  });
  expect([readdirSync(folder.at("outside")), readFileSync(folder.at("again/b.txt"), "utf8")]).toEqual([
    ["a.txt"],
    "new",
  ]);
});

test("a missing file is not a file that moved", async () => {
  const folder = new TestFolder();
  expect(pin(folder.at("missing.txt"), "read")).toBeUndefined();
  expect(await withFile(folder.at("missing/a.txt"), async () => true)).toBeUndefined();
});

test("links that lead in a circle are not reported as a move", async () => {
  const folder = new TestFolder();
  symlinkSync("two", folder.at("one"));
  symlinkSync("one", folder.at("two"));
  await expect(withFile(folder.at("one"), async () => true)).rejects.toThrow(/too many of them \(ELOOP\)\.$/);
});

const WITHOUT_PROC = `
import { existsSync, readFileSync, statSync } from "node:fs";
const at = ${JSON.stringify(fileURLToPath(new URL(".", import.meta.url)))};
const { withFile } = await import(at + "open-file.ts");
const { replaceFile } = await import(at + "replace-file.ts");
const { signal } = new AbortController();
const root = process.argv[2];
const read = (name) =>
  withFile(root + name, ({ handle }) => handle.readFile("utf8")).catch(({ message }) => message);
const write = (name, before) =>
  replaceFile({ path: root + name, bytes: Buffer.from("new"), before, signal }).then(
    () => readFileSync(root + name, "utf8"),
    ({ message }) => message,
  );
console.log(JSON.stringify([
  existsSync("/proc/self"),
  await read("/a.txt"), await read("/link/a.txt"), await read("/missing.txt") ?? "missing",
  await write("/sub/new.txt"), await write("/a.txt", statSync(root + "/a.txt")), await write("/link/b.txt"),
]));
`;

test("class 9: without /proc files are read and written too, and a path with a link in it is refused", () => {
  const folder = new TestFolder();
  folder.write("a.txt", "text");
  folder.write("outside/a.txt", "secret");
  symlinkSync("outside", folder.at("link"));
  folder.write("script.mjs", WITHOUT_PROC);
  const bare = ["--dev-bind", "/", "/", "--tmpfs", "/proc"];
  const node = [
    process.execPath,
    "--import",
    import.meta.resolve("tsx"),
    folder.at("script.mjs"),
    folder.path,
  ];
  const printed = execFileSync("bwrap", [...bare, ...node], { encoding: "utf8" });
  const moved = (name: string, doing: string): string =>
    `${folder.at(name)} moved while it was being opened, so nothing was ${doing}. Try again.`;
  expect(JSON.parse(printed)).toEqual([
    false,
    ...["text", moved("link/a.txt", "read"), "missing"],
    ...["new", "new", moved("link", "written")],
  ]);
  expect(readdirSync(folder.at("outside"))).toEqual(["a.txt"]);
});
