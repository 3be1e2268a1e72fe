import { expect, test } from "vitest";
import { nearestName, rejectUnknown } from "./options.ts";

const KNOWN = ["mode", "allow", "acceptEdits", "cwd"];

test("an unknown option is refused with the name that was meant", () => {
  expect(() => rejectUnknown({ cwd: "/", alow: [] }, KNOWN, "createX")).toThrow(
    new TypeError(
      'Unknown option "alow" of createX. Did you mean "allow"? Options: mode, allow, acceptEdits, cwd.',
    ),
  );
  expect(() => rejectUnknown({ mode: 1, cwd: undefined }, KNOWN, "createX")).not.toThrow();
});

test("a name is near if it is the beginning, or if a third of its letters or fewer are wrong", () => {
  const given = ["acceptEdit", "accept_edits", "ACCEPTEDITS", "cdw", "acc", "zzz", "a", ""];
  expect(given.map((name) => nearestName(name, KNOWN))).toEqual([
    "acceptEdits",
    "acceptEdits",
    "acceptEdits",
    "cwd",
    "acceptEdits",
    undefined,
    undefined,
    undefined,
  ]);
});
