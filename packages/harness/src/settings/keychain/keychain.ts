/** The keychain of the operating system, through its own command line programs. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { findProgram } from "@runahead/base";
import type { Where } from "../place.ts";
import { macKeychain } from "./mac.ts";
import { secretService } from "./secret-service.ts";

/** Stores secrets under names that we choose. Every function rejects with a `KeychainFailure` if it cannot do its work. */
export interface Keychain {
  /** Resolves with undefined if there is no such secret. */
  load(id: string): Promise<string | undefined>;
  /** `label` is what the user sees in the programs of the system. */
  save(id: string, secret: { readonly text: string; readonly label: string }): Promise<void>;
  /** Does nothing if there is no such secret. */
  remove(id: string): Promise<void>;
}

export type FoundKeychain =
  | { readonly type: "found"; readonly keychain: Keychain }
  | { readonly type: "missing"; readonly why: string };

/** Whether the keychain works is known only when it is used: it can be locked, or its service can be absent. */
export function systemKeychain(
  { cwd, env }: Pick<Where, "cwd" | "env">,
  platform: NodeJS.Platform = process.platform,
): FoundKeychain {
  if (/^(?:0|off|false|no)$/i.test(env["RUNAHEAD_KEYCHAIN"] ?? ""))
    return missing("RUNAHEAD_KEYCHAIN turns it off");
  if (platform === "darwin") return { type: "found", keychain: macKeychain({ program: SECURITY, env }) };
  if (platform !== "linux") return missing(`it is not supported on ${platform}`);
  const bus = env["DBUS_SESSION_BUS_ADDRESS"] ?? "";
  const runtime = env["XDG_RUNTIME_DIR"] ?? "";
  if (bus === "" && (runtime === "" || !existsSync(join(runtime, "bus"))))
    return missing("there is no D-Bus session");
  const program = findProgram("secret-tool", { workspace: cwd, path: env["PATH"] ?? "" });
  if (program === undefined) return missing("secret-tool is not installed (Debian package libsecret-tools)");
  return { type: "found", keychain: secretService({ program, env }) };
}

const SECURITY = "/usr/bin/security";

function missing(why: string): FoundKeychain {
  return { type: "missing", why };
}
