import fc from "fast-check";
import { Live } from "./process-live.ts";
import { expect, test } from "vitest";
import { LiveText, cleanOutput, decodeHead, decodeTail, headOf, isBinary, tailOf } from "./process-text.ts";

test("F11: escape sequences, rewritten lines and control characters are cleaned away", () => {
  const cases: Readonly<Record<string, string>> = {
    "plain\ttext\n": "plain\ttext\n",
    "\u001B[1;31mred\u001B[0m": "red",
    "\u001B]0;title\u0007after": "after",
    "\u001B]8;;http://a\u001B\\link\u001B]8;;\u001B\\": "link",
    "\u001B(Bx\u001B=y\u001Bcz": "xyz",
    "\u001B]never ends": "]never ends",
    "10%\r50%\r100%": "100%",
    "a\r\nb\r\n": "a\nb\n",
    "10%\r20%\r\nnext": "20%\nnext",
    "N\bNA\bAME": "NAME",
    "a\u0000b": "a\u2400b",
    "bell\u0007 and \u009B more\u007F": "bell and  more",
  };
  expect(Object.fromEntries(Object.keys(cases).map((raw) => [raw, cleanOutput(raw)]))).toEqual(cases);
});

test("F11: no output contains control sequences after cleaning", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 300 }), (raw) => {
      const odd = [...cleanOutput(raw)].filter((letter) => {
        const code = letter.charCodeAt(0);
        return (code < 32 && letter !== "\n" && letter !== "\t") || (code >= 127 && code < 160);
      });
      expect(odd).toEqual([]);
    }),
  );
});

test("output that is cut anywhere reads the same while it comes", () => {
  const raw = Buffer.from("a\u001B[31mré\u001B[0md\u001B]0;title\u0007 €\r\nnext 🎉\n");
  for (let cut = 0; cut <= raw.length; cut++) {
    const live = new LiveText();
    const shown = live.push(raw.subarray(0, cut)) + live.push(raw.subarray(cut));
    expect([cut, shown]).toEqual([cut, "aréd €\nnext 🎉\n"]);
  }
});

test("a progress bar that is shown while it goes on replaces its line each time it is shown", () => {
  const live = new LiveText();
  const shown = ["10%\r", "20%\r30%", "\r40%", "\ndone\n"].map((piece) => live.push(Buffer.from(piece)));
  expect(shown).toEqual(["10%", "\r30%", "\r40%", "\ndone\n"]);
});

test("ends are not cut inside a character", () => {
  const bytes = Buffer.from("é€🎉");
  expect(decodeHead(bytes.subarray(0, 4))).toBe("é");
  expect(decodeTail(bytes.subarray(1))).toBe("€🎉");
  expect(decodeTail(bytes.subarray(6))).toBe("");
});

test("no cut splits a surrogate pair, even in a text that has no other place for a cut", () => {
  const joined = "😀\u200d".repeat(200);
  for (let chars = 200; chars < 206; chars++) {
    expect(headOf(joined, chars).isWellFormed()).toBe(true);
    expect(tailOf(joined, chars).isWellFormed()).toBe(true);
  }
});

test("binary data is recognised", () => {
  const binary = Buffer.from(Array.from({ length: 256 }, (_, at) => (at * 7) % 256)).toString("utf8");
  const names = "a/b.txt\u0000c/d.txt\u0000".repeat(20);
  expect([binary, names, "plain", ""].map(isBinary)).toEqual([true, false, false, false]);
});

test("live output keeps characters whole, also where much of it is left out", () => {
  const emoji = Buffer.from("😀".repeat(20_000));
  for (const at of [0, 1, 2, 3]) {
    let shown = "";
    const live = new Live((text) => (shown += text));
    live.add(emoji.subarray(0, 400 + at));
    live.add(emoji.subarray(400 + at));
    live.flush();
    expect(shown.replaceAll("😀", "")).toMatch(/^\n\[… \d+ bytes left out …\]\n$/);
  }
});
