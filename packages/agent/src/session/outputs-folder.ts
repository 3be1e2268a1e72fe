/** The files of this machine that belong to sessions in stores. */

import { tmpdir } from "node:os";
import { join } from "node:path";
import { privateDirectory } from "./folder.ts";
import { removeOldOutputs } from "./stored-outputs.ts";

/** How long files are left that no run has removed. */
const OLD_MS = 7 * 86_400_000;

let outputs: Promise<string> | undefined;

/** Where sessions of stores have their files on this machine. The same folder for all workers of a user. */
export function outputsFolder(): Promise<string> {
  outputs ??= privateDirectory(join(tmpdir(), "runahead-sessions"), () => {}).catch((error: unknown) => {
    outputs = undefined;
    throw error;
  });
  return outputs;
}

/** Removes what sessions left on this machine a week ago or earlier. */
export async function cleanUpOutputs(): Promise<void> {
  await removeOldOutputs(await outputsFolder(), Date.now() - OLD_MS);
}
