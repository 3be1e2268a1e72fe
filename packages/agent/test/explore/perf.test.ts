import { test } from "vitest";
import { spawn } from "node:child_process";
import { makeReadingWorld } from "../support/reading-world.ts";
import { ShellWorld } from "../support/shell-world.ts";
const med = (v: number[]) => v.sort((a,b)=>a-b)[Math.floor(v.length/2)]!.toFixed(2);
const bare = (c: string, cwd: string) => new Promise<void>((r) => { const ch = spawn("bash", ["-c", c], {cwd, stdio:["ignore","pipe","pipe"]}); ch.stdout!.resume(); ch.stderr!.resume(); ch.once("close", () => r()); });
test("perf", async () => {
  const w = await makeReadingWorld();
  const p = await ShellWorld.make();
  await p.bash("git init -q . 2>&1; echo a>a; git add a");
  spawn("true");
  const cwd = p.root;
  w.cwd = cwd;
  const t: Record<string, number[]> = {bareTrue: [], toolTrue: [], confTrue: [], bareGit: [], toolGit: [], confGit: [], prep: [] };
  const time = async (n: string, f: () => Promise<unknown>) => { const s = performance.now(); await f(); t[n]!.push(performance.now()-s); };
  for (let i = 0; i < 40; i++) {
    await time("bareTrue", () => bare("true", cwd));
    await time("toolTrue", () => p.bash("true"));
    await time("confTrue", () => w.bash("true"));
    await time("bareGit", () => bare("git status --short", cwd));
    await time("toolGit", () => p.bash("git status --short"));
    await time("confGit", () => w.bash("git status --short"));
  }
  for (const [n, v] of Object.entries(t)) if (v.length) console.log(n, med(v));
  await p.close();
  await w.shell.close();
}, 60000);
