import { test } from "vitest";
import { allProcesses, hasMark } from "../../src/system/processes.ts";
import { Pipes } from "../../src/tools/process-pipe.ts";
import { mkdtempSync } from "node:fs";
test("p", async () => {
  const time = async (n: string, f: () => unknown) => { const v=[]; for (let i=0;i<20;i++){const s = performance.now(); await f(); v.push(performance.now()-s);} v.sort((a,b)=>a-b); console.log(n, v[10]!.toFixed(2), v[19]!.toFixed(2)); };
  console.log(allProcesses().length);
  await time("all", () => allProcesses());
  await time("marks", () => allProcesses().map(({pid}) => hasMark(pid, "X=1")));
  const p = new Pipes(mkdtempSync("/tmp/pp"));
  await time("pipes", () => p.take());
});
