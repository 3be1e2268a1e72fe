import { expect, test } from "vitest";
import { fileTools, shellTools, taskTools, webTools } from "./index.ts";

/** As a caller without types would call it. */
const call = (make: unknown, ...given: readonly unknown[]): unknown =>
  (make as (...given: readonly unknown[]) => unknown)(...given);

const folders = { root: "/p", home: "/h", outputFolder: "/o" };

test("an unknown option, or one of a wrong type, throws an error that names the option", () => {
  for (const [make, given, message] of [
    [
      fileTools,
      [undefined, { mayshow: () => true }],
      'fileTools: unknown option "mayshow". Did you mean "mayShow"?',
    ],
    [fileTools, [undefined, { mayShow: true }], 'fileTools: "mayShow" must be a function, got true.'],
    [fileTools, [{ mayShow: () => true }], "fileTools: the first argument must be a FileMemory"],
    [
      shellTools,
      [{ ...folders, env: {}, sandbx: true }],
      'shellTools: unknown option "sandbx". Did you mean "sandbox"?',
    ],
    [
      shellTools,
      [{ ...folders, env: {}, passEnv: "A" }],
      'shellTools: "passEnv" must be an array of strings',
    ],
    [shellTools, [folders], 'shellTools: option "env" is required.'],
    [webTools, [{ fetchs: {} }], 'webTools: unknown option "fetchs". Did you mean "fetch"?'],
    [webTools, [{ fetch: { allowprivate: true } }], 'webTools: fetch: unknown option "allowprivate".'],
    [
      webTools,
      [{ search: { limitMs: "30" } }],
      'webTools: search: "limitMs" must be a number of 0 or more, got "30".',
    ],
    [taskTools, [{}], "taskTools: the argument must be a Tasks."],
  ] as const) {
    expect(() => call(make, ...given)).toThrow(TypeError);
    expect(() => call(make, ...given)).toThrow(message);
  }
});

test("webTools leaves WebSearch out if search is false", () => {
  expect(webTools().map(({ name }) => name)).toEqual(["WebFetch", "WebSearch"]);
  expect(webTools({ search: {} }).map(({ name }) => name)).toEqual(["WebFetch", "WebSearch"]);
  expect(webTools({ search: false }).map(({ name }) => name)).toEqual(["WebFetch"]);
  expect(() => call(webTools, { search: true })).toThrow(TypeError);
  expect(() => call(webTools, { search: false, fetch: { limitMs: "1" } })).toThrow(TypeError);
});
