/**
 * The API reference: one page per symbol, made from TSDoc by typedoc. This file gives each page a plain heading with an
 * import line, and lists the pages by task.
 */

import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { ROOT } from "./doc-blocks.mjs";
import { entries } from "./entries.mjs";

/** What people want to do, and where the symbols for it are declared. The longest path that fits decides. */
const TASKS = [
  [
    "Define tools",
    "engine/src/runtime/tool.ts",
    "engine/src/core/access.ts",
    "engine/src/runtime/file-place.ts",
  ],
  ["Run calls", "engine/src/runtime", "engine/src/core", "engine/src/cache"],
  ["Read a model's stream", "engine/src/wire"],
  ["Reuse results of tools", "engine/src/cache"],
  [
    "Recover after a crash",
    "engine/src/runtime/recover.ts",
    "engine/src/runtime/memory-journal.ts",
    "engine/src/history",
  ],
  ["Allow, ask and deny", "permissions/src", "agent/src/gate"],
  ["Parse shell commands", "permissions/src/bash"],
  ["Run an agent", "agent/src", "base/src/end-reason.ts"],
  ["Choose a model", "agent/src/model"],
  ["Keep sessions", "agent/src/session"],
  ["Add hooks", "agent/src/hooks"],
  ["Start sub-agents", "agent/src/agents"],
  ["Build a user interface", "agent/src/view"],
  ["Record a timeline", "agent/src/timeline", "harness/src/timeline.ts"],
  ["Export telemetry", "agent/src/telemetry"],
  ["Use the built-in tools", "tools/src"],
  ["Connect MCP servers", "mcp/src", "harness/src/settings/mcp"],
  ["Integrate other SDKs", "adapters/src", "tools/src/adapted"],
  ["Embed the coding agent", "harness/src", "base/src"],
  ["Load settings and trust", "harness/src/settings", "harness/src/trust"],
  ["Take snapshots of files", "harness/src/snapshots"],
  ["Run tools on other machines", "workers/src"],
  ["Let the model write scripts", "code/src"],
  ["Test tools and agents", "testing/src"],
  ["Store sessions in Postgres", "postgres/src"],
  ["Run agents on many machines", "fleet/src"],
  ["Let the model write code that calls tools", "code/src"],
  ["Test tools and agents", "testing/src"],
];

const KINDS = {
  functions: "function",
  classes: "class",
  variables: "constant",
  interfaces: "interface",
  "type-aliases": "type",
};

/** Functions, classes and constants are what a program calls; the rest are the types of these. */
const isCalled = ({ kind }) => ["function", "class", "constant"].includes(kind);

/** Rewrites the pages that typedoc has made below `reference/`, writes its first page, and returns the symbols. */
export function writeReference(folder) {
  const symbols = entries().flatMap((entry) => symbolsOf(folder, entry));
  for (const symbol of symbols) rewriteSymbol(folder, symbol);
  const described = symbols.map((symbol) => ({ ...symbol, about: firstSentence(folder, symbol) }));
  const tasks = TASKS.map(([task]) => ({
    task,
    symbols: described.filter((symbol) => symbol.task === task),
  }));
  const used = tasks.filter(({ symbols: own }) => own.length > 0);
  writeFileSync(join(folder, "reference", "index.md"), firstPage(used, modules(folder)));
  return used.flatMap(({ symbols: own }) => own);
}

/** Exports of a package that no task has, because a new folder is not in the list. */
export function exportsWithoutTask() {
  return entries().flatMap(({ source }) =>
    [...new Set(originsOf(source).values())].filter((path) => tasksWith(path).length === 0),
  );
}

function symbolsOf(folder, { name: module, source }) {
  const origins = originsOf(source);
  return Object.entries(KINDS).flatMap(([kinds, kind]) => {
    const pages = posix.join("reference", module, kinds);
    if (!existsSync(join(folder, pages))) return [];
    return readdirSync(join(folder, pages)).map((file) => {
      const name = file.replace(/\.md$/, "");
      const task = taskOf(origins.get(name) ?? source);
      return { page: posix.join(pages, file), name, kind, module, task };
    });
  });
}

/** Where each name that an entry exports is declared, as far as its export statements say. */
function originsOf(source) {
  const text = readFileSync(`${ROOT}/${source}`, "utf8");
  const statements = [...text.matchAll(/^export (?:type )?\{([^}]*)\} from "([^"]+)"/gm)];
  return new Map(
    statements.flatMap(([, names, from]) =>
      names
        .split(",")
        .map((name) => [
          name.trim().replace(/^type |.* as /g, ""),
          from.startsWith(".") ? posix.join(posix.dirname(source), from) : source,
        ]),
    ),
  );
}

function taskOf(path) {
  const [best] = tasksWith(path).toSorted((one, other) => other.place.length - one.place.length);
  if (best === undefined) throw new Error(`scripts/site-reference.mjs: no task has ${path}`);
  return best.task;
}

function tasksWith(path) {
  return TASKS.flatMap(([task, ...places]) =>
    places.filter((place) => path.startsWith(`packages/${place}`)).map((place) => ({ task, place })),
  );
}

/** "Function: defineTool()" becomes the name, what it is, and how it is imported. */
function rewriteSymbol(folder, { page, name, kind, module }) {
  const path = join(folder, page);
  const type = isCalled({ kind }) ? "" : "type ";
  const heading = `# ${name}\n\n\`\`\`ts\nimport { ${type}${name} } from "${module}";\n\`\`\``;
  const text = readFileSync(path, "utf8")
    .replace(/^# .*$/m, () => heading)
    // Parameters that are destructured have no name in the types.
    .replaceAll("__namedParameters", "options");
  writeFileSync(path, text);
}

/** The summary of a symbol: its first sentence outside of code. */
function firstSentence(folder, { page }) {
  const text = readFileSync(join(folder, page), "utf8").replaceAll(/^```[^]*?^```$/gm, "");
  const [summary = ""] = text
    .split(/\n\s*\n/)
    .map((part) => part.trim())
    .filter((part) => part !== "" && !/^(?:#|\||>|\*\*\*)/.test(part));
  const plain = summary.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll(/\s+/g, " ");
  return /^.*?[.!?](?=\s|$)/.exec(plain)?.[0] ?? plain.replace(/:$/, ".");
}

function modules(folder) {
  return entries().filter(({ name }) => existsSync(join(folder, "reference", name, "index.md")));
}

function firstPage(tasks, packages) {
  const link = ({ page, name }) => `[\`${name}\`](./${posix.relative("reference", page)})`;
  const sections = tasks.map(({ task, symbols }) => {
    const called = symbols.filter(isCalled);
    const types = symbols
      .filter((symbol) => !isCalled(symbol))
      .toSorted((one, other) => one.name.localeCompare(other.name));
    const rows = called.map((symbol) => `| ${link(symbol)} | ${symbol.about.replaceAll("|", "\\|")} |`);
    const table = rows.length === 0 ? [] : [["| | |", "|---|---|", ...rows].join("\n")];
    const listed = types.length === 0 ? [] : [`Types: ${types.map(link).join(", ")}`];
    return [`## ${task}`, ...table, ...listed].join("\n\n");
  });
  const byPackage = packages.map(({ name }) => `- [${name}](./${name}/index.md)`).join("\n");
  return [
    "# Reference",
    "Every exported symbol, by what you want to do. Press `/` or Ctrl+K to search; the search works offline.",
    ...sections,
    `## By package\n\n${byPackage}`,
    "",
  ].join("\n\n");
}
