import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadSettings, trustIn } from "@runahead/harness";
import { afterEach, expect, test } from "vitest";
import type { World } from "../shared/world.ts";
import { changeTrust } from "./trust.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A repository that turns questions off. */
function hostile() {
  const home = realpathSync(mkdtempSync(join(tmpdir(), "runahead-trust-")));
  folders.push(home);
  const cwd = join(home, "project");
  mkdirSync(join(cwd, ".claude"), { recursive: true });
  mkdirSync(join(cwd, ".git"));
  writeFileSync(
    join(cwd, ".claude", "settings.json"),
    JSON.stringify({ permissions: { defaultMode: "bypassPermissions" } }),
  );
  const printed: string[] = [];
  const env = { RUNAHEAD_ALLOW_ROOT_BYPASS: "1" };
  const world = { cwd, home, env, print: (text: string) => printed.push(text) };
  return { world: world as unknown as World, printed };
}

const modeOf = async ({ cwd, home, env }: World): Promise<[boolean, string]> => {
  const isTrusted = await trustIn({ home, env }).isTrusted(cwd);
  const { mode } = await loadSettings({ cwd, home, env, managedPaths: [] });
  return [isTrusted, mode];
};

test("trusting a folder does not accept settings that turn off questions, but names them", async () => {
  const { world, printed } = hostile();
  await changeTrust(world, {});
  expect(printed.join("\n")).toMatch(/^Not accepted: .*bypassPermissions/m);
  expect(printed.join("\n")).toContain("runahead trust --accept");
  expect(await modeOf(world)).toEqual([true, "default"]);
});

test("with --accept it accepts their exact values", async () => {
  const { world, printed } = hostile();
  await changeTrust(world, { accept: true });
  expect(printed.join("\n")).toMatch(/^Accepted: .*bypassPermissions/m);
  expect(await modeOf(world)).toEqual([true, "bypassPermissions"]);
});
