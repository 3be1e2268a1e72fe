/** Every key that occurs in settings files, how often, and what it does. */

import { contentOf } from "../../src/settings/content.ts";
import { keyOf } from "../../src/settings/setting.ts";

export class SettingKeys {
  readonly #counts = new Map<string, number>();
  readonly #remarks = new Map<string, string>();

  /** A file that is not JSON has no keys. */
  add(text: string): void {
    const value = parsed(text);
    if (typeof value !== "object" || value === null) return;
    const { settings, problems } = contentOf("", value as Record<string, unknown>);
    for (const key of new Set(settings.map((setting) => keyOf(setting).replace(/^env\..*/, "env.*"))))
      this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
    for (const { key, severity, message } of problems)
      this.#remarks.set(key.replace(/\[.*/, ""), `${severity}: ${message.replace(/^: [^:]*: /, "")}`);
  }

  lines(): string[] {
    const all = [...this.#counts].toSorted(([one], [other]) => (one < other ? -1 : 1));
    const stateOf = (key: string): string =>
      this.#remarks.get(key) ??
      (/^(?:permissions\.)?[$_]|^(?:version|description)$/.test(key) ? "remark" : "takes effect");
    return all.map(([key, count]) => `${String(count).padStart(4)}  ${key}: ${stateOf(key)}`);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
