/**
 * `npm run docs:api [-- PACKAGE … | path of a source]`: checks that every exported name and every public member of the
 * packages is documented, that every exported function and class has an example, and that the examples compile.
 *
 * Prints the coverage of each package. With names of packages, only those are checked.
 */

import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { isAbsolute, join } from "node:path";
import { fileURLToPath } from "node:url";
import { API, ModifierFlags, SignatureKind, SymbolFlags, TypeFlags } from "typescript/unstable/sync";
import { entries } from "./entries.mjs";
import { ROOT } from "./doc-blocks.mjs";

/** Shared by the packages and not an API for others. */
const INTERNAL = "@runahead/base";

/** The name of the package in each folder. */
const PACKAGES = new Map(
  entries().map(({ name, source }) => [
    source.split("/")[1],
    name.startsWith("@") ? name.split("/").slice(0, 2).join("/") : name,
  ]),
);

/** Compiles sources in a folder that resolves packages as the repository does, and calls `look` with the compiler. */
function withCompiler(files, look) {
  const folder = mkdtempSync(join(tmpdir(), "runahead-api-docs-"));
  const api = new API({ cwd: ROOT });
  try {
    symlinkSync(`${ROOT}/node_modules`, join(folder, "node_modules"));
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    const paths = files.map(({ name, source, text }) => {
      if (text === undefined) return source;
      writeFileSync(join(folder, name), text);
      return join(folder, name);
    });
    const config = join(folder, "tsconfig.json");
    writeFileSync(config, JSON.stringify(configFor(paths)));
    const [project] = api.updateSnapshot({ openProjects: [config] }).getProjects();
    return look(project, paths);
  } finally {
    api.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function configFor(files) {
  const sources = entries().map(({ name, source }) => [name, [`${ROOT}/${source}`]]);
  const compilerOptions = {
    typeRoots: [`${ROOT}/node_modules/@types`],
    moduleDetection: "force",
    noUnusedLocals: false,
    noUnusedParameters: false,
    verbatimModuleSyntax: false,
    paths: Object.fromEntries(sources),
  };
  return { extends: `${ROOT}/tsconfig.json`, compilerOptions, files, include: [] };
}

/**
 * Lists every exported name and public member once, where it is declared, with the members of types that have no name. A
 * member of several parts of a union needs its documentation in one of them.
 */
class Surface {
  #project;
  #checker;
  #paths;
  #seen = new Map();
  /** From which entry each exported name can be imported. */
  exportedBy = new Map();

  constructor(project, paths) {
    this.#project = project;
    this.#paths = paths;
    this.#checker = project.checker;
  }

  get items() {
    return [...this.#seen.values()];
  }

  addModule(path, entry) {
    const module = this.#checker.getSymbolAtLocation(this.#project.program.getSourceFile(path));
    for (const exported of this.#checker.getExportsOfModule(module)) {
      if (!this.exportedBy.has(exported.name)) this.exportedBy.set(exported.name, entry);
      const isAlias = (exported.flags & SymbolFlags.Alias) !== 0;
      const symbol = isAlias ? this.#checker.getAliasedSymbol(exported) : exported;
      this.#addExport(symbol, isAlias && this.#isTypeOnly(exported));
    }
  }

  /** Whether it is exported by `export { type X }` or `export type { X }`. */
  #isTypeOnly(exported) {
    const node = exported.declarations[0]?.resolve(this.#project);
    return node?.isTypeOnly === true || node?.parent?.parent?.isTypeOnly === true;
  }

  /** A class of which only the type is exported is shown by the function that creates it. */
  #addExport(symbol, isTypeOnly) {
    const isEntryPoint = !isTypeOnly && (this.#isFunction(symbol) || this.#isClass(symbol));
    if (!this.#add(symbol, symbol.name, { isEntryPoint, namesakes: [symbol] })) return;
    if ((symbol.flags & (SymbolFlags.Interface | SymbolFlags.Class | SymbolFlags.TypeAlias)) === 0) return;
    this.#addMembers(symbol.name, this.#parts(this.#checker.getDeclaredTypeOfSymbol(symbol)));
  }

  #addMembers(owner, types) {
    const members = types.flatMap((type) => this.#checker.getPropertiesOfType(type));
    const isUnion = types.length > 1;
    for (const member of members) {
      if (!this.#isPublic(member) || (isUnion && this.#isDiscriminant(member))) continue;
      const namesakes = members.filter(({ name }) => name === member.name);
      const name = `${owner}.${member.name}`;
      if (!this.#add(member, name, { namesakes: isUnion ? namesakes : [member] })) continue;
      this.#addMembers(name, this.#unnamed(this.#checker.getTypeOfSymbol(member)));
    }
  }

  /** The object types without a name that a member has, or a list of them. */
  #unnamed(type) {
    return this.#parts(type)
      .flatMap((part) => (this.#checker.isArrayType(part) ? this.#elements(part) : [part]))
      .filter((part) => part.getSymbol()?.name === "__type");
  }

  #elements(list) {
    return this.#checker.getTypeArguments(list).flatMap((element) => this.#parts(element));
  }

  /** A member with one literal as its type, which documents itself in a union. */
  #isDiscriminant(member) {
    const type = this.#checker.getTypeOfSymbol(member);
    return (type.flags & (TypeFlags.StringLiteral | TypeFlags.BooleanLiteral)) !== 0;
  }

  #isFunction(symbol) {
    if ((symbol.flags & (SymbolFlags.Function | SymbolFlags.Variable)) === 0) return false;
    const type = this.#checker.getTypeOfSymbol(symbol);
    return this.#checker.getSignaturesOfType(type, SignatureKind.Call).length > 0;
  }

  /** Errors are caught, not made, so a class of errors needs no example. */
  #isClass(symbol) {
    if ((symbol.flags & SymbolFlags.Class) === 0) return false;
    const names = this.#checker.getPropertiesOfType(this.#checker.getDeclaredTypeOfSymbol(symbol));
    return !["name", "message", "stack"].every((name) => names.some((member) => member.name === name));
  }

  /** The members of a union, or the type itself. */
  #parts(type) {
    const parts = (type.flags & TypeFlags.Union) === 0 ? [type] : type.getTypes();
    return parts.filter(({ flags }) => (flags & (TypeFlags.Object | TypeFlags.Intersection)) !== 0);
  }

  #isPublic(member) {
    const node = member.declarations[0]?.resolve(this.#project);
    if (node === undefined || !/^[\w$~-]+$/.test(member.name)) return false;
    return ((node.modifierFlags ?? 0) & (ModifierFlags.Private | ModifierFlags.Protected)) === 0;
  }

  /** Returns false for names that are declared outside of the checked sources, or are already known. */
  #add(symbol, name, { isEntryPoint, namesakes }) {
    const declaration = symbol.declarations[0];
    const owner = this.#ownerOf(declaration?.path ?? "");
    const node = declaration?.resolve(this.#project);
    if (node === undefined || owner === undefined) return false;
    const key = `${declaration.path}:${node.pos}`;
    if (this.#seen.has(key)) return false;
    const { line } = node.getSourceFile().getLineAndCharacterOfPosition(node.getStart());
    this.#seen.set(key, {
      name,
      owner,
      where: `${declaration.path.replace(ROOT, "")}:${line + 1}`,
      isDocumented: namesakes.some((one) => this.#hasText(one)),
      needsExample: isEntryPoint === true,
      examples: this.#examplesOf(symbol),
    });
    return true;
  }

  #hasText(symbol) {
    return this.#checker.getDocumentationCommentOfSymbol(symbol).trim() !== "";
  }

  #examplesOf(symbol) {
    const tags = this.#checker.getJsDocTagsOfSymbol(symbol).filter(({ name }) => name === "example");
    return tags.map(({ text = "" }) => text);
  }

  /** Returns the package of a source. A source that was named on the command line is its own package. */
  #ownerOf(path) {
    if (this.#paths.includes(path) && !path.startsWith(ROOT)) return path;
    const [, folder] = /^packages\/([^/]+)\/src\//.exec(path.replace(ROOT, "")) ?? [];
    return folder === undefined ? undefined : PACKAGES.get(folder);
  }
}

