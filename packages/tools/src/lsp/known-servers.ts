/** Language servers that are used if they are installed. */

import { existsSync, readFileSync, readdirSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

export interface KnownServer {
  readonly name: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly languages: Readonly<Record<string, string>>;
  /**
   * `never`: it runs nothing that the workspace contains, so it also starts in folders that are not trusted. `always`: it
   * can run build scripts, plugins or programs of the workspace, or this is not known.
   */
  readonly needsTrust: "never" | "always";
  /** Returns whether the program that was found is a language server. Default: yes. */
  readonly isUsable?: (program: string, env: Environment) => boolean;
  /** What it gets if it asks for its configuration. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Options that depend on the trust; undefined: it does not start. */
  readonly options?: (program: string, isTrusted: boolean) => object | undefined;
}

const SCRIPTS = {
  ".ts": "typescript",
  ".mts": "typescript",
  ".cts": "typescript",
  ".tsx": "typescriptreact",
  ".js": "javascript",
  ".mjs": "javascript",
  ".cjs": "javascript",
  ".jsx": "javascriptreact",
};
const PYTHON = { ".py": "python", ".pyi": "python" };
const C = {
  ".c": "c",
  ".h": "c",
  ".cc": "cpp",
  ".cpp": "cpp",
  ".cxx": "cpp",
  ".hpp": "cpp",
  ".hh": "cpp",
  ".m": "objective-c",
  ".mm": "objective-cpp",
};

/** Without this, it installs packages of types into the home folder. Nobody has approved that. */
const noTypes = {
  disableAutomaticTypeAcquisition: true,
  tsserver: { automaticTypeAcquisition: { enabled: false } },
};
const native = {
  args: ["--lsp", "--stdio"],
  languages: SCRIPTS,
  needsTrust: "never",
  settings: { typescript: noTypes, javascript: noTypes, "js/ts": noTypes },
} as const;
const stdio = ["--stdio"];

/** The first one that is installed is used for an extension. */
export const KNOWN_SERVERS: readonly KnownServer[] = [
  {
    name: "typescript-language-server",
    program: "typescript-language-server",
    args: stdio,
    languages: SCRIPTS,
    needsTrust: "never",
    options: typescriptOptions,
  },
  { name: "tsgo", program: "tsgo", ...native },
  { name: "tsc", program: "tsc", isUsable: isNativeTypescript, ...native },
  { name: "pyright", program: "pyright-langserver", args: stdio, languages: PYTHON, needsTrust: "never" },
  {
    name: "basedpyright",
    program: "basedpyright-langserver",
    args: stdio,
    languages: PYTHON,
    needsTrust: "never",
  },
  { name: "clangd", program: "clangd", args: [], languages: C, needsTrust: "never" },
  {
    name: "bash-language-server",
    program: "bash-language-server",
    args: ["start"],
    languages: { ".sh": "shellscript", ".bash": "shellscript" },
    needsTrust: "never",
  },
  {
    name: "json",
    program: "vscode-json-language-server",
    args: stdio,
    languages: { ".json": "json", ".jsonc": "jsonc" },
    needsTrust: "never",
  },
  {
    name: "css",
    program: "vscode-css-language-server",
    args: stdio,
    languages: { ".css": "css", ".scss": "scss", ".less": "less" },
    needsTrust: "never",
  },
  {
    name: "html",
    program: "vscode-html-language-server",
    args: stdio,
    languages: { ".html": "html", ".htm": "html" },
    needsTrust: "never",
  },
  careful("gopls", [], { ".go": "go" }),
  { ...careful("rust-analyzer", [], { ".rs": "rust" }), isUsable: isRustAnalyzer },
  careful("pylsp", [], PYTHON),
  careful("jdtls", [], { ".java": "java" }),
  careful("kotlin-language-server", [], { ".kt": "kotlin", ".kts": "kotlin" }),
  careful("csharp-ls", [], { ".cs": "csharp" }),
  careful("ruby-lsp", [], { ".rb": "ruby" }),
  careful("solargraph", ["stdio"], { ".rb": "ruby" }),
  careful("intelephense", stdio, { ".php": "php" }),
  careful("phpactor", ["language-server"], { ".php": "php" }),
  careful("lua-language-server", [], { ".lua": "lua" }),
  careful("zls", [], { ".zig": "zig" }),
  careful("sourcekit-lsp", [], { ".swift": "swift" }),
  careful("dart", ["language-server"], { ".dart": "dart" }),
  careful("elixir-ls", [], { ".ex": "elixir", ".exs": "elixir" }),
  careful("haskell-language-server-wrapper", ["--lsp"], { ".hs": "haskell" }),
  careful("ocamllsp", [], { ".ml": "ocaml", ".mli": "ocaml.interface" }),
  careful("terraform-ls", ["serve"], { ".tf": "terraform" }),
  careful("yaml-language-server", stdio, { ".yaml": "yaml", ".yml": "yaml" }),
  careful("svelteserver", stdio, { ".svelte": "svelte" }),
  careful("nil", [], { ".nix": "nix" }),
];

function careful(program: string, args: readonly string[], languages: KnownServer["languages"]): KnownServer {
  return { name: program, program, args, languages, needsTrust: "always" };
}

/** By default it runs the compiler of the workspace. */
function typescriptOptions(program: string, isTrusted: boolean): object | undefined {
  const usual = { disableAutomaticTypingAcquisition: true };
  if (isTrusted) return usual;
  const path = compilerBeside(program);
  return path === undefined ? undefined : { ...usual, tsserver: { path } };
}

/** The compiler that is installed next to the server, outside of the workspace. */
function compilerBeside(program: string): string | undefined {
  const parts = realpathSync(program).split("/");
  const at = parts.lastIndexOf("node_modules");
  if (at < 0) return undefined;
  const path = join(parts.slice(0, at + 1).join("/"), "typescript", "lib", "tsserver.js");
  return existsSync(path) ? path : undefined;
}

/** rustup puts a program of this name into PATH also if its component is not installed. */
function isRustAnalyzer(program: string, env: Environment): boolean {
  try {
    if (basename(realpathSync(program)) !== "rustup") return true;
    const toolchains = join(env["RUSTUP_HOME"] ?? join(env["HOME"] ?? homedir(), ".rustup"), "toolchains");
    return readdirSync(toolchains).some((name) => existsSync(join(toolchains, name, "bin/rust-analyzer")));
  } catch {
    return false;
  }
}

const NATIVE_MAJOR = 7;

/** The compiler speaks the protocol itself from version 7 on. */
function isNativeTypescript(program: string): boolean {
  try {
    const manifest = join(dirname(dirname(realpathSync(program))), "package.json");
    const { name, version } = JSON.parse(readFileSync(manifest, "utf8")) as Record<string, unknown>;
    return name === "typescript" && Number(String(version).split(".")[0]) >= NATIVE_MAJOR;
  } catch {
    return false;
  }
}
