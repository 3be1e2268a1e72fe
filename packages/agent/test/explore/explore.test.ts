import { test } from "vitest";
import { makeReadingWorld } from "/work/wt/confine/packages/agent/test/support/reading-world.ts";
import { writeFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";
test("x", async () => {
  const w = await makeReadingWorld();
  mkdirSync(join(w.root,"sub")); writeFileSync(join(w.root,"a"),"A");
  for (const c of (process.env.CMDS ?? "").split("\n").filter(Boolean)) {
    const t = performance.now();
    const r = await w.bash(c);
    console.log(`$ ${c}\n${r.text}\n[${r.isError} ${(performance.now()-t).toFixed(0)}ms cwd ${w.cwd}]`);
  }
  await w.shell.close();
});
