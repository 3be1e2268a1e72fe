import { expect, test } from "vitest";
import { nearestName, rejectUnknown } from "./options.ts";

const KNOWN = ["mode", "allow", "acceptEdits", "cwd"];

test("an unknown option is refused with the name that was meant", () => {
  expect(() => rejectUnknown({ cwd: "/", alow: [] }, KNOWN, "createX")).toThrow(
    new TypeError(
      'Unknown option of createX: "alow". Did you mean "allow"? Known: mode, allow, acceptEdits, cwd.',
    ),
  );
  expect(() => rejectUnknown({ mode: 1, cwd: undefined }, KNOWN, "createX")).not.toThrow();
});

test("a name is near if a third of it or less is different", () => {
  expect(
    ["acceptEdit", "accept_edits", "ACCEPTEDITS", "cdw", "zzz", ""].map((name) => nearestName(name, KNOWN)),
  ).toEqual(["acceptEdits", "acceptEdits", "acceptEdits", undefined, undefined, undefined]);
});
