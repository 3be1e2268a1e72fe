import { mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { runTools } from "@runahead/engine";
import { expect, onTestFinished, test } from "vitest";
import { createFileMemory, type LanguageServers, createLanguageServers, fileTools } from "../../src/index.ts";
import { TestFolder } from "../support/file-tool-calls.ts";

const BIN = fileURLToPath(new URL("../../../../node_modules/.bin", import.meta.url));
const ENV = { ...process.env, PATH: [BIN, dirname(process.execPath), process.env["PATH"]].join(delimiter) };
const LIMIT_MS = 60_000;
/** A server on a busy machine can answer while it still loads the project. */
const LOADING = /\n*\[The language server is still loading[^\]]*\]/;

class World {
  readonly folder = new TestFolder();
  readonly root: string;
  readonly servers: LanguageServers;
  readonly #memory = createFileMemory();

  constructor() {
    this.root = join(this.folder.path, "project");
    mkdirSync(join(this.root, ".git"), { recursive: true });
    this.servers = createLanguageServers({ root: this.root, home: this.folder.at("home"), env: ENV });
    onTestFinished(() => this.servers.close());
  }

  write(name: string, text: string): void {
    writeFileSync(join(this.root, name), text);
  }

  async call(name: string, input: object): Promise<string> {
    const all = [...fileTools(this.#memory, { languageServers: this.servers }), ...this.servers.tools()];
    const options = { tools: all, context: { cwd: this.root } };
    for await (const update of runTools([{ id: "1", name, input }], options))
      if (update.type === "result") return String(update.result.content).replace(LOADING, "");
    throw new Error("the call has no result");
  }

  /** What the result of a call says, or else the news after it. */
  async diagnostics(name: string, input: object): Promise<string> {
    const said = await this.call(name, input);
    if (said.includes("Diagnostics of")) return said;
    for (const end = Date.now() + LIMIT_MS; Date.now() < end; await pause(50)) {
      const news = this.servers.takeNews(undefined);
      if (news !== undefined) return news;
    }
    throw new Error(`no diagnostics: ${said} ${JSON.stringify(this.servers.list())}`);
  }
}

test("TypeScript: diagnostics after Write and Edit, and answers of the LSP tool", {
  timeout: 120_000,
}, async () => {
  const world = new World();
  world.write(
    "lib.ts",
    "/** Adds. */\nexport function add(a: number, b: number): number {\n  return a + b;\n}\n",
  );
  const text = 'import { add } from "./lib";\nexport const sum: string = add(1, 2);\n';
  expect(await world.diagnostics("Write", { file_path: "main.ts", content: text })).toContain(
    "2:14 error: Type 'number' is not assignable to type 'string'. [ts 2322]",
  );
  const edit = { file_path: "main.ts", old_string: "add(1, 2)", new_string: "String(addd(1))" };
  expect(await world.diagnostics("Edit", edit)).toContain("Cannot find name 'addd'");
  await world.call("Edit", { file_path: "main.ts", old_string: "addd(1)", new_string: "add(1, 2)" });
  const at = { filePath: "main.ts", line: 2, symbol: "add" };
  expect(await world.call("LSP", { operation: "goToDefinition", ...at })).toBe(
    "lib.ts:2:17: export function add(a: number, b: number): number {",
  );
  expect(await world.call("LSP", { operation: "hover", ...at })).toContain("Adds.");
  expect(await world.call("LSP", { operation: "findReferences", ...at })).toContain("main.ts:2:");
  expect(await world.call("LSP", { operation: "documentSymbol", filePath: "lib.ts" })).toBe(
    "2: function add",
  );
  expect(await world.call("LSP", { operation: "workspaceSymbol", query: "add" })).toContain(
    "lib.ts:2:17: function add",
  );
  expect(await world.call("LSP", { operation: "diagnostics", filePath: "main.ts" })).toBe("No diagnostics.");
  expect(
    await world.call("LSP", { operation: "hover", filePath: "main.ts", line: 2, symbol: "nope" }),
  ).toContain("Line 2 does not contain nope.");
});

test("Pyright publishes diagnostics on its own, and they are reported", { timeout: 120_000 }, async () => {
  const world = new World();
  const text = "def size(name: str) -> int:\n    return name\n";
  expect(await world.diagnostics("Write", { file_path: "a.py", content: text })).toContain(
    '2:12 error: Type "str" is not assignable to return type "int"',
  );
});

test("bash-language-server answers about shell scripts", { timeout: 120_000 }, async () => {
  const world = new World();
  world.write("run.sh", "greet() {\n  echo hello\n}\ngreet\n");
  await world.call("Write", { file_path: "other.sh", content: "echo\n" });
  const at = { filePath: "run.sh", line: 4, symbol: "greet" };
  expect(await world.call("LSP", { operation: "goToDefinition", ...at })).toBe("run.sh:1:1: greet() {");
});
