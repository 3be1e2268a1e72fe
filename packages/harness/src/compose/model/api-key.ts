/** `apiKeyHelper`: a command that prints the API key. */

import { execFile } from "node:child_process";
import { withoutOwnKeys } from "@runahead/base";
import type { LoadedSettings } from "../../settings/loaded.ts";
import { textOfKey } from "../../settings/other-values.ts";
import { programEnvironment } from "../../settings/variables.ts";
import type { Surroundings } from "../../surroundings.ts";
import { UsageError } from "../error.ts";

const LIMIT_MS = 15_000;

/**
 * The environment that models are made with: the variables of the settings, and the key that the helper prints. Only a
 * helper of a trusted file runs, once per start.
 */
export async function modelSurroundings(
  world: Surroundings,
  settings: LoadedSettings,
): Promise<Surroundings> {
  const env = programEnvironment(world.env, settings.env);
  const command = textOfKey(settings, "apiKeyHelper");
  if (command === undefined) return { ...world, env };
  const key = await outputOf(command, world, settings);
  return { ...world, env: { ...env, ANTHROPIC_API_KEY: key } };
}

function outputOf(command: string, { cwd, env }: Surroundings, settings: LoadedSettings): Promise<string> {
  const environment = { ...withoutOwnKeys(env, settings.passEnv), ...settings.env };
  return new Promise((resolve, reject) => {
    execFile("/bin/sh", ["-c", command], { cwd, env: environment, timeout: LIMIT_MS }, (error, stdout) => {
      const key = stdout.trim();
      if (error === null && key !== "" && !/\s/.test(key)) return resolve(key);
      const why = error === null ? "it printed no key" : (error.message.split("\n", 1)[0] ?? "it failed");
      reject(new UsageError(`apiKeyHelper (${command}) returned no API key: ${why}`));
    });
  });
}
