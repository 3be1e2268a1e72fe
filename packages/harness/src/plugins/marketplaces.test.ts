import { expect, test } from "vitest";
import type { OtherValue } from "../settings/loaded.ts";
import { knownMarketplaces, marketplaceObjection } from "./marketplaces.ts";

const CWD = "/repo";

function settings(key: string, value: unknown, level: OtherValue["level"] = "managed", trusted = true) {
  return { other: new Map([[key, [{ value, name: "x", level, trusted }]]]) };
}

test("a plugin can be added from a marketplace that a trusted file names", () => {
  const value = {
    acme: { source: { source: "github", repo: "acme/plugins" } },
    git: { source: { source: "git", url: "https://git.example.com/p.git" } },
    here: { source: { source: "directory", path: "./tools/plugins" } },
    plain: "other/plugins",
    packed: { source: { source: "npm", package: "@acme/plugins" } },
    wrong: { source: { source: "npm" } },
  };
  expect(knownMarketplaces(settings("extraKnownMarketplaces", value, "project"))).toEqual([
    { name: "acme", source: "acme/plugins" },
    { name: "git", source: "https://git.example.com/p.git" },
    { name: "here", source: "./tools/plugins" },
    { name: "plain", source: "other/plugins" },
    { name: "packed", source: "npm:@acme/plugins" },
  ]);
  expect(knownMarketplaces(settings("extraKnownMarketplaces", value, "project", false))).toEqual([]);
});

const SPELLINGS = [
  "acme/plugins",
  "Acme/Plugins",
  "https://github.com/acme/plugins",
  "https://github.com/acme/plugins.git",
  "https://user:secret@github.com/acme/plugins/",
  "git@github.com:acme/plugins.git",
  "ssh://git@github.com/acme/plugins.git",
];

test.each(SPELLINGS)("class: %s is the repository acme/plugins of a managed list", (source) => {
  const list = [{ source: "github", repo: "acme/plugins" }];
  expect(marketplaceObjection(source, settings("blockedMarketplaces", list), CWD)).toContain("is blocked");
  expect(marketplaceObjection(source, settings("strictKnownMarketplaces", list), CWD)).toBeUndefined();
});

test("strictKnownMarketplaces allows nothing else, and an empty list nothing at all", () => {
  const list = [
    { source: "github", repo: "acme/plugins" },
    { source: "github", repo: "acme/pinned", ref: "v2" },
    { source: "hostPattern", hostPattern: "^git\\.example\\.com$" },
    { source: "pathPattern", pathPattern: "^/opt/" },
    { source: "hostPattern", hostPattern: "(" },
  ];
  const objection = (source: string) =>
    marketplaceObjection(source, settings("strictKnownMarketplaces", list), CWD);
  expect(objection("https://git.example.com/any/repository.git")).toBeUndefined();
  expect(objection("/opt/plugins")).toBeUndefined();
  for (const source of ["acme/pinned", "other/plugins", "./plugins", "https://git.example.com.evil.test/x"])
    expect(objection(source)).toBe(`${source} is not one of strictKnownMarketplaces in the managed settings`);
  for (const value of [[], "acme/plugins"])
    expect(marketplaceObjection("acme/plugins", settings("strictKnownMarketplaces", value), CWD)).toContain(
      "is not one of",
    );
});

test("lists of other files than the managed ones restrict nothing", () => {
  expect(
    marketplaceObjection("a/b", settings("strictKnownMarketplaces", [], "project"), CWD),
  ).toBeUndefined();
  expect(marketplaceObjection("a/b", settings("blockedMarketplaces", ["a/b"], "user"), CWD)).toBeUndefined();
});

test("a blocked marketplace with a branch is blocked as a whole", () => {
  const list = [{ source: "github", repo: "acme/plugins", ref: "v2" }];
  expect(marketplaceObjection("acme/plugins", settings("blockedMarketplaces", list), CWD)).toContain(
    "is blocked",
  );
});
