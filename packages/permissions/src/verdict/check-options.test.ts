import { expect, test } from "vitest";
import { createPermissions } from "./permissions.ts";

/** Called as from JavaScript, without type checking. */
const create = createPermissions as (options: unknown) => unknown;

function complaint(options: unknown): string {
  try {
    create(options);
    return "none";
  } catch (error) {
    return error instanceof TypeError ? error.message : `not a TypeError: ${String(error)}`;
  }
}

const withSettings = (settings: unknown): string => complaint({ settings, cwd: "/p", home: "/h" });
const MODES = "Modes: default, acceptEdits, plan, auto, dontAsk, bypassPermissions.";

test("the error for an unknown mode suggests the nearest one", () => {
  expect(
    [
      { mode: "acceptEdit" },
      { defaultMode: "dont-ask" },
      { permissions: { defaultMode: "yolo" } },
      { mode: 5 },
    ].map(withSettings),
  ).toEqual([
    `Unknown permission mode "acceptEdit". Did you mean "acceptEdits"? ${MODES}`,
    `Unknown permission mode "dont-ask". Did you mean "dontAsk"? ${MODES}`,
    `Unknown permission mode "yolo". ${MODES}`,
    `Unknown permission mode "5". ${MODES}`,
  ]);
  expect(withSettings({ sources: [], mode: "plann" })).toContain('Did you mean "plan"?');
});

test("an unknown option is refused at every level", () => {
  const known =
    "Known options: settings, cwd, home, trusted, realpath, files, ignoresCase, confinesReads, readableFolders, copies, isReadOnlyTool.";
  expect(complaint({ settings: {}, trust: false })).toBe(
    'createPermissions: unknown option "trust". Did you mean "trusted"?',
  );
  expect(complaint({ settings: {}, xyz: false })).toBe(`createPermissions: unknown option "xyz". ${known}`);
  expect(withSettings({ dney: ["Bash(rm:*)"] })).toContain(
    'settings: unknown option "dney". Did you mean "deny"?',
  );
  expect(withSettings({ sources: [{ name: "a", root: "/", dney: [] }] })).toContain(
    'settings.sources[0]: unknown option "dney". Did you mean "deny"?',
  );
  expect(withSettings({ sources: [], allow: [] })).toContain(
    'settings with sources: unknown option "allow".',
  );
});

test("invalid lists and rules are rejected with an example", () => {
  expect(
    [
      { allow: "Bash(ls:*)" },
      { deny: ["Bash(rm:*)", 5] },
      { ask: [""] },
      { additionalDirectories: {} },
      { rules: {} },
      { rules: [{ tool: "Bash", action: "alow" }] },
      { permissions: [] },
      { sources: {} },
      { sources: [5] },
    ].map(withSettings),
  ).toEqual([
    'settings.allow must be an array, for example allow: ["Bash(ls:*)"].',
    'settings.deny[1] must be a non-empty string, for example "Bash(npm test:*)".',
    'settings.ask[0] must be a non-empty string, for example "Bash(npm test:*)".',
    'settings.additionalDirectories must be an array, for example additionalDirectories: ["../shared"].',
    'settings.rules must be an array of rules, for example { tool: "Bash", pattern: "git push:*", action: "ask" }.',
    'settings.rules[0] must be a rule, for example { tool: "Bash", pattern: "git push:*", action: "ask" }.',
    "settings.permissions must be an object.",
    "settings.sources must be an array of sources.",
    "settings.sources[0] must be an object with name, root and rules.",
  ]);
});

test("missing options and callbacks that are not functions are refused", () => {
  const example = 'createPermissions({ settings: { allow: ["Bash(npm test:*)"] } })';
  expect(
    [undefined, {}, { settings: ["Bash"] }, { settings: {}, confinesReads: true }].map(complaint),
  ).toEqual([
    `createPermissions requires options, for example ${example}.`,
    `createPermissions: settings must be an object, for example ${example}.`,
    `createPermissions: settings must be an object, for example ${example}.`,
    "createPermissions: confinesReads must be a function.",
  ]);
});

test("every valid form of settings is accepted", () => {
  const source = { name: "user", level: "user", root: "/h", trusted: true, allow: ["Bash(ls)"], rules: [] };
  const right = [
    {},
    { mode: "accept_edits", allow: [], ask: [], deny: [], rules: [], additionalDirectories: [] },
    {
      permissions: { defaultMode: "plan", allow: ["Bash(ls)"], disableBypassPermissionsMode: "disable" },
      hooks: {},
    },
    { mode: "default", sources: [source] },
    { cwd: "/p", trusted: false, rulesFrom: "user" },
  ];
  expect(right.map(withSettings)).toEqual(right.map(() => "none"));
});
