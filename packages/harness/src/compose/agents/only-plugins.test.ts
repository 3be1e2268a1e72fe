import { expect, test } from "vitest";
import type { LoadedSettings, OtherValue } from "../../settings/loaded.ts";
import { isOnlyPlugins, ofPlugins } from "./only-plugins.ts";
import { hookConfigs } from "../settings-flags.ts";

function settings(value: unknown, level: OtherValue["level"] = "managed") {
  const hook = (of: OtherValue["level"]) => ({ name: of, level: of, root: "/", trusted: true, hooks: {} });
  return {
    other: new Map([["strictPluginOnlyCustomization", [{ value, name: "x", level, trusted: true }]]]),
    hooks: [hook("managed"), hook("user"), hook("project")],
  } as unknown as LoadedSettings;
}

test("strictPluginOnlyCustomization restricts what it lists, or everything", () => {
  expect(isOnlyPlugins(settings(true), "skills")).toBe(true);
  expect(isOnlyPlugins(settings(["agents", "mcp"]), "agents")).toBe(true);
  expect(isOnlyPlugins(settings(["agents", "mcp"]), "skills")).toBe(false);
  expect(isOnlyPlugins(settings("yes"), "mcp")).toBe(true);
  expect(isOnlyPlugins(settings(false), "mcp")).toBe(false);
  expect(isOnlyPlugins(settings(true, "project"), "mcp")).toBe(false);
});

test("then only hooks of managed settings and files of plugins are left", () => {
  expect(hookConfigs(settings(["hooks"]), {}).map(({ source }) => source)).toEqual(["managed"]);
  expect(hookConfigs(settings(["mcp"]), {})).toHaveLength(3);
  const files = [{ path: "/plugins/a/x.md" }, { path: "/plugins/ab/x.md" }, { path: "/repo/x.md" }];
  expect(ofPlugins(files, [{ root: "/plugins/a" }])).toEqual([{ path: "/plugins/a/x.md" }]);
});
