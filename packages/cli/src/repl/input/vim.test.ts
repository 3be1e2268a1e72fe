import { expect, test } from "vitest";
import { ESC, INITIAL, type VimState, press } from "./vim.ts";

/** Presses keys in a text whose cursor is marked by `|`. In insert mode, letters are inserted as the editor does it. */
function after(marked: string, keys: string, before: VimState = INITIAL): VimState {
  const at = marked.indexOf("|");
  let state: VimState = { ...before, mode: "normal", text: marked.replace("|", ""), at };
  for (const key of keys) {
    const { mode, text, at: place } = state;
    const isTyped = mode === "insert" && key !== ESC;
    state = isTyped
      ? { ...state, text: text.slice(0, place) + key + text.slice(place), at: place + 1 }
      : press(state, key);
  }
  return state;
}

const shown = ({ text, at }: VimState): string => `${text.slice(0, at)}|${text.slice(at)}`;
const result = (marked: string, keys: string): string => shown(after(marked, keys));

test.each([
  ["|one two", "w", "one |two"],
  ["|one.two three", "w", "one|.two three"],
  ["|one.two three", "W", "one.two |three"],
  ["one two| three", "b", "one |two three"],
  ["|one two", "e", "on|e two"],
  ["|a b c d", "3w", "a b c |d"],
  ["one |two", "0", "|one two"],
  ["  on|e", "^", "  |one"],
  ["|one two", "$", "one tw|o"],
  ["one\ntw|o\nthree", "gg", "|one\ntwo\nthree"],
  ["o|ne\ntwo\nthree", "G", "one\ntwo\n|three"],
  ["one\nt|wo", "k", "o|ne\ntwo"],
  ["one|x\nab", "j", "onex\na|b"],
  ["|one two", "l", "o|ne two"],
  ["o|ne", "h", "|one"],
  ["|one", "9l", "on|e"],
  ["|a-b-c", "f-", "a|-b-c"],
  ["|a-b-c", "f-;", "a-b|-c"],
  ["|a-b-c", "t-", "|a-b-c"],
  ["|ab-c-d", "t-;", "ab-|c-d"],
  ["a-b-c-|d", "F-F-,", "a-b-c|-d"],
  ["a-b-|c", "F-", "a-b|-c"],
] as const)("%j, %j → %j", (marked, keys, expected) => {
  expect(result(marked, keys)).toBe(expected);
});

test.each([
  ["|one two", "x", "|ne two"],
  ["on|e", "x", "o|n"],
  ["|one two", "dw", "|two"],
  ["one |two", "dw", "one| "],
  ["one two| three", "db", "one | three"],
  ["|one two", "de", "| two"],
  ["one |two three", "d$", "one| "],
  ["one |two", "D", "one| "],
  ["o|ne\ntwo\nthree", "dd", "|two\nthree"],
  ["one\ntw|o", "dd", "|one"],
  ["on|e", "dd", "|"],
  ["o|ne\ntwo\nthree", "2dd", "|three"],
  ["o|ne\ntwo\nthree", "dj", "|three"],
  ["|a(b, c)d", "f(di(", "a(|)d"],
  ["a(b, |c)d", "da(", "a|d"],
  ['say "he|llo" now', 'di"', 'say "|" now'],
  ["one t|wo three", "diw", "one | three"],
  ["one t|wo three", "daw", "one |three"],
  ["|ab-c", "dt-", "|-c"],
  ["|ab-c", "df-", "|c"],
  ["|one\n  two", "J", "one| two"],
  ["|abc", "rx", "|xbc"],
  ["|abc", "2rx", "x|xc"],
  ["|abc", "~", "|Abc"],
  ["|one two", "cwnew\u001b", "ne|w two"],
  ["one t|wo three", "ciwX\u001b", "one |X three"],
  ["one\nt|wo", "ccnew\u001b", "one\nne|w"],
  ["o|ne", "Cx\u001b", "o|x"],
  ["|one", "Ax\u001b", "one|x"],
  ["  o|ne", "Ix\u001b", "  |xone"],
  ["|one", "ax\u001b", "o|xne"],
  ["o|ne\ntwo", "onew\u001b", "one\nne|w\ntwo"],
  ["one\nt|wo", "Onew\u001b", "one\nne|w\ntwo"],
  ["o|ne\ntwo", "yyp", "one\n|one\ntwo"],
  ["o|ne\ntwo", "yyP", "|one\none\ntwo"],
  ["|one two", "dwp", "tone| wo"],
  ["|one two", "ywP", "one| one two"],
  ["|abc", "sx\u001b", "|xbc"],
  ["|one two", "ved", "| two"],
  ["|one two", "vlly$p", "one twoon|e"],
  ["one (t|wo) three", "vi(d", "one (|) three"],
  ["|abc", "vcx\u001b", "|xbc"],
] as const)("%j, %j → %j", (marked, keys, expected) => {
  expect(result(marked, keys)).toBe(expected);
});

test("u undoes each change, typed text as one of them, and Ctrl+R makes it again", () => {
  expect(result("|one two three", "dwdwu")).toBe("|two three");
  expect(result("|one two three", "dwdwuu")).toBe("|one two three");
  expect(result("|one", "ihello \u001bu")).toBe("|one");
  expect(result("|one two", "dwu\u0012")).toBe("|two");
  expect(result("|one", "u")).toBe("|one");
});

test(". repeats the last change, with what was typed", () => {
  expect(result("|one two three", "dw.")).toBe("|three");
  expect(result("|one two three", "cwx\u001bw.")).toBe("x |x three");
  expect(result("|abcd", "x..")).toBe("|d");
  expect(result("|a\nb\nc", "A;\u001bj.")).toBe("a;\nb|;\nc");
});

test("a command that is not complete waits, and Esc or an unknown key drops it", () => {
  expect(after("|one", "2d").pending).toBe("2d");
  expect(after("|one", "2d\u001b")).toMatchObject({ pending: "", text: "one" });
  expect(after("|one", "dz")).toMatchObject({ pending: "", text: "one", mode: "normal" });
  expect(after("|one", "v").mode).toBe("visual");
  expect(after("|one", "v\u001b").mode).toBe("normal");
  expect(after("|one", "i").mode).toBe("insert");
});

test("any keys in any text leave the cursor inside of it", () => {
  const keys = [
    "d",
    "w",
    "c",
    "y",
    "p",
    "i",
    "a",
    "(",
    "3",
    "x",
    "$",
    "0",
    "g",
    "G",
    "v",
    "u",
    ".",
    "o",
    "\u001b",
    "f",
    "b",
    "e",
    "j",
    "k",
    "J",
    "D",
    "~",
    "r",
    '"',
    ";",
  ];
  let seed = 7;
  const next = (most: number): number => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) % most;
  for (let round = 0; round < 300; round++) {
    const typed = Array.from({ length: 12 }, () => keys[next(keys.length)] ?? "").join("");
    const { text, at } = after('on|e (two)\n"three" four\n\nfive', typed);
    expect([typed, at >= 0 && at <= text.length]).toEqual([typed, true]);
  }
});
