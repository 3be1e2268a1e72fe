import { expect, test } from "vitest";
import type { CodingAgent } from "@runahead/harness";
import { screenWishes } from "./wishes.ts";

const WORLD = { cwd: "/repo", home: "/home/me", env: {}, print() {}, complain() {} };

function wishes(values: Readonly<Record<string, unknown>>, trusted = true) {
  const other = new Map(
    Object.entries(values).map(([key, value]) => [key, [{ value, name: "x", level: "project", trusted }]]),
  );
  const settings = { other, root: "/repo", env: {}, passEnv: [] } as unknown as CodingAgent["settings"];
  return screenWishes({ settings }, WORLD);
}

test("without settings, the screen is as it always was", () => {
  expect(wishes({})).toEqual({
    verbs: ["Working"],
    hasProgressBar: false,
    showsDuration: false,
    answersCommands: false,
    respectsGitignore: true,
    suggestFiles: undefined,
  });
});

test("spinnerVerbs are added or replace the word; a list replaces it", () => {
  const verbs = (value: unknown) => wishes({ spinnerVerbs: value }).verbs;
  expect(verbs({ mode: "append", verbs: ["Baking", "", 7] })).toEqual(["Working", "Baking"]);
  expect(verbs({ mode: "replace", verbs: [" Baking "] })).toEqual(["Baking"]);
  expect(verbs(["Baking"])).toEqual(["Baking"]);
  expect(verbs({ mode: "replace", verbs: [] })).toEqual(["Working"]);
  expect(verbs("Baking")).toEqual(["Working"]);
});

test("the other wishes need an exact value and a trusted file", () => {
  const values = {
    terminalProgressBarEnabled: true,
    showTurnDuration: true,
    respondToBashCommands: true,
    respectGitignore: false,
    fileSuggestion: { type: "command", command: "find-files" },
  };
  expect(wishes(values)).toMatchObject({
    hasProgressBar: true,
    showsDuration: true,
    answersCommands: true,
    respectsGitignore: false,
    suggestFiles: expect.any(Function) as unknown,
  });
  expect(wishes(values, false)).toEqual(wishes({}));
  expect(wishes({ fileSuggestion: { type: "http", command: "x" } }).suggestFiles).toBeUndefined();
});
