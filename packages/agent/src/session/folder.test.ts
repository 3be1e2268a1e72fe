import { chmod, chown, lstat, mkdir, mkdtemp, realpath, rm, symlink } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { folderName, homeOf, privateDirectory, projectFolder } from "./folder.ts";

const folders: string[] = [];
afterEach(() => Promise.all(folders.splice(0).map((path) => rm(path, { recursive: true, force: true }))));

async function newFolder() {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "folder-")));
  folders.push(folder);
  const notices: string[] = [];
  return { folder, notices, onNotice: (message: string) => void notices.push(message) };
}

const modeOf = async (path: string): Promise<number> => (await lstat(path)).mode & 0o777;
const ROOT_ONLY = process.getuid?.() === 0;

test("G13: similar paths and long paths have separate folders", () => {
  const long = `/${"x".repeat(300)}`;
  const paths = ["/a-b", "/a_b", "/a/b", "/a b", "/A-b", "/", "", "/ü", "/é", long, `${long}y`, `/z${long}`];
  const names = paths.map(folderName);
  expect(new Set(names).size).toBe(paths.length);
  expect(names.filter((name) => !/^[A-Za-z0-9][A-Za-z0-9.-]{1,90}$/.test(name))).toEqual([]);
  expect(folderName("/home/me/my project")).toMatch(/^home-me-my-project-[0-9a-f]{16}$/);
});

test("the home is the given one, RUNAHEAD_HOME, or the user's default", () => {
  const before = process.env["RUNAHEAD_HOME"];
  process.env["RUNAHEAD_HOME"] = "/else/where";
  const chosen = [homeOf("/chosen"), homeOf(undefined)];
  delete process.env["RUNAHEAD_HOME"];
  chosen.push(homeOf(undefined));
  if (before !== undefined) process.env["RUNAHEAD_HOME"] = before;
  expect(chosen).toEqual(["/chosen", "/else/where", join(homedir(), ".runahead")]);
});

test("E04: directories are created private, and our own open ones are made private", async () => {
  const { folder, notices, onNotice } = await newFolder();
  const home = join(folder, "home");
  await mkdir(join(home, "projects"), { recursive: true });
  await chmod(join(home, "projects"), 0o775);
  const project = await projectFolder(home, folder, onNotice);
  expect(project).toBe(join(home, "projects", folderName(folder)));
  expect([await modeOf(join(home, "projects")), await modeOf(project), notices]).toEqual([0o700, 0o700, []]);
});

test("E04: a link, a file and a world-writable directory are refused for a private one, the same one each time", async () => {
  const makers: [string, (path: string) => Promise<unknown>][] = [
    ["it is a symbolic link", (path) => symlink(tmpdir(), path)],
    ["it is world-writable", async (path) => (await mkdir(path), await chmod(path, 0o777))],
  ];
  for (const [words, make] of makers) {
    const { folder, notices, onNotice } = await newFolder();
    const path = join(folder, "results");
    await make(path);
    const instead = join(folder, "results.private-1");
    expect(await privateDirectory(path, onNotice)).toBe(instead);
    expect(await privateDirectory(path, onNotice)).toBe(instead);
    expect(await modeOf(instead)).toBe(0o700);
    expect(notices[0]).toBe(`Cannot use ${path}: ${words}. Sessions are stored in ${instead} instead.`);
  }
});

test.runIf(ROOT_ONLY)("E04: a directory of another user is refused, as home and below it", async () => {
  const { folder, notices, onNotice } = await newFolder();
  const home = join(folder, "home");
  await mkdir(join(home, "projects"), { recursive: true });
  await chown(join(home, "projects"), 12_345, 12_345);
  const below = await projectFolder(home, folder, onNotice);
  expect(below).toBe(join(home, "projects.private-1", folderName(folder)));
  await chown(home, 12_345, 12_345);
  const beside = await projectFolder(home, folder, onNotice);
  expect(beside).toBe(join(folder, "home.private-1", "projects", folderName(folder)));
  expect(notices.map((notice) => notice.includes("it belongs to another user"))).toEqual([true, true]);
});

test("a home can be a link, and a world-writable home is refused", async () => {
  const { folder, notices, onNotice } = await newFolder();
  await mkdir(join(folder, "real"));
  await symlink(join(folder, "real"), join(folder, "link"));
  const linked = await projectFolder(join(folder, "link"), folder, onNotice);
  expect(linked).toBe(join(folder, "real", "projects", folderName(folder)));
  expect(notices).toEqual([]);
  await chmod(join(folder, "real"), 0o777);
  const refused = await projectFolder(join(folder, "real"), folder, onNotice);
  expect(refused).toBe(join(folder, "real.private-1", "projects", folderName(folder)));
});
