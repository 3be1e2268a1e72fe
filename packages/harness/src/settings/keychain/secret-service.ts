/** The Secret Service of Linux desktops (GNOME Keyring, KWallet, KeePassXC), through `secret-tool`. */

import type { Keychain } from "./keychain.ts";
import { type KeychainProgram, failureOf, runKeychain } from "./run.ts";

export function secretService(program: KeychainProgram): Keychain {
  const item = (id: string): readonly string[] => ["service", "runahead", "id", id];
  return {
    load: async (id) => {
      const printed = await runKeychain(program, ["lookup", ...item(id)]);
      if (printed.code === 0) return printed.stdout;
      // Without a message, there is no such item.
      if (printed.stderr === "") return undefined;
      throw failureOf(printed);
    },
    save: async (id, { text, label }) => {
      const printed = await runKeychain(program, ["store", `--label=${label}`, ...item(id)], text);
      if (printed.code !== 0) throw failureOf(printed);
    },
    remove: async (id) => {
      const printed = await runKeychain(program, ["clear", ...item(id)]);
      if (printed.code !== 0 && printed.stderr !== "") throw failureOf(printed);
    },
  };
}