const FENCE = /^```ts\n([^]*?)\n```$/m;

/** Returns the problems of one exported name or member. */
function problemsOf({ name, where, isDocumented, needsExample, examples }) {
  const problems = isDocumented ? [] : [`${where}: ${name} is not documented`];
  if (needsExample && examples.length === 0) problems.push(`${where}: ${name} has no @example`);
  if (examples.some((text) => !FENCE.test(text)))
    problems.push(`${where}: the @example of ${name} must be a block that begins with \`\`\`ts`);
  return problems;
}

/** Names that a short example can use without declaring them. */
const GIVEN = {
  homedir: 'import { homedir } from "node:os";',
  readFile: 'import { readFile } from "node:fs/promises";',
  writeFile: 'import { writeFile } from "node:fs/promises";',
  cwd: "declare const cwd: string;",
  home: "declare const home: string;",
  env: "declare const env: NodeJS.ProcessEnv;",
  key: "declare const key: string;",
  signal: "declare const signal: AbortSignal;",
  prompt: "declare const prompt: string;",
  text: "declare const text: string;",
  journalPath: "declare const journalPath: string;",
  model: 'declare const model: import("@runahead/agent").Model;',
  tools: 'declare const tools: readonly import("@runahead/engine").AnyTool[];',
  context: 'declare const context: import("@runahead/engine").CallContext;',
  agent: 'declare const agent: import("@runahead/agent").Agent;',
  event: 'declare const event: import("@runahead/agent").AgentEvent;',
  view: 'declare const view: import("@runahead/agent").AgentView;',
  recorder: 'declare const recorder: import("@runahead/agent/timeline").TimelineRecorder;',
  timeline: 'declare const timeline: import("@runahead/agent/timeline").Timeline;',
  settings: 'declare const settings: import("@runahead/harness").LoadedSettings;',
  schema: 'declare const schema: import("@runahead/harness").Schema;',
  // The names of other libraries' functions and options.
  tool: "declare const tool: any;",
  betaZodTool: "declare const betaZodTool: any;",
  inputSchema: "declare const inputSchema: any;",
  execute: "declare const execute: any;",
  run: "declare const run: any;",
};

