import { expect, test } from "vitest";
import { encodeSixel } from "./sixel.ts";

const RED = [255, 0, 0, 255];
const BLUE = [0, 0, 255, 255];
const CLEAR = [9, 9, 9, 0];

/** Draws a sixel sequence as a terminal does. Returns a letter per pixel. */
function drawn(sequence: string, width: number): string[] {
  const [, body = ""] = /^\u001bP0;1;0q"1;1;\d+;\d+([^\u001b]*)\u001b\\$/.exec(sequence) ?? []; // oxlint-disable-line no-control-regex -- what is drawn
  const names = new Map<string, string>();
  const rows: string[][] = [];
  let [top, x, colour] = [0, 0, "?"];
  for (const [part, number = "", defined, count] of body.matchAll(
    /#(\d+)(;2;[\d;]+)?|!(\d+)[?-~]|[$\-?-~]/g,
  )) {
    if (defined !== undefined) names.set(number, defined === ";2;100;0;0" ? "r" : "b");
    else if (part.startsWith("#")) colour = names.get(number) ?? "?";
    else if (part === "$") x = 0;
    else if (part === "-") [top, x] = [top + 6, 0];
    else
      for (let more = Number(count ?? 1); more > 0; more--, x++)
        for (let bit = 0; bit < 6; bit++) {
          const isSet = (((part.at(-1) ?? "?").charCodeAt(0) - 63) >> bit) & 1;
          const row = (rows[top + bit] ??= Array.from({ length: width }, () => "."));
          if (isSet === 1) row[x] = colour;
        }
  }
  return rows.map((row) => row.join(""));
}

test("pixels are drawn in their colours, in bands of six rows, and transparent ones not at all", () => {
  const rows = ["rrrrrrrb", "rrrrrrrb", "........", "bbbbbbbb", "b.b.b.b.", "rrrrrrrr", "brbrbrbr"];
  const colours: Readonly<Record<string, readonly number[]>> = { r: RED, b: BLUE, ".": CLEAR };
  const bytes = Uint8Array.from(rows.flatMap((row) => [...row].flatMap((one) => colours[one] ?? [])));
  const sequence = encodeSixel({ bytes, width: 8, height: rows.length });
  expect(sequence).toContain('"1;1;8;7');
  expect(sequence).toMatch(/!\d+/);
  expect(drawn(sequence, 8).slice(0, rows.length)).toEqual(rows);
});

test("a colour between two levels is mixed from both", () => {
  const bytes = Uint8Array.from(Array.from({ length: 400 }, () => [127, 127, 127, 255]).flat());
  const sequence = encodeSixel({ bytes, width: 20, height: 20 });
  expect((sequence.match(/#\d+;2;/g) ?? []).length).toBeGreaterThan(1);
});
