/** The LSP tool: questions to language servers. It changes nothing. */

import { relative } from "node:path";
import { limitedSignal, unlessStopped } from "@runahead/base";
import { type CallContext, defineTool, type AnyTool } from "@runahead/engine";
import { z } from "zod";
import { claimFile, judgedPath, targetOf } from "../files/file-path.ts";
import { Refusal } from "../shared/refusal.ts";
import type { Connection } from "./connection.ts";
import { diagnosticLines } from "./diagnostic-news.ts";
import { isInside } from "./find-servers.ts";
import { realPath } from "../sandbox/sandbox-paths.ts";
import { textOf } from "./file-content.ts";
import type { ServerAccess } from "./language-servers.ts";
import { type Location, hoverIn, kindName, locationsIn, symbolsIn, uriOf } from "./protocol.ts";
import { NoAnswer, ServerError } from "./rpc.ts";

const REQUEST_MS = 20_000;
const CALL_MS = 60_000;
const SETTLE_MS = 10_000;
const READING_MS = 3_000;
const SHOWN = 100;
const WARNING = 2;
const LINE_CHARS = 200;
const HOVER_CHARS = 4_000;

const OPERATIONS = [
  "goToDefinition",
  "goToImplementation",
  "findReferences",
  "hover",
  "documentSymbol",
  "workspaceSymbol",
  "diagnostics",
] as const;

const inputSchema = z.object({
  operation: z.enum(OPERATIONS),
  filePath: z
    .string()
    .min(1)
    .optional()
    .describe("Path of the file, absolute or relative to the working directory (not for workspaceSymbol)"),
  line: z.int().min(1).optional().describe("Line of the symbol, from 1, as Read shows it"),
  character: z.int().min(1).optional().describe("Column of the symbol, from 1 (default: that of `symbol`)"),
  symbol: z.string().min(1).optional().describe("The symbol's text on that line, instead of character"),
  query: z.string().optional().describe("Name or part of it (workspaceSymbol)"),
});

type Input = z.infer<typeof inputSchema>;

interface LspOutput {
  readonly text: string;
}

const FEATURES = {
  goToDefinition: ["definitionProvider", "textDocument/definition"],
  goToImplementation: ["implementationProvider", "textDocument/implementation"],
  findReferences: ["referencesProvider", "textDocument/references"],
  hover: ["hoverProvider", "textDocument/hover"],
} as const;

export function lspTool(access: ServerAccess): AnyTool {
  return defineTool({
    name: "LSP",
    description:
      "Asks a language server about code: where a symbol is defined, implemented or used, its type and documentation (hover), the symbols of a file or of the workspace, and current diagnostics (errors and warnings). More exact than a text search. Name the position with line and symbol.",
    inputSchema,
    isReadOnly: () => true,
    interruptBehavior: () => "cancel",
    timeoutMs: () => CALL_MS,
    access: (input, { cwd }) =>
      input.filePath === undefined
        ? [{ mode: "read", place: `fs:${access.root}` }]
        : claimFile(input, targetOf(input.filePath, cwd), { mode: "read", suggests: false }),
    describe: ({ operation, filePath, symbol, query }) =>
      `LSP ${operation}${[symbol ?? query, filePath].map((part) => (part === undefined ? "" : ` ${part}`)).join("")}`,
    call: async (input, context): Promise<LspOutput> => ({
      text: await new LspCall(access, input, context).answer(),
    }),
    toResult: ({ text }) => text,
  });
}

class LspCall {
  readonly #access: ServerAccess;
  readonly #input: Input;
  readonly #context: CallContext;
  #hidden = 0;

  constructor(access: ServerAccess, input: Input, context: CallContext) {
    this.#access = access;
    this.#input = input;
    this.#context = context;
  }

  async answer(): Promise<string> {
    const { operation } = this.#input;
    try {
      const text = await this.#answerTo(operation);
      const left =
        this.#hidden === 0 ? "" : `\n[${this.#hidden} in files that rules deny reading are left out.]`;
      return `${text}${left}`;
    } catch (error) {
      if (error instanceof NoAnswer) throw new Refusal(`The language server failed: ${error.message}.`);
      if (error instanceof ServerError)
        throw new Refusal(`The language server refused ${operation}: ${error.message.slice(0, 500)}`);
      throw error;
    }
  }