/** A short example need not import what the packages export. */
function withImports(code, exportedBy) {
  const declared = new Set(
    [
      ...code.matchAll(/\b(?:const|let|function|class|type|interface)\s+(\w+)|\{([^{}]*)\}\s*(?:=|from)/g),
    ].flatMap(([, name, names = ""]) => [name, ...names.split(/[\s,:]+/)]),
  );
  const used = new Set(code.match(/(?<!(?:^|[^.])\.)(?<![\w"'`])[A-Za-z_]\w*/g) ?? []);
  const free = [...used].filter((name) => !declared.has(name));
  const lines = free.flatMap((name) => {
    const entry = exportedBy.get(name);
    if (entry !== undefined) return [`import { ${name} } from "${entry}";`];
    return Object.hasOwn(GIVEN, name) ? [GIVEN[name]] : [];
  });
  return [...lines, code].join("\n");
}

/** Compiles each example as a module of its own. */
function compileExamples(items, exportedBy) {
  const files = items.flatMap(({ name, where, examples }) =>
    examples.flatMap((text, at) => {
      const code = FENCE.exec(text)?.[1];
      return code === undefined
        ? []
        : [{ name: `example-${name}-${at}.ts`, where, text: withImports(code, exportedBy) }];
    }),
  );
  if (files.length === 0) return [];
  return withCompiler(files, ({ program }, paths) =>
    paths.flatMap((path, at) =>
      [...program.getSyntacticDiagnostics(path), ...program.getSemanticDiagnostics(path)].map(
        (diagnostic) => `${files[at].where}: the @example does not compile: ${diagnostic.text}`,
      ),
    ),
  );
}

function surfaceOf(named) {
  const modules = named.some(isAbsolute)
    ? named.map((source) => ({ name: source, source }))
    : entries()
        .filter(({ name }) => !name.startsWith(INTERNAL))
        .map(({ name, source }) => ({ name, source: `${ROOT}${source}` }));
  const paths = modules.map(({ source }) => source);
  const sources = paths.map((source) => ({ source }));
  return withCompiler(sources, (project) => {
    const surface = new Surface(project, paths);
    for (const { name, source } of modules) surface.addModule(source, name);
    const items = surface.items.filter(({ owner }) => owner !== INTERNAL);
    return { items, exportedBy: surface.exportedBy };
  });
}

/** `12 of 15 documented (80 %)`, and so on, for each package. */
function printCoverage(items) {
  for (const owner of new Set(items.map((item) => item.owner))) {
    const own = items.filter((item) => item.owner === owner);
    const documented = own.filter(({ isDocumented }) => isDocumented).length;
    const entryPoints = own.filter(({ needsExample }) => needsExample);
    const shown = entryPoints.filter(({ examples }) => examples.length > 0).length;
    console.log(
      `${owner}: ${documented} of ${own.length} documented (${Math.floor((100 * documented) / own.length)} %), ` +
        `${shown} of ${entryPoints.length} entry points with an example`,
    );
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const named = process.argv.slice(2);
  const { items, exportedBy } = surfaceOf(named);
  printCoverage(items);
  const checked = items.filter(({ owner }) => named.length === 0 || named.includes(owner));
  const problems = [...checked.flatMap(problemsOf), ...compileExamples(checked, exportedBy)];
  // Not on stderr, where the compiler writes too when it is closed.
  for (const problem of problems) console.log(`✗ ${problem}`);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
