/** `runahead hooks`: lists hooks and runs them against a sample event. */

import {
  type HookRunner,
  type ListedHook,
  createHooks,
  isHookEvent,
  withoutOwnKeys,
} from "@runahead/harness";
import { UsageError } from "@runahead/harness";
import { CALLED_NAMES, HOOK_EVENTS } from "@runahead/harness/internal";
import { EXIT } from "../shared/exit.ts";
import type { World } from "../shared/world.ts";
import { type SettingsFlags, asJson, complainOf, load, objectOf } from "./load.ts";

export async function listHooks(world: World, flags: SettingsFlags): Promise<number> {
  return withHooks(world, flags, (hooks) => {
    const list = hooks.list();
    if (flags.json === true) world.print(asJson(list));
    else world.print(list.length === 0 ? "No hooks in this folder." : list.map(inWords).join("\n"));
    return EXIT.done;
  });
}

interface TestFlags extends SettingsFlags {
  readonly input?: string;
  readonly id?: string;
}

export async function testHooks(world: World, event: string, flags: TestFlags): Promise<number> {
  if (!isHookEvent(event))
    throw new UsageError(`unknown hook event ${event}. Events: ${HOOK_EVENTS.join(", ")}`);
  const sample = objectOf(flags.input ?? "{}", "--input");
  return withHooks(world, flags, async (hooks) => {
    if (flags.id !== undefined && !hooks.list().some(({ id }) => id === flags.id))
      throw new UsageError(`no hook with the id ${flags.id}. Run \`runahead hooks\` to list the hooks.`);
    const tests = await hooks.test(event, sample, flags.id);
    const ran = tests.filter(({ matches }) => matches || flags.id !== undefined);
    if (flags.json === true) world.print(asJson(tests));
    else if (ran.length === 0) world.print(`No ${event} hook matches this sample.`);
    else
      for (const { hook, ending, said } of ran) world.print(`${inWords(hook)}\n${asJson({ ending, said })}`);
    return EXIT.done;
  });
}

async function withHooks(
  world: World,
  flags: SettingsFlags,
  use: (hooks: HookRunner) => number | Promise<number>,
): Promise<number> {
  const loaded = await load(world, flags);
  const hooks = createHooks({
    configs: loaded.hooks.map(({ name: source, root, trusted, hooks: config }) => ({
      source,
      root,
      trusted,
      hooks: config,
    })),
    projectDir: loaded.root,
    toolNames: CALLED_NAMES,
    cwd: world.cwd,
    env: { ...withoutOwnKeys(world.env, loaded.passEnv), ...loaded.env },
    sessionId: "sample",
    transcriptPath: "",
    permissionMode: () => loaded.mode,
    onNotice: (message) => world.complain(message),
  });
  try {
    return await use(hooks);
  } finally {
    await hooks.close();
    complainOf(loaded, world);
  }
}

function inWords(hook: ListedHook): string {
  const what = `${hook.event} ${hook.matcher === "" ? "*" : hook.matcher}  ${hook.what}`;
  const how = hook.runs
    ? `timeout ${hook.timeoutMs / 1_000} s${hook.onFailure === "block" ? ", blocks if it fails" : ""}${hook.isAsync ? ", runs in the background" : ""}${hook.rule === "" ? "" : `, if ${hook.rule}`}`
    : `does not run: ${hook.why}`;
  return `${hook.id}  ${what}\n    ${how}  ← ${hook.source}`;
}