  #answerTo(operation: Input["operation"]): Promise<string> {
    switch (operation) {
      case "workspaceSymbol":
        return this.#workspaceSymbols();
      case "documentSymbol":
        return this.#documentSymbols();
      case "diagnostics":
        return this.#input.filePath === undefined ? this.#allDiagnostics() : this.#diagnostics();
      default:
        return this.#atPosition(operation);
    }
  }

  async #atPosition(operation: keyof typeof FEATURES): Promise<string> {
    const { path, text, connection } = await this.#file();
    const [feature, method] = FEATURES[operation];
    this.#need(connection, feature, operation);
    const params = {
      textDocument: { uri: uriOf(path) },
      position: this.#position(text),
      ...(operation === "findReferences" ? { context: { includeDeclaration: true } } : {}),
    };
    const result = await this.#askAbout(path, connection, () => this.#ask(connection, method, params));
    if (operation === "hover") {
      await this.#mustBeShown(connection, params);
      const hover = hoverIn(result).slice(0, HOVER_CHARS);
      return hover === "" ? withBusy("No information about this position.", connection) : hover;
    }
    const found = await this.#locations(locationsIn(result));
    return found === "" ? withBusy("Nothing found.", connection) : withBusy(found, connection);
  }

  /** What a server says about a symbol can be the code that defines it. */
  async #mustBeShown(connection: Connection, params: unknown): Promise<void> {
    if (!connection.can("definitionProvider")) return;
    const defined = await this.#ask(connection, "textDocument/definition", params).catch((error: unknown) => {
      if (error instanceof ServerError) return null;
      throw error;
    });
    if (locationsIn(defined).some(({ path }) => !this.#access.mayShow(path)))
      throw new Refusal("Not shown: the symbol is defined in a file that rules deny reading.");
  }

  async #documentSymbols(): Promise<string> {
    const { path, connection } = await this.#file();
    this.#need(connection, "documentSymbolProvider", "documentSymbol");
    const params = { textDocument: { uri: uriOf(path) } };
    const result = await this.#askAbout(path, connection, () =>
      this.#ask(connection, "textDocument/documentSymbol", params),
    );
    const lines = symbolsIn(result, path).map(
      ({ name, kind, depth, location }) =>
        `${"  ".repeat(depth)}${location.at.line + 1}: ${kindName(kind)} ${name}`,
    );
    return lines.length === 0 ? withBusy("The file has no symbols.", connection) : capped(lines);
  }

  async #workspaceSymbols(): Promise<string> {
    const { query, filePath } = this.#input;
    if (query === undefined) throw new Refusal("workspaceSymbol needs a query: a name or a part of it.");
    const connections =
      filePath === undefined ? await this.#access.workspaceConnections() : [(await this.#file()).connection];
    const able = connections.filter((connection) => connection.can("workspaceSymbolProvider"));
    if (able.length === 0)
      throw new Refusal(
        "No running language server lists symbols. Name a file of the language with filePath.",
      );
    const answers = await Promise.all(
      able.map((connection) => this.#ask(connection, "workspace/symbol", { query })),
    );
    const lines = answers
      .flatMap((answer) => symbolsIn(answer))
      .filter(({ location }) => this.#isShown(location.path))
      .map(({ name, kind, container, location }) => {
        const of = container === "" ? "" : ` (${container})`;
        return `${this.#place(location)}: ${kindName(kind)} ${name}${of}`;
      });
    return lines.length === 0 ? withBusy("No symbols match.", able[0]) : capped(lines);
  }

  async #diagnostics(): Promise<string> {
    const { path, text, connection } = await this.#file();
    const version = connection.sync(path, text);
    const limit = limitedSignal(this.#context.signal, SETTLE_MS);
    await connection.settled(path, version, limit);
    if (connection.isBusy && (connection.diagnosticsOf(path) ?? []).length === 0) {
      await connection.idle(limit);
      await connection.settled(path, version, limit);
    }
    const found = connection.diagnosticsOf(path);
    if (found === undefined)
      return withBusy("The language server has not answered yet. Call again.", connection);
    return withBusy(found.length === 0 ? "No diagnostics." : diagnosticLines(found).join("\n"), connection);
  }

  async #allDiagnostics(): Promise<string> {
    const connections = await this.#access.workspaceConnections();
    const parts = connections.flatMap((connection) =>
      connection.reportedFiles
        .filter((path) => this.#isShown(path))
        .flatMap((path) => {
          const problems = (connection.diagnosticsOf(path) ?? []).filter(
            ({ severity }) => severity <= WARNING,
          );
          return problems.length === 0
            ? []
            : [`${this.#shown(path)}:\n${diagnosticLines(problems).join("\n")}`];
        }),
    );
    if (parts.length === 0)
      return withBusy(
        "No problems are known. Servers report on files that are open: name one.",
        connections[0],
      );
    return capped(parts);
  }

  async #file(): Promise<{ readonly path: string; readonly text: string; readonly connection: Connection }> {
    const { filePath, operation } = this.#input;
    if (filePath === undefined) throw new Refusal(`${operation} needs filePath.`);
    const path = judgedPath(this.#input, targetOf(filePath, this.#context.cwd));
    const text = await textOf(path);
    if (text === undefined)
      throw new Refusal(`${filePath} cannot be read: it does not exist, is not a file, or is too large.`);
    const connection = await unlessStopped(this.#access.connectionFor(path), this.#context.signal);
    if (typeof connection === "string") throw new Refusal(connection);
    connection.sync(path, text);
    return { path, text, connection };
  }

  #position(text: string): { line: number; character: number } {
    const { line, character, symbol, operation } = this.#input;
    if (line === undefined) throw new Refusal(`${operation} needs a line, and a symbol or a character.`);
    const content = text.split("\n")[line - 1];
    if (content === undefined) throw new Refusal(`The file has no line ${line}.`);
    if (character !== undefined) return { line: line - 1, character: character - 1 };
    if (symbol === undefined)
      throw new Refusal(`${operation} needs a symbol or a character on line ${line}.`);
    const at = wordIn(content, symbol);
    if (at < 0)
      throw new Refusal(`Line ${line} does not contain ${symbol}. It is: ${content.trim().slice(0, 200)}`);
    return { line: line - 1, character: at };
  }

  #need(connection: Connection, feature: string, operation: string): void {
    if (!connection.can(feature))
      throw new Refusal(`The language server ${connection.server.name} does not support ${operation}.`);
  }

  #ask(connection: Connection, method: string, params: unknown): Promise<unknown> {
    return connection.request(method, params, { limitMs: REQUEST_MS, signal: this.#context.signal });
  }

  /** Servers answer with nothing while they load the project or read a file that was just opened, so they are asked again. */
  async #askAbout(path: string, connection: Connection, ask: () => Promise<unknown>): Promise<unknown> {
    const first = await ask();
    const isEmpty = first === null || (Array.isArray(first) && first.length === 0);
    const { isBusy } = connection;
    if (!isEmpty || (connection.diagnosticsOf(path) !== undefined && !isBusy)) return first;
    const limitMs = isBusy ? SETTLE_MS : READING_MS;
    const limit = limitedSignal(this.#context.signal, limitMs);
    await connection.settled(path, connection.versionOf(path), limit);
    await connection.idle(limit);
    return ask();
  }

  async #locations(locations: readonly Location[]): Promise<string> {
    const shown = locations.filter(({ path }) => this.#isShown(path));
    const texts = new Map<string, readonly string[]>();
    const lines: string[] = [];
    for (const location of shown.slice(0, SHOWN)) {
      // The code of other folders is read with Read, which asks. A link can lead there.
      if (isInside(realPath(location.path), this.#access.root) && !texts.has(location.path))
        texts.set(location.path, ((await textOf(location.path)) ?? "").split("\n"));
      const content = texts.get(location.path)?.[location.at.line]?.trim() ?? "";
      lines.push(`${this.#place(location)}${content === "" ? "" : `: ${content.slice(0, LINE_CHARS)}`}`);
    }
    const more = shown.length - lines.length;
    return [...lines, ...(more > 0 ? [`… and ${more} more`] : [])].join("\n");
  }

  #isShown(path: string): boolean {
    if (this.#access.mayShow(path)) return true;
    this.#hidden++;
    return false;
  }

  #place({ path, at }: Location): string {
    return `${this.#shown(path)}:${at.line + 1}:${at.character + 1}`;
  }

  #shown(path: string): string {
    const { cwd } = this.#context;
    return isInside(path, cwd) ? relative(cwd, path) : path;
  }
}

/** The symbol as a whole word, or else as a part of one. */
function wordIn(line: string, symbol: string): number {
  const isLetter = (letter: string | undefined): boolean =>
    letter !== undefined && /[\p{L}\p{N}_$]/u.test(letter);
  for (let at = line.indexOf(symbol); at >= 0; at = line.indexOf(symbol, at + 1))
    if (!isLetter(line[at - 1]) && !isLetter(line[at + symbol.length])) return at;
  return line.indexOf(symbol);
}

function capped(lines: readonly string[]): string {
  const more = lines.length - SHOWN;
  return [...lines.slice(0, SHOWN), ...(more > 0 ? [`… and ${more} more`] : [])].join("\n");
}

function withBusy(text: string, connection: Connection | undefined): string {
  return connection?.isBusy === true
    ? `${text}\n[The language server is still loading the project, so this can be incomplete.]`
    : text;
}
