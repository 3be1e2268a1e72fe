import type { LoadedSettings } from "../../settings/loaded.ts";
import { expect, test } from "vitest";
import { readingOf } from "./sandbox.ts";

const settings = (confinesReads: boolean): LoadedSettings =>
  ({ sandbox: { confinesReads } }) as unknown as LoadedSettings;
const ASKED = "git and other commands that load project configuration need approval";

test("the status of read confinement says why it is off and what to do", () => {
  expect(readingOf({ type: "ready" }, settings(true))).toEqual({
    isConfined: true,
    words: "confined by bubblewrap",
  });
  const why =
    "The sandbox cannot be started: there is no bwrap. To install bubblewrap: apt-get install -y bubblewrap";
  expect(readingOf({ type: "unavailable", why }, settings(true))).toEqual({
    isConfined: false,
    words: `not confined: ${why}; ${ASKED}`,
  });
  expect(readingOf({ type: "unknown" }, settings(true)).isConfined).toBe(false);
  expect(readingOf({ type: "ready" }, settings(false))).toEqual({
    isConfined: false,
    words: `not confined: sandbox.confineReads is false; ${ASKED}`,
  });
});
