/** The login keychain of macOS, through `security`. */

import type { Keychain } from "./keychain.ts";
import { KeychainFailure, type KeychainProgram, failureOf, runKeychain } from "./run.ts";

const SERVICE = "runahead";
const NOT_FOUND = 44;
/** `security -i` cuts longer lines. */
const MOST_LINE = 4000;

export function macKeychain(program: KeychainProgram): Keychain {
  const item = (id: string): readonly string[] => ["-s", SERVICE, "-a", id];
  const load = async (id: string): Promise<string | undefined> => {
    const printed = await runKeychain(program, ["find-generic-password", ...item(id), "-w"]);
    if (printed.code === NOT_FOUND) return undefined;
    if (printed.code !== 0) throw failureOf(printed);
    return Buffer.from(printed.stdout.trim(), "base64").toString("utf8");
  };
  return {
    load,
    save: async (id, { text, label }) => {
      // On its input, because other users see the arguments of a process. Base64 needs no quotes.
      const secret = Buffer.from(text, "utf8").toString("base64");
      const line = `add-generic-password -U -s ${SERVICE} -a ${id} -l "${label}" -w ${secret}\n`;
      if (line.length > MOST_LINE) throw new KeychainFailure("the login is too long for it");
      const printed = await runKeychain(program, ["-i"], line);
      // With -i, the exit code is 0 even if the command failed.
      if ((await load(id)) !== text) throw failureOf(printed);
    },
    remove: async (id) => {
      const printed = await runKeychain(program, ["delete-generic-password", ...item(id)]);
      if (printed.code !== 0 && printed.code !== NOT_FOUND) throw failureOf(printed);
    },
  };
}
