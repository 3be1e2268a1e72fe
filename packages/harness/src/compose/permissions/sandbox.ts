/** The sandbox for commands, from the options and the settings. */

import { anObject, required } from "@runahead/base";
import { checkLoaded } from "../../settings/loaded.ts";
import { join } from "node:path";
import type { LoadedSettings } from "../../settings/loaded.ts";
import { type ReadConfinement, type SandboxOptions, shellTools } from "@runahead/tools";
import { runaheadHome, checkSurroundings } from "../../home.ts";
import type { Surroundings } from "../../surroundings.ts";
import type { HarnessOptions } from "../options.ts";

/**
 * Returns whether shell commands run in a sandbox: the `sandbox` option turns it on, and so can the settings.
 *
 * @example
 * ```ts
 * const isOn = isSandboxed({ sandbox: true }, await loadSettings({ cwd, home, env })); // true
 * ```
 */
export function isSandboxed(options: HarnessOptions, settings: LoadedSettings): boolean {
  required(anObject)(options, 'isSandboxed: "options"');
  checkLoaded(settings, "isSandboxed");
  const { sandbox } = options;
  return sandbox === true || (settings.sandbox.isOn === true && isForThisPlatform(settings));
}

export function sandboxOptions(flags: HarnessOptions, settings: LoadedSettings): false | SandboxOptions {
  if (!isSandboxed(flags, settings)) return false;
  const { allowedDomains, deniedDomains, allowWrite, denyWrite, unixSockets, isNested } = settings.sandbox;
  return {
    ...readingOptions(settings),
    writable: allowWrite,
    readOnly: denyWrite,
    sockets: unixSockets,
    nested: isNested,
    ...(allowedDomains.length === 0 ? {} : { network: { allowedDomains, deniedDomains } }),
  };
}

/** Applies to commands that only read, even if the others run without a sandbox. */
export function readingOptions(
  settings: LoadedSettings,
): Pick<SandboxOptions, "hidden" | "readable" | "passEnv" | "program"> {
  const { denyRead, allowRead, passEnv } = settings.sandbox;
  const program = managedValue(settings, "sandbox.bwrapPath");
  return {
    hidden: denyRead,
    readable: allowRead,
    passEnv,
    ...(typeof program === "string" && program !== "" ? { program } : {}),
  };
}

function managedValue({ other }: Pick<LoadedSettings, "other">, key: string): unknown {
  return other.get(key)?.find(({ level }) => level === "managed")?.value;
}

/** Names of this platform in `sandbox.enabledPlatforms`. */
const PLATFORMS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  linux: ["linux", "wsl"],
  darwin: ["macos"],
  win32: ["windows"],
};

function isForThisPlatform(settings: Pick<LoadedSettings, "other">): boolean {
  const names = managedValue(settings, "sandbox.enabledPlatforms");
  if (!Array.isArray(names)) return true;
  return names.some((name) => PLATFORMS[process.platform]?.includes(String(name)) === true);
}

/**
 * Turns the sandbox of the settings off if it cannot start here and `failIfUnavailable` is false, with a notice. Then
 * commands need the approval that they need without a sandbox.
 */
export async function withUsableSandbox(
  settings: LoadedSettings,
  {
    world,
    flags,
    onNotice,
  }: { world: Surroundings; flags: HarnessOptions; onNotice: (text: string) => void },
): Promise<LoadedSettings> {
  if (flags.sandbox === true || !isSandboxed(flags, settings) || settings.sandbox.isRequired) return settings;
  const why = await whyNoSandbox(world, flags, settings);
  if (why === undefined) return settings;
  onNotice(
    `The sandbox is not available: ${why} Commands run without it, because sandbox.failIfUnavailable is false; they need approval.`,
  );
  return { ...settings, sandbox: { ...settings.sandbox, isOn: false } };
}

async function whyNoSandbox(
  world: Surroundings,
  flags: HarnessOptions,
  settings: LoadedSettings,
): Promise<string | undefined> {
  const home = runaheadHome(world);
  const { cwd: root, env } = world;
  const sandbox = sandboxOptions(flags, settings);
  const shell = shellTools({ root, home, env, outputFolder: join(home, "output"), sandbox });
  try {
    return await shell.checkSandbox();
  } finally {
    await shell.close();
  }
}

/**
 * Finds out whether shell commands that only read would run in the read-only sandbox on this machine. Starts the
 * sandbox once, which takes a few milliseconds. Never throws because the sandbox is missing: then the result is false.
 *
 * @example
 * ```ts
 * const confined = await confinesReadsHere({ cwd, home, env }, settings);
 * ```
 */
export async function confinesReadsHere(world: Surroundings, settings: LoadedSettings): Promise<boolean> {
  checkSurroundings(world, "confinesReadsHere");
  checkLoaded(settings, "confinesReadsHere");
  if (!settings.sandbox.confinesReads) return false;
  const home = runaheadHome(world);
  const { cwd: root, env } = world;
  const shell = shellTools({
    root,
    home,
    env,
    outputFolder: join(home, "output"),
    reading: readingOptions(settings),
  });
  try {
    return (await shell.checkReadConfinement()).type === "ready";
  } finally {
    await shell.close();
  }
}

/** Whether commands that only read are confined, for `/status` and `/doctor`. */
export interface Reading {
  readonly isConfined: boolean;
  readonly words: string;
}

const ASKED = "git and other commands that load project configuration need approval";

export function readingOf(confinement: ReadConfinement, { sandbox }: LoadedSettings): Reading {
  if (!sandbox.confinesReads)
    return { isConfined: false, words: `not confined: sandbox.confineReads is false; ${ASKED}` };
  switch (confinement.type) {
    case "ready":
      return { isConfined: true, words: "confined by bubblewrap" };
    case "unknown":
      return {
        isConfined: false,
        words: `not confined yet: bubblewrap is being checked; until then ${ASKED}`,
      };
    case "unavailable":
      return { isConfined: false, words: `not confined: ${confinement.why.replace(/\.$/, "")}; ${ASKED}` };
  }
}
