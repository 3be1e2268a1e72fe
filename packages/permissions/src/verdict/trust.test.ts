import { expect, test } from "vitest";
import { createPermissions } from "./permissions.ts";

test("class 14: cd does not extend the workspace", () => {
  const permissions = createPermissions({
    settings: { mode: "acceptEdits" },
    cwd: "/home/u/proj",
    home: "/home/u",
    realpath: (path) => path,
  });
  const verdicts = ["touch x", "touch /home/u/proj/x"].map(
    (command) => permissions.decide("Bash", { command }, "/etc").behavior,
  );
  expect(verdicts).toEqual(["ask", "allow"]);
});

test("class 14: an untrusted folder cannot select a looser mode", () => {
  const modeOf = (settings: object, trusted?: boolean): string =>
    createPermissions({
      settings,
      cwd: "/p",
      home: "/h",
      realpath: (path) => path,
      ...(trusted === undefined ? {} : { trusted }),
    }).mode;
  const loose = ["bypassPermissions", "acceptEdits", "allow", "auto"];
  for (const mode of loose) {
    expect(modeOf({ permissions: { defaultMode: mode } }, false)).toBe("default");
    expect(modeOf({ defaultMode: mode, trusted: false })).toBe("default");
    expect(modeOf({ mode, trusted: false, rulesFrom: "project" })).toBe("default");
  }
  expect(modeOf({ defaultMode: "dontAsk", trusted: false })).toBe("dontAsk");
  expect(modeOf({ permissions: { defaultMode: "acceptEdits" } }, true)).toBe("acceptEdits");
});
