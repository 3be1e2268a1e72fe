import { expect, test } from "vitest";
import { readBindings } from "./bindings.ts";

const CTRL_E = "\u0005";
const CTRL_G = "\u0007";
const CTRL_O = "\u000f";

test("without a file the defaults hold", () => {
  const { bindings, problems } = readBindings(undefined);
  expect([
    bindings.actionOf(CTRL_G),
    bindings.actionOf("\u001b[Z"),
    bindings.actionOf("x"),
    problems,
  ]).toEqual(["editor", "cycleMode", undefined, []]);
});

test("a key is added, changed and removed, also in the format of another program", () => {
  const plain = readBindings('{ "ctrl+e": "editor", "ctrl+g": null, "Control+O": "search" }');
  expect(plain.problems).toEqual([]);
  expect([CTRL_E, CTRL_G, CTRL_O].map((key) => plain.bindings.actionOf(key))).toEqual([
    "editor",
    undefined,
    "search",
  ]);
  expect(plain.bindings.keysOf("editor")).toEqual(["ctrl+e"]);
  const other = readBindings(
    JSON.stringify({
      $schema: "x",
      bindings: [
        { context: "Chat", bindings: { "ctrl+e": "chat:externalEditor", "ctrl+n": "chat:newline" } },
      ],
    }),
  );
  expect([other.problems, other.bindings.actionOf(CTRL_E)]).toEqual([[], "editor"]);
  expect(other.bindings.editing.matches("\u000e", "tui.input.newLine")).toBe(true);
  expect(other.bindings.editing.matches("\r", "tui.input.submit")).toBe(true);
});

test("each wrong entry is reported, and the others take effect", () => {
  const { bindings, problems } = readBindings(
    JSON.stringify({
      "ctrl+e": "editor",
      "ctrl+c": "editor",
      "ctrl+k ctrl+s": "stash",
      "hyper+x": "stash",
      x: "stash",
      "ctrl+y": "edtor",
      "ctrl+t": 7,
    }),
  );
  expect(bindings.actionOf(CTRL_E)).toBe("editor");
  expect(problems).toEqual([
    "ctrl+c: this key cannot be changed",
    "ctrl+k ctrl+s: a sequence of keys cannot be bound; use one key",
    "hyper+x: this is not the name of a key, such as ctrl+e, alt+enter or f2",
    "x: a letter without ctrl or alt is text",
    "ctrl+y: unknown action edtor. Did you mean editor?",
    "ctrl+t: expected the name of an action, or null to remove the key",
  ]);
  expect(readBindings("{ broken").problems[0]).toMatch(/^it is not valid JSON/);
  expect(readBindings("[]").problems).toEqual(['expected an object, such as { "ctrl+e": "editor" }']);
});
