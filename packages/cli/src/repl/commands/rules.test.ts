import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CodingAgent, createPermissionGate, loadSettings, saveRule } from "@runahead/harness";
import { afterEach, beforeEach, expect, test } from "vitest";
import { strip } from "../../shared/safe-text.ts";
import type { Choosing } from "../panels/chooser.ts";
import type { CommandPorts } from "./ports.ts";
import { permissions } from "./rules.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "runahead-rules-"));
  mkdirSync(join(root, "project/.git"), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Chooses in each list the entry whose label starts so; without one, closes it. */
async function portsOf(labels: readonly string[]) {
  const cwd = join(root, "project");
  const world = { cwd, home: join(root, "home"), env: {}, print: () => {}, complain: () => {} };
  const settings = await loadSettings({ cwd, home: world.home, env: {}, isTrusted: true });
  const gate = createPermissionGate({ settings: { mode: "default", sources: settings.sources }, cwd });
  const rest = [...labels];
  const shown: string[] = [];
  const choose = async ({ always = [], choices }: Choosing): Promise<string | undefined> => {
    const all = [...always, ...choices];
    shown.push(choices.map(({ label, description = "" }) => strip(`${label} (${description})`)).join("\n"));
    const next = rest.shift();
    return all.find(({ label }) => next !== undefined && label.startsWith(next))?.value;
  };
  const made = (): CodingAgent => ({ settings, gate }) as unknown as CodingAgent;
  return { ports: { world, made, choose } as unknown as CommandPorts, gate, shown };
}

test("/permissions lists and removes rules of this session", async () => {
  const { ports, gate, shown } = await portsOf(["allow Bash(make)", "Remove it from this session"]);
  gate.addRules({ allow: ["Bash(make)", "Bash(make)"], deny: ["WebFetch"] });
  expect(await permissions(ports, "")).toEqual(["Removed from this session: allow Bash(make)"]);
  expect(shown[0]).toBe("deny WebFetch (this session)\nallow Bash(make) (this session)");
  expect(shown.at(-1)).toBe("deny WebFetch (this session)");
  expect(gate.sessionRules).toEqual({ allow: [], ask: [], deny: ["WebFetch"] });
});

test("/permissions: a rule that was saved in this session is listed once, and removing it also ends it here", async () => {
  const cwd = join(root, "project");
  const own = { home: join(root, "home"), env: {} };
  const { path } = await saveRule({ level: "local", behavior: "allow", rule: "Bash(make)", cwd, own });
  const { ports, gate, shown } = await portsOf(["allow Bash(make)", "Remove it from the file"]);
  gate.addRules({ allow: ["Bash(make)"] });
  expect((await permissions(ports, ""))[0]).toContain("Removed from ");
  expect(shown[0]?.match(/Bash\(make\)/g)).toHaveLength(1);
  expect(readFileSync(path, "utf8")).not.toContain("make");
  expect(gate.sessionRules.allow).toEqual([]);
});
