import { existsSync } from "node:fs";
import { posix } from "node:path";
import { expect, test } from "vitest";
import { ROOT, filesOf, textOf } from "./source.ts";

/** The source of every published entry, by the name that importers write. */
function entries(): Map<string, string> {
  const all = new Map<string, string>();
  for (const file of filesOf("package.json", "packages")) {
    const { name, exports = {} } = JSON.parse(textOf(file)) as {
      name: string;
      exports?: Record<string, unknown>;
    };
    for (const [key, value] of Object.entries(exports)) {
      const types = (value as { types?: string }).types;
      // Internal entries can use any names.
      if (types === undefined || key === "./internal") continue;
      const source = types.replace("./dist/", `${posix.dirname(file)}/src/`).replace(/\.d\.ts$/, ".ts");
      expect(existsSync(`${ROOT}/${source}`)).toBe(true);
      all.set(posix.join(name, key), source);
    }
  }
  return all;
}

const ENTRIES = entries();

const known = new Map<string, Map<string, string>>();

/** Each name that a file exports, and where it is declared: `packages/a/src/b.ts#Name`. */
function exportsOf(file: string): Map<string, string> {
  const found = known.get(file) ?? readExports(file);
  known.set(file, found);
  return found;
}

function readExports(file: string): Map<string, string> {
  const all = new Map<string, string>();
  const text = textOf(file);
  for (const [, name = ""] of text.matchAll(
    /^export (?:declare |abstract |async )*(?:interface|type|class|enum|function\*?|const|let) (\w+)/gm,
  ))
    all.set(name, `${file}#${name}`);
  for (const [, names = "", from = ""] of text.matchAll(/^export (?:type )?\{([^}]*)\} from "([^"]+)";/gm))
    for (const [own, shown] of namesIn(names)) all.set(shown, declared(sourceOf(file, from), own));
  for (const [, names = ""] of text.matchAll(/^export (?:type )?\{([^}]*)\};/gm))
    for (const [own, shown] of namesIn(names)) all.set(shown, imported(file, own));
  return all;
}

function namesIn(list: string): [own: string, shown: string][] {
  return list
    .split(",")
    .map((one) => one.trim().replace(/^type /, ""))
    .filter((one) => one !== "")
    .map((one) => {
      const [own = "", shown = own] = one.split(" as ");
      return [own, shown];
    });
}

function imported(file: string, name: string): string {
  for (const [, names = "", from = ""] of textOf(file).matchAll(
    /^import (?:type )?\{([^}]*)\} from "([^"]+)";/gm,
  ))
    for (const [own, shown] of namesIn(names)) if (shown === name) return declared(sourceOf(file, from), own);
  return `${file}#${name}`;
}

function sourceOf(file: string, from: string): string {
  return from.startsWith(".") ? posix.join(posix.dirname(file), from) : (ENTRIES.get(from) ?? from);
}

function declared(file: string, name: string): string {
  return file.startsWith("packages/") ? (exportsOf(file).get(name) ?? `${file}#${name}`) : `${file}#${name}`;
}

test("one name means one thing: no two exports share a name", () => {
  const meanings = new Map<string, Set<string>>();
  for (const source of ENTRIES.values())
    for (const [name, at] of exportsOf(source)) meanings.set(name, (meanings.get(name) ?? new Set()).add(at));
  expect(meanings.size).toBeGreaterThan(200);
  const ambiguous = [...meanings].filter(([, places]) => places.size > 1);
  expect(ambiguous.map(([name, places]) => `${name}: ${[...places].join(", ")}`)).toEqual([]);
});

test("one thing has one name: nothing is exported under two names", () => {
  const names = new Map<string, Set<string>>();
  for (const source of ENTRIES.values())
    for (const [name, at] of exportsOf(source)) names.set(at, (names.get(at) ?? new Set()).add(name));
  const renamed = [...names].filter(([, all]) => all.size > 1);
  expect(renamed.map(([at, all]) => `${at}: ${[...all].join(", ")}`)).toEqual([]);
});

test("objects are created by functions: of the classes, only errors and the executor are exported", () => {
  const classes = [...ENTRIES].flatMap(([entry, source]) =>
    [...exportsOf(source)]
      .filter(([name]) => !isTypeOnly(source, name))
      .map(([name, place]) => ({ name, entry, place }))
      .filter(({ place }) => isClass(place)),
  );
  expect(classes.map(({ name }) => name)).toContain("ModelError");
  expect(classes.filter(({ place }) => !isError(place)).map(({ name }) => name)).toEqual([
    "StreamingToolExecutor",
  ]);
});

function isTypeOnly(file: string, name: string): boolean {
  return new RegExp(`\\btype ${name}\\b|^export type \\{[^}]*\\b${name}\\b`, "m").test(textOf(file));
}

function isClass(place: string): boolean {
  return /^export (?:abstract )?class /.test(declarationOf(place));
}

function isError(place: string): boolean {
  return /extends \w*Error\b/.test(declarationOf(place));
}

/** The line that declares it, such as `export class A extends B {`. */
function declarationOf(place: string): string {
  const [file = "", name = ""] = place.split("#");
  if (!file.startsWith("packages/")) return "";
  return (
    textOf(file)
      .split("\n")
      .find((line) => new RegExp(`^export (?:abstract )?class ${name}\\b`).test(line)) ?? ""
  );
}
