/**
 * `scripts/bundle-cli.mjs` replaces each dynamic import in the text of the bundle, because its code cannot import by itself.
 * In a text it would break the script that the text is.
 */

import { parseAst } from "vite";
import { expect, test } from "vitest";
import { filesOf, textOf } from "./source.ts";

const IMPORT = /\bimport\(/;

/** Strings and templates below this node that contain an import expression. */
function textsWithImport(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(textsWithImport);
  if (typeof node !== "object" || node === null) return [];
  const { type, value } = node as { readonly type?: unknown; readonly value?: unknown };
  const text = type === "Literal" ? value : type === "TemplateElement" ? rawOf(value) : undefined;
  if (typeof text === "string") return IMPORT.test(text) ? [text] : [];
  return Object.values(node).flatMap(textsWithImport);
}

const rawOf = (value: unknown): unknown => (value as { readonly raw?: unknown }).raw;

test("no text of the sources contains an import expression, which the bundler of the program would replace", () => {
  const sources = filesOf(".ts", "packages").filter(
    (file) => file.includes("/src/") && !file.endsWith(".test.ts") && IMPORT.test(textOf(file)),
  );
  expect(sources.length).toBeGreaterThan(10);
  const found = sources.flatMap((file) =>
    textsWithImport(parseAst(textOf(file), { lang: "ts" })).map((text) => `${file}: ${text.slice(0, 60)}`),
  );
  expect(found).toEqual([]);
});
