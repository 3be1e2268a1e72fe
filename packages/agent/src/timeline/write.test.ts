import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { everything } from "../../test/support/timeline.ts";
import { htmlTimeline } from "./html.ts";
import { traceEvents } from "./trace.ts";
import { writeTimeline } from "./write.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "runahead-timeline-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test("E11: a private page replaces the existing file", async () => {
  const path = join(folder, "turn.html");
  writeFileSync(path, "old");
  chmodSync(path, 0o644);
  const page = htmlTimeline(everything());
  expect(await writeTimeline(path, everything())).toEqual({
    type: "written",
    bytes: Buffer.byteLength(page),
  });
  expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777]).toEqual([page, 0o600]);
  expect(readdirSync(folder)).toEqual(["turn.html"]);
});

test("a name that ends in .json gets the trace", async () => {
  const path = join(folder, "turn.json");
  await writeTimeline(path, everything());
  expect(JSON.parse(readFileSync(path, "utf8"))).toEqual(traceEvents(everything()));
});

test("E04: a link is replaced, and its target is not changed", async () => {
  const [target, path] = [join(folder, "target"), join(folder, "turn.html")];
  writeFileSync(target, "mine");
  symlinkSync(target, path);
  await writeTimeline(path, everything());
  expect([readFileSync(target, "utf8"), readFileSync(path, "utf8").slice(0, 15)]).toEqual([
    "mine",
    "<!doctype html>",
  ]);
});

test("E05: a failed write is reported and leaves no file", async () => {
  const inNothing = join(folder, "nothing", "turn.html");
  expect(await writeTimeline(inNothing, everything())).toMatchObject({
    type: "failed",
    message: expect.stringContaining(`Cannot write ${inNothing}: ENOENT`) as string,
  });
  mkdirSync(join(folder, "taken"));
  expect(await writeTimeline(join(folder, "taken"), everything())).toMatchObject({ type: "failed" });
  expect(readdirSync(folder)).toEqual(["taken"]);
});
