import { expect, test } from "vitest";
import { placesOf } from "./links.ts";
import { readShell } from "./walk.ts";

const realpath = (path: string): string | undefined => {
  if (path.startsWith("/p/none")) return undefined;
  return /^\/p\/link(?=\/|$)/.test(path) ? path.replace("/p/link", "/o/there") : path;
};

test("a path means its text, and its resolved links if they differ", () => {
  const places = (path: string, folder = "/p"): string[] => placesOf(path, folder, realpath);
  expect([
    places("a/../b"),
    places("link/x"),
    places("link/../b"),
    places("/p/./link//../b"),
    places("../b", "/p/link"),
    places("none/../b"),
    places("../../../.."),
    placesOf("link/../b", "/p", undefined),
  ]).toEqual([
    ["/p/b"],
    ["/p/link/x"],
    ["/p/b", "/o/b"],
    ["/p/b", "/o/b"],
    ["/p/b", "/o/b"],
    ["/p/b"],
    ["/"],
    ["/p/b"],
  ]);
});

test("cd can lead to each of these places", () => {
  const folders = (text: string): unknown =>
    readShell(text, { cwd: "/p", home: "/h", realpath }).commands.at(-1)?.folders;
  expect(["cd link/.. && a", "cd link && a", "cd link && cd .. && a", "cd x/.. && a"].map(folders)).toEqual([
    ["/p", "/o"],
    ["/p/link"],
    ["/p", "/o"],
    ["/p"],
  ]);
});
