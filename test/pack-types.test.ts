import { expect, test } from "vitest";
import { neededTypes } from "../scripts/pack-types.mjs";

/** What is kept of these files, whose entry is `index.d.ts`. */
function kept(files: Readonly<Record<string, readonly string[]>>): Record<string, string[]> {
  const texts = new Map(Object.entries(files).map(([path, lines]) => [path, `${lines.join("\n")}\n`]));
  return Object.fromEntries(
    [...neededTypes(texts, ["index.d.ts"])].map(([path, text]) => [path, text.trimEnd().split("\n")]),
  );
}

test("a packed package keeps the declarations that its exports need, also through other files", () => {
  const files = {
    "index.d.ts": ['export { type Call, run as start } from "./core/call.ts";'],
    "core/call.d.ts": [
      "/** What this file is for. */",
      'import { type Place, type Unused } from "./place.ts";',
      "/**",
      " * A call.",
      " * import nothing from here",
      " */",
      "export interface Call {",
      "    readonly place: Place;",
      "}",
      "/** Nobody outside sees it. */",
      "export interface Queue {",
      "    readonly calls: Call[];",
      "}",
      "interface Options {",
      '    readonly mode: import("./mode.ts").Mode;',
      "}",
      "export declare function run(call: Call, options: Options): void;",
      "export declare const LIMIT = 10;",
    ],
    "core/place.d.ts": ["/** A place. */", "export type Place = string;", "export type Unused = number;"],
    "core/mode.d.ts": ['export * from "./words.ts";', 'import "node:fs";'],
    "core/words.d.ts": ["export type Mode = ", "/** The first. */", '"a"', "/** The other. */", ' | "b";'],
    "core/queue.d.ts": ["export declare class Heap {", "}"],
  };
  expect(kept(files)).toEqual({
    "index.d.ts": files["index.d.ts"],
    "core/call.d.ts": [
      'import { type Place } from "./place.ts";',
      ...files["core/call.d.ts"].slice(2, 9),
      ...files["core/call.d.ts"].slice(13, 17),
    ],
    // No entry exports from these, so their comments are seen nowhere.
    "core/place.d.ts": ["export type Place = string;"],
    "core/mode.d.ts": files["core/mode.d.ts"],
    "core/words.d.ts": ["export type Mode = ", '"a"', ' | "b";'],
  });
});

test("lists of exports, namespaces and names that are declared twice are followed", () => {
  const files = {
    "index.d.ts": ['export * as all from "./all.ts";', 'export { Both } from "./both.ts";', "export {};"],
    "all.d.ts": ["declare const own: number;", "declare const other: number;", "export { own as mine };"],
    "both.d.ts": [
      "export interface Both {",
      "}",
      "export declare const Both: Both;",
      "export declare const None: Both;",
    ],
  };
  expect(kept(files)).toEqual({
    "index.d.ts": files["index.d.ts"],
    // Of a file that is exported as a whole, everything is kept.
    "all.d.ts": files["all.d.ts"],
    "both.d.ts": files["both.d.ts"].slice(0, 3),
  });
});
