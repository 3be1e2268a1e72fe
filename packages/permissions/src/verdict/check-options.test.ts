import { expect, test } from "vitest";
import { createPermissions } from "./permissions.ts";

/** As JavaScript calls it, where no compiler looks. */
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

test("an unknown mode is refused with the mode that was meant", () => {
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
    "Options: settings, cwd, home, trusted, realpath, files, ignoresCase, confinesReads, isReadOnlyTool.";
  expect(complaint({ settings: {}, trust: false })).toBe(
    `Unknown option "trust" of createPermissions. Did you mean "trusted"? ${known}`,
  );
  expect(withSettings({ dney: ["Bash(rm:*)"] })).toContain(
    'Unknown option "dney" of settings. Did you mean "deny"?',
  );
  expect(withSettings({ sources: [{ name: "a", root: "/", dney: [] }] })).toContain(
    'Unknown option "dney" of settings.sources[0]. Did you mean "deny"?',
  );
  expect(withSettings({ sources: [], allow: [] })).toContain(
    'Unknown option "allow" of settings with sources.',
  );
});

test("a list that is not a list and a rule that is not a text are refused with what to write", () => {
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
    'settings.allow is not an array. Write allow: ["Bash(ls:*)"].',
    'settings.deny[1] is not a text. Write "Bash(npm test:*)" or the like.',
    'settings.ask[0] is not a text. Write "Bash(npm test:*)" or the like.',
    'settings.additionalDirectories is not an array. Write additionalDirectories: ["../shared"].',
    'settings.rules is not an array of rules. Write { tool: "Bash", pattern: "git push:*", action: "ask" }.',
    'settings.rules[0] is not a rule. Write { tool: "Bash", pattern: "git push:*", action: "ask" }.',
    "settings.permissions is not an object.",
    "settings.sources is not an array of sources.",
    "settings.sources[0] is not an object with name, root and rules.",
  ]);
});

test("missing options and callbacks that are not functions are refused", () => {
  const example = 'createPermissions({ settings: { allow: ["Bash(npm test:*)"] } })';
  expect(
    [undefined, {}, { settings: ["Bash"] }, { settings: {}, confinesReads: true }].map(complaint),
  ).toEqual([
    `createPermissions needs options, for example ${example}.`,
    `createPermissions needs settings that are an object, for example ${example}.`,
    `createPermissions needs settings that are an object, for example ${example}.`,
    "The option confinesReads of createPermissions is not a function.",
  ]);
});

test("every form of settings that is right is taken", () => {
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
