import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { controlled, newExecutor, paths, resultsOf, settle, simple } from "../../test/support/tools.ts";
import { resolveFilePlace } from "./file-place.ts";

let root = "";

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "runahead-place-")));
  mkdirSync(join(root, "real/deep"), { recursive: true });
  writeFileSync(join(root, "real/a.txt"), "a");
  symlinkSync(join(root, "real/a.txt"), join(root, "to-file"));
  symlinkSync("real", join(root, "to-folder"));
  symlinkSync("to-folder", join(root, "to-link"));
  symlinkSync("real/missing.txt", join(root, "to-missing"));
  symlinkSync("to-missing", join(root, "to-link-to-missing"));
  symlinkSync("nowhere", join(root, "to-missing-folder"));
  symlinkSync("loop-b", join(root, "loop-a"));
  symlinkSync("loop-a", join(root, "loop-b"));
  symlinkSync("real/deep", join(root, "to-deep"));
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

/** As places are compared on this machine. */
function placeOf(path: string): string {
  const ignoresCase = process.platform === "darwin" || process.platform === "win32";
  return `fs:${ignoresCase ? path.toLowerCase() : path}`;
}

test.each<[string, string, string]>([
  ["a file is itself", "real/a.txt", "real/a.txt"],
  ["a folder is itself, with or without a slash after it", "real/", "real"],
  ["a link to a file is the file", "to-file", "real/a.txt"],
  ["a link to a folder is the folder", "to-folder", "real"],
  ["a link to a link is what that leads to", "to-link/a.txt", "real/a.txt"],
  ["a file in a linked folder is the file in the folder", "to-folder/a.txt", "real/a.txt"],
  ["a file that does not exist is itself", "real/new.txt", "real/new.txt"],
  ["a file that does not exist yet in a linked folder is in the folder", "to-folder/new.txt", "real/new.txt"],
  ["so it is with folders that do not exist yet", "to-link/x/y/new.txt", "real/x/y/new.txt"],
  ["the way up from a linked folder leads where the link leads", "to-deep/../a.txt", "real/a.txt"],
  ["so it does where the file does not exist yet", "to-deep/../new.txt", "real/new.txt"],
  ["dots and doubled slashes are nothing", "real/./deep//../a.txt", "real/a.txt"],
  ["what lies below a file stays below it", "to-file/x", "real/a.txt/x"],
  ["a link to a file that is missing is that file, for writing makes it", "to-missing", "real/missing.txt"],
  ["so is a link to such a link", "to-link-to-missing", "real/missing.txt"],
  ["so is what lies in a folder that is missing", "to-missing-folder/new.txt", "nowhere/new.txt"],
])("Where links lead: %s", (_, path, real) => {
  expect(resolveFilePlace(`fs:${root}/${path}`)).toBe(placeOf(join(root, real)));
});

test("A cycle of links ends", () => {
  expect(resolveFilePlace(`fs:${root}/loop-a/x`)).toBe(placeOf(join(root, "loop-a/x")));
});

test("The root resolves to itself, and an impossible file name to its folder", () => {
  expect(resolveFilePlace("fs:/")).toBe("fs:/");
  expect(resolveFilePlace(`fs:${root}/to-folder/a\u0000b`)).toBe(placeOf(join(root, "real/a\u0000b")));
  const long = "x".repeat(5_000);
  expect(resolveFilePlace(`fs:${root}/to-folder/${long}`)).toBe(placeOf(join(root, "real", long)));
});

test.each(["*", "mcp:/github", "context:/cwd", "fsx:/a", "fs", ""])(
  "What is not a file place, as %j, stays as it is",
  (place) => {
    expect(resolveFilePlace(place)).toBe(place);
  },
);

test("class 12: a link that a call creates before it returns is seen by calls that arrive after it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "runahead-links-"));
  mkdirSync(join(folder, "real"));
  const write = controlled("T", { access: ({ path }) => [{ mode: "write", place: `fs:${folder}/${path}` }] });
  const link = simple("Link", () => symlinkSync("real", join(folder, "link")), { access: () => [] });
  const executor = newExecutor([write.tool, link], { resolvePlace: resolveFilePlace });
  executor.add({ id: "1", name: "T", input: { path: "link/other" } });
  executor.add({ id: "2", name: "Link", input: { path: "" } });
  executor.add({ id: "3", name: "T", input: { path: "link/file" } });
  executor.add({ id: "4", name: "T", input: { path: "real/file" } });
  await settle();
  expect(paths(write.open)).toEqual(["link/other", "link/file"]);
  for (const open of [...write.open]) open.resolve();
  await settle();
  expect(paths(write.open)).toEqual(["real/file"]);
  write.open[0]?.resolve();
  await resultsOf(executor);
  rmSync(folder, { recursive: true });
});

test("class 12: `..` in the target of a link is resolved after the links before it", () => {
  const folder = mkdtempSync(join(tmpdir(), "runahead-links-"));
  mkdirSync(`${folder}/deep/inner`, { recursive: true });
  writeFileSync(`${folder}/deep/f`, "");
  symlinkSync("deep/inner", `${folder}/in`);
  symlinkSync("in/../f", `${folder}/relative`);
  symlinkSync(`${folder}/in/../f`, `${folder}/absolute`);
  const places = ["deep/f", "relative", "absolute", "in/../f"].map((name) =>
    resolveFilePlace(`fs:${folder}/${name}`),
  );
  expect(new Set(places).size).toBe(1);
  rmSync(folder, { recursive: true });
});
