/** `allowedHttpHookUrls` and `httpHookAllowedEnvVars`: what hooks of type `http` can reach and send. */

import type { HookConfig } from "@runahead/agent";
import { isShape, matchesStars } from "@runahead/base";
import type { LoadedSettings, OtherValue } from "../../settings/loaded.ts";

type Notice = (message: string) => void;

/**
 * Returns whether the lists of the settings contain something. Those of trusted files are merged. That of an untrusted
 * file restricts too, but adds nothing. Undefined: no file has the list.
 */
function listed(
  { other }: LoadedSettings,
  key: string,
): ((is: (entry: string) => boolean) => boolean) | undefined {
  const values = other.get(key);
  if (values === undefined) return undefined;
  const entriesOf = ({ value }: OtherValue): string[] =>
    Array.isArray(value) ? value.filter((entry) => typeof entry === "string") : [];
  const trusted = values.filter((value) => value.trusted);
  const lists = [
    ...(trusted.length === 0 ? [] : [trusted.flatMap(entriesOf)]),
    ...values.filter((value) => !value.trusted).map(entriesOf),
  ];
  return (is) => lists.every((entries) => entries.some(is));
}

/** Leaves out hooks whose address is not listed, with a notice, and variables that are not listed. */
export function limitedHttpHooks(
  configs: readonly HookConfig[],
  settings: LoadedSettings,
  onNotice: Notice,
): readonly HookConfig[] {
  const urls = listed(settings, "allowedHttpHookUrls");
  const variables = listed(settings, "httpHookAllowedEnvVars");
  if (urls === undefined && variables === undefined) return configs;
  const limited = (hook: unknown, source: string): unknown[] => {
    if (!isShape(hook) || hook["type"] !== "http") return [hook];
    const { url, allowedEnvVars } = hook;
    const isListed = urls === undefined || urls((pattern) => matchesStars(pattern, String(url)));
    if (!isListed)
      onNotice(`${source}: the hook ${String(url)} does not run: allowedHttpHookUrls does not list it.`);
    if (!isListed) return [];
    if (variables === undefined || !Array.isArray(allowedEnvVars)) return [hook];
    return [
      {
        ...hook,
        allowedEnvVars: allowedEnvVars.filter((name: unknown) => variables((one) => one === String(name))),
      },
    ];
  };
  return configs.map(({ hooks, ...config }) => ({
    ...config,
    hooks: mapHooks(hooks, (hook) => limited(hook, config.source)),
  }));
}

/** Replaces each hook of each group. What has another form is left to the loader, which reports it. */
function mapHooks(hooks: unknown, change: (hook: unknown) => unknown[]): unknown {
  if (!isShape(hooks)) return hooks;
  const group = (one: unknown): unknown =>
    isShape(one) && Array.isArray(one["hooks"]) ? { ...one, hooks: one["hooks"].flatMap(change) } : one;
  return Object.fromEntries(
    Object.entries(hooks).map(([event, groups]) => [
      event,
      Array.isArray(groups) ? groups.map(group) : groups,
    ]),
  );
}
