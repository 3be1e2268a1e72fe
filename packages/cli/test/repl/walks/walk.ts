/** What every part of a walk through the screens needs, and a folder in which every list has something. */

import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { pngBytes } from "../../../../tools/test/support/image-bytes.ts";
import type { AskedModel } from "../answers.ts";
import type { RecordedScreens } from "../recorded.ts";
import { type Program, has, newFolder, pause } from "../terminal.ts";

export const ESC = "\u001b";
export const ENTER = "\r";
export const UP = "\u001b[A";
export const DOWN = "\u001b[B";
export const TAB = "\t";
export const SHIFT_TAB = "\u001b[Z";
const TRY_MS = 400;
const MOST_TRIES = 10;
export const CLEAR_LINE = "\u0015";

export interface Walk {
  readonly screens: RecordedScreens;
  readonly model: AskedModel;
  /** Starts the program again in the same folder. */
  readonly start: (args: readonly string[], env?: Readonly<Record<string, string>>) => Program;
}

export const numbered = (count: number): string =>
  Array.from({ length: count }, (_, at) => `export const line${at + 1} = ${at + 1};\n`).join("");

/** Answers the initialization and lists one tool. */
const SERVER = `
const answers = {
  initialize: (params) => ({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "notes", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "search", description: "Searches the notes", inputSchema: { type: "object" } }] }),
};
require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = answers[method]?.(params);
  console.log(JSON.stringify(result === undefined ? { jsonrpc: "2.0", id, error: { code: -32601, message: "no" } } : { jsonrpc: "2.0", id, result }));
});`;

const EDITOR = '#!/bin/sh\necho "3. Added in the editor" >> "$1"\n';
/** Has the terminal, as an editor has. */
const VIM = '#!/bin/sh\nprintf "this is vim: "\nread -r line\n';

/** The settings of its project need trust. */
export function richFolder(): { readonly folder: string; readonly env: Readonly<Record<string, string>> } {
  const folder = newFolder();
  const put = (path: string, content: string | object | Buffer): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    const isText = typeof content === "string" || Buffer.isBuffer(content);
    writeFileSync(join(folder, path), isText ? content : JSON.stringify(content));
  };
  const program = (name: string, text: string): void => {
    put(`bin/${name}`, text);
    chmodSync(join(folder, "bin", name), 0o700);
  };
  put("server.cjs", SERVER);
  put("home/.claude.json", {
    mcpServers: {
      notes: { type: "stdio", command: process.execPath, args: [join(folder, "server.cjs")] },
      broken: { type: "stdio", command: join(folder, "no-such-server") },
    },
  });
  put("home/.claude/settings.json", {
    permissions: { deny: ["WebFetch(domain:example.org)"] },
    statusLine: { type: "command", command: "echo 'my own status line'" },
  });
  put("home/.claude/CLAUDE.md", "Answer briefly.\n");
  put("project/AGENTS.md", "Use plain words.\n");
  const hook = { matcher: "NotebookEdit", hooks: [{ type: "command", command: "npm run format" }] };
  put("project/.claude/settings.json", {
    permissions: { allow: ["Bash(npm test:*)"] },
    hooks: { PostToolUse: [hook] },
  });
  put(
    "project/.claude/agents/scout.md",
    "---\nname: scout\ndescription: Finds the files that a change needs\n---\nLook.\n",
  );
  put("project/src/greeting.ts", `// The greeting.\n${numbered(12)}// End of the greeting.\n`);
  put("project/shot.png", pngBytes(64, 48));
  program("editor", EDITOR);
  program("vim", VIM);
  program(
    "xclip",
    `#!/bin/sh\ncase "$*" in *image*) cat '${join(folder, "project/shot.png")}';; *) cat >/dev/null;; esac\n`,
  );
  // A language server for the edited file would install types with npm, and still write when the test has ended.
  const usual = (process.env["PATH"] ?? "").split(delimiter).filter((one) => !one.includes("node_modules"));
  const PATH = [join(folder, "bin"), ...usual].join(delimiter);
  return { folder, env: { PATH, EDITOR: "editor", VISUAL: "", DISPLAY: ":9" } };
}

/** Sends a prompt, and resolves when the model has it. */
export async function prompted({ screens, model }: Walk, text: string) {
  await screens.program.types(text);
  return model.asked();
}

/** Trusts the folder for the session. */
export async function trusted({ screens: { program } }: Walk): Promise<void> {
  await program.answers(UP, "Do you trust this folder?");
  await program.sees("→ Trust for this session");
  program.press(ENTER);
  await noticed(program);
}

/** The notice about the broken server comes at any time after the start, and would be between other lines. */
async function noticed(program: Program): Promise<void> {
  await program.sees((text) => has(text, "no-such-server was not found"));
}

/** A prompt and its answer. */
export async function talked(walk: Walk, prompt: string, answer: string): Promise<void> {
  (await prompted(walk, prompt)).says(answer);
  await walk.screens.program.sees(answer.split("\n").at(-1) ?? answer);
  await walk.screens.program.idle();
}

/** Fills in a text field after which something else opens: Enter is pressed again only if the field is still open. */
export async function filled({ screens: { program } }: Walk, title: string, line: string): Promise<void> {
  await program.sees(title);
  program.press(line);
  await program.sees(line);
  const isOpen = (): boolean => has(program.text(), title);
  for (let tries = 0; tries < MOST_TRIES && isOpen(); tries++) {
    await pause(TRY_MS);
    program.press(ENTER);
    for (let looks = 0; looks < MOST_TRIES && isOpen(); looks++) await pause(TRY_MS);
  }
}

/** The line is empty again. */
export async function cleared({ screens: { program } }: Walk, text: string): Promise<void> {
  program.press(CLEAR_LINE);
  await program.sees((screen) => !screen.includes(text));
}
