/** A plugin: a folder with commands, sub-agents, skills, hooks, MCP servers and language servers. */

import { readdir, realpath, stat } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";
import { type Shape, isShape, aString, anObject, checkMembers, required } from "@runahead/base";
import type { FoundMcpServer, McpServer } from "@runahead/mcp";
import type { LanguageServerSpec } from "@runahead/tools";
import type { DefinitionFolder } from "../settings/agents.ts";
import { valueOf } from "../settings/json.ts";
import { lspServersIn } from "../settings/lsp.ts";
import { mcpServersIn } from "../settings/mcp.ts";
import { parseJson } from "../settings/parse.ts";
import type { Environment } from "../settings/place.ts";
import { readText } from "../settings/read.ts";
import type { Problem } from "../settings/setting.ts";
import { type Dependency, type Manifest, type ManifestCommand, manifestIn } from "./plugin-manifest.ts";

/** The content of a plugin. */
export interface Plugin {
  /** Its name; what it defines is called `name:thing`. */
  readonly name: string;
  /** What it is for; empty if it does not say. */
  readonly description: string;
  /** Real path of its folder. */
  readonly root: string;
  /** Folders and files with sub-agents. */
  readonly agents: readonly DefinitionFolder[];
  /** Folders and files with commands. */
  readonly commands: readonly DefinitionFolder[];
  /** Folders with skills. */
  readonly skills: readonly DefinitionFolder[];
  /** Folders with output styles. */
  readonly outputStyles: readonly DefinitionFolder[];
  /** Its hooks by event, in the form of the settings. */
  readonly hooks: Readonly<Record<string, readonly unknown[]>>;
  /** Its MCP servers. */
  readonly servers: readonly FoundMcpServer[];
  /** Its language servers. */
  readonly languageServers: readonly LanguageServerSpec[];
  /** Variables of its hooks and servers: its folders and options. */
  readonly env: Readonly<Record<string, string>>;
  /** Other plugins that it needs. */
  readonly dependencies: readonly Dependency[];
  /** What has no effect, with the reason. */
  readonly problems: readonly Problem[];
}

interface Place {
  /** The folder of the plugin. */
  readonly root: string;
  readonly env: Environment;
  /** API keys that its servers can get. */
  readonly passEnv?: readonly string[];
  /** Values of its options (`userConfig`), from the user's settings. Default: the defaults of the manifest. */
  readonly options?: Readonly<Record<string, string>>;
  /** The folder for files that it keeps, for `${CLAUDE_PLUGIN_DATA}`. Default: the variable is not filled in. */
  readonly data?: string;
  /** Its entry in the marketplace that it was added from, which can name more. Default: none. */
  readonly entry?: Shape;
}

/**
 * Reads a plugin. Nothing of it runs. Paths that lead out of its folder are left out.
 *
 * @example
 * ```ts
 * const { commands, hooks, problems } = await readPlugin({ root: "/plugins/deploy", env });
 * ```
 */
export async function readPlugin(place: Place): Promise<Plugin> {
  checkMembers(place, { root: required(aString), env: required(anObject) }, "readPlugin");
  const root = await realpath(place.root).catch(() => resolve(place.root));
  const path = join(root, ".claude-plugin", "plugin.json");
  const file = await readText(path);
  const found = manifestIn(file.type === "text" ? file.text : "{}", path, place.entry);
  const reader = new PluginReader({ ...place, root }, found.manifest, [...found.problems]);
  if (file.type === "unreadable") reader.report("error", path, file.why);
  return reader.read();
}

class PluginReader {
  readonly #place: Place;
  readonly #manifest: Manifest;
  readonly #problems: Problem[];
  readonly #prefix: string;
  readonly #unset = new Set<string>();

  constructor(place: Place, manifest: Manifest, problems: Problem[]) {
    this.#place = place;
    this.#manifest = manifest;
    this.#problems = problems;
    this.#prefix = `${this.#name}:`;
  }

