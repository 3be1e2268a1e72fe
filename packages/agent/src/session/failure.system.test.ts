import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";

test("a read-only home folder is named as the reason, not a folder that is missing in it", () => {
  const home = mkdtempSync(join(tmpdir(), "runahead-failure-"));
  const module = JSON.stringify(new URL("failure.ts", import.meta.url).href);
  const script = `
    import { mkdir } from "node:fs/promises";
    import { dirname } from "node:path";
    import { whyNotSaved } from ${module};
    const path = ${JSON.stringify(join(home, ".runahead", "projects", "s.jsonl"))};
    const error = await mkdir(dirname(path), { recursive: true }).catch((thrown) => thrown);
    console.log(await whyNotSaved(path, error));`;
  const run = [process.execPath, "--import", "tsx", "--input-type=module", "-e", script];
  const words = execFileSync("bwrap", ["--dev-bind", "/", "/", "--ro-bind", home, home, ...run], {
    encoding: "utf8",
  });
  rmSync(home, { recursive: true });
  expect(words).toBe(`${home}/.runahead/projects/s.jsonl: the file system is read-only (EROFS)\n`);
});