  /** The folders that its texts can name, and that its processes find in their environment. */
  get #variables(): Record<string, string> {
    const { root, data } = this.#place;
    return {
      CLAUDE_PLUGIN_ROOT: root,
      RUNAHEAD_PLUGIN_ROOT: root,
      ...(data === undefined ? {} : { CLAUDE_PLUGIN_DATA: data, RUNAHEAD_PLUGIN_DATA: data }),
    };
  }

  get #name(): string {
    return this.#manifest.name ?? basename(this.#place.root);
  }

  async read(): Promise<Plugin> {
    const { description, agents, skills, outputStyles, dependencies } = this.#manifest;
    const ownSkill = await this.#ownSkill();
    return {
      name: this.#name,
      description: description ?? "",
      root: this.#place.root,
      agents: await this.#folders("agents", "agents", agents),
      commands: await this.#commands(),
      skills: await this.#folders("skills", "skills", [...skills, ...ownSkill]),
      outputStyles: await this.#folders("outputStyles", "output-styles", outputStyles),
      hooks: await this.#hooks(),
      servers: await this.#servers(),
      languageServers: await this.#languageServers(),
      env: { ...this.#variables, ...this.#optionVariables },
      dependencies,
      problems: this.#problems,
    };
  }

  report(severity: Problem["severity"], path: string, words: string): void {
    this.#problems.push({ severity, path, key: "", message: `${path}: ${words}` });
  }

  /** A plugin can consist of one skill. */
  async #ownSkill(): Promise<string[]> {
    const names = await readdir(this.#place.root).catch(() => []);
    return names.some((name) => /^skill\.md$/i.test(name)) ? ["."] : [];
  }

  /** The paths that exist, once each. The default one can be missing. */
  async #folders(field: string, usual: string, paths: readonly string[]): Promise<DefinitionFolder[]> {
    const { whole } = this.#manifest;
    const found = [
      ...(whole.includes(field) ? [] : [await this.#inside(usual, true)]),
      ...(await Promise.all(paths.map((path) => this.#inside(path)))),
    ];
    const unique = [...new Set(found.flatMap((path) => (path === undefined ? [] : [path])))];
    return unique.map((path) => this.#folder(path));
  }

  #folder(path: string): DefinitionFolder {
    const { secretOptions } = this.#manifest;
    const options = Object.entries(this.#options)
      .filter(([key]) => !secretOptions.includes(key))
      .map(([key, value]) => [`user_config.${key}`, value]);
    const variables = { ...this.#variables, ...(Object.fromEntries(options) as Record<string, string>) };
    return { path, prefix: this.#prefix, variables };
  }

  async #commands(): Promise<DefinitionFolder[]> {
    const { commands } = this.#manifest;
    const paths = commands.flatMap(({ path, name }) =>
      name === undefined && path !== undefined ? [path] : [],
    );
    const named = await Promise.all(commands.map((command) => this.#named(command)));
    return [...named.flat(), ...(await this.#folders("commands", "commands", paths))];
  }

  /** A command with a name of its own, from a file or from the manifest. */
  async #named({ path, content, name, fields }: ManifestCommand): Promise<DefinitionFolder[]> {
    if (name === undefined) return [];
    const manifest = join(this.#place.root, ".claude-plugin", "plugin.json");
    const file = path === undefined ? manifest : await this.#inside(path);
    return file === undefined ? [] : [{ ...this.#folder(file), command: { name, content, fields } }];
  }

  /** The real path of a file or folder in the plugin. */
  async #inside(path: string, isOptional = false): Promise<string | undefined> {
    const { root } = this.#place;
    const full = resolve(root, path.replaceAll(/\$\{(?:CLAUDE|RUNAHEAD)_PLUGIN_ROOT\}/g, root));
    const real = await realpath(full).catch(() => undefined);
    if (real === undefined) {
      if (!isOptional) this.report("warning", full, "the manifest names it, but it does not exist");
      return undefined;
    }
    const way = relative(root, real);
    if (way !== ".." && !/^\.\.[/\\]/.test(way)) return real;
    this.report("warning", full, "is outside of the plugin and is not used");
    return undefined;
  }

  async #hooks(): Promise<Plugin["hooks"]> {
    const standard = await this.#inside(join("hooks", "hooks.json"), true);
    const named = await Promise.all(this.#manifest.hookPaths.map((path) => this.#inside(path)));
    const paths = [...new Set([standard, ...named].flatMap((path) => (path === undefined ? [] : [path])))];
    const maps = await Promise.all(paths.map(async (path) => this.#hookMap(await this.#json(path), path)));
    const all = new Map<string, unknown[]>();
    for (const map of [...maps, ...this.#manifest.hooks])
      for (const [event, groups] of Object.entries(map))
        if (!isRemark(event))
          all.set(event, [
            ...(all.get(event) ?? []),
            ...(Array.isArray(groups) ? (groups as unknown[]) : [groups]),
          ]);
    return this.#filled(Object.fromEntries(all));
  }

  /** The hooks of a file by event, with or without `hooks` around them. */
  #hookMap(value: Shape, path: string): Shape {
    const { hooks } = value;
    if (!isShape(hooks)) return value;
    for (const key of Object.keys(value))
      if (key !== "hooks" && !isRemark(key)) this.report("note", path, `${key} has no effect`);
    return hooks;
  }

  async #servers(): Promise<FoundMcpServer[]> {
    const standard = await this.#inside(".mcp.json", true);
    const named = await Promise.all(this.#manifest.serverPaths.map((path) => this.#inside(path)));
    const paths = [...new Set([standard, ...named].flatMap((path) => (path === undefined ? [] : [path])))];
    const values = [...(await Promise.all(paths.map((path) => this.#json(path)))), ...this.#manifest.servers];
    const { env, passEnv, root } = this.#place;
    return values.flatMap((value) => {
      const { servers, problems } = mcpServersIn(JSON.stringify(this.#filled(value)), {
        path: root,
        isTrusted: true,
        env: { ...env, ...this.#variables },
        ...(passEnv === undefined ? {} : { passEnv }),
      });
      this.#problems.push(...problems);
      return servers.map((found) => ({
        ...found,
        server: withVariables(found.server, { ...this.#variables, ...this.#optionVariables }),
        name: `plugin_${this.#name}_${found.name}`,
      }));
    });
  }

  async #languageServers(): Promise<LanguageServerSpec[]> {
    const standard = await this.#inside(".lsp.json", true);
    const named = await Promise.all(this.#manifest.languageServerPaths.map((path) => this.#inside(path)));
    const paths = [...new Set([standard, ...named].flatMap((path) => (path === undefined ? [] : [path])))];
    const read = await Promise.all(paths.map((path) => this.#json(path)));
    const { env, passEnv, root } = this.#place;
    return [...read, ...this.#manifest.languageServers].flatMap((value) => {
      const { servers, problems } = lspServersIn(this.#filled(value), {
        path: root,
        env: { ...env, ...this.#variables },
        ...(passEnv === undefined ? {} : { passEnv }),
      });
      this.#problems.push(...problems);
      return servers;
    });
  }

  /** The options that have a value. */
  get #options(): Readonly<Record<string, string>> {
    const { userConfig } = this.#manifest;
    const usual = Object.entries(userConfig).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, value]],
    );
    return { ...(Object.fromEntries(usual) as Record<string, string>), ...this.#place.options };
  }

  get #optionVariables(): Record<string, string> {
    const values = Object.entries(this.#options).map(([key, value]) => {
      const name = key.toUpperCase().replaceAll(/[^A-Z0-9_]/g, "_");
      return [`CLAUDE_PLUGIN_OPTION_${name}`, value];
    });
    return Object.fromEntries(values) as Record<string, string>;
  }

  /** The value of an option. One that has no value is reported once. */
  #option(key: string): string | undefined {
    const { options = {} } = this.#place;
    const { userConfig } = this.#manifest;
    const value = Object.hasOwn(options, key) ? options[key] : undefined;
    const usual = Object.hasOwn(userConfig, key) ? userConfig[key] : undefined;
    if (value === undefined && usual === undefined && !this.#unset.has(key)) {
      this.#unset.add(key);
      const where = `pluginConfigs.${JSON.stringify(this.#name)}.options.${key}`;
      this.report("warning", this.#place.root, `its option ${key} is not set; set ${where} in your settings`);
    }
    return value ?? usual;
  }

  async #json(path: string): Promise<Shape> {
    if ((await stat(path).catch(() => undefined))?.isFile() !== true) return {};
    const file = await readText(path);
    if (file.type !== "text") return this.report("error", path, "it cannot be read"), {};
    const parsed = parseJson(file.text);
    const value = parsed.type === "parsed" ? valueOf(parsed.node) : undefined;
    if (isShape(value)) return value;
    this.report(
      "error",
      path,
      parsed.type === "broken" ? `invalid JSON at ${parsed.why}` : "expected an object",
    );
    return {};
  }

  /** Replaces `${CLAUDE_PLUGIN_ROOT}`, `${CLAUDE_PLUGIN_DATA}` and `${user_config.KEY}` in all strings. */
  #filled<Value>(value: Value): Value {
    const variables = this.#variables;
    const fill = (one: unknown): unknown => {
      if (typeof one === "string")
        return one
          .replaceAll(
            /\$\{((?:CLAUDE|RUNAHEAD)_PLUGIN_(?:ROOT|DATA))\}/g,
            (whole, name: string) => variables[name] ?? whole,
          )
          .replaceAll(/\$\{user_config\.([\w-]+)\}/g, (whole, key: string) => this.#option(key) ?? whole);
      if (Array.isArray(one)) return one.map(fill);
      return isShape(one)
        ? Object.fromEntries(Object.entries(one).map(([key, held]) => [key, fill(held)]))
        : one;
    };
    return fill(value) as Value;
  }
}

/** Members of a file with hooks that are for people. */
function isRemark(key: string): boolean {
  return /^(?:description|name|version|[$_/].*)$/.test(key);
}

/** The definition of a server wins over the variables of its plugin. */
function withVariables(server: McpServer, variables: Readonly<Record<string, string>>): McpServer {
  return server.type === "stdio" ? { ...server, env: { ...variables, ...server.env } } : server;
}
