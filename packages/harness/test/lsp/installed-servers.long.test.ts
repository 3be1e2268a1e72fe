/**
 * Language servers that people have installed: clangd, gopls and rust-analyzer. `npm run test:long` installs them. Debian
 * has rust-analyzer since version 13; its test is skipped if it cannot be installed.
 */

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { modelServer, sse } from "../../../agent/test/support/model-server.ts";
import { messageEnd, messageStart, textBlock } from "../../../agent/test/support/responses.ts";
import { codingAgent } from "../../src/index.ts";

let root = "";
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "lsp-installed-")));
  mkdirSync(join(root, "project/.git"), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const answer = (...events: readonly object[]) => ({ pieces: [sse([messageStart, ...events])] });
const uses = (id: string, name: string, input: object) =>
  answer(
    { type: "content_block_start", index: 0, content_block: { type: "tool_use", id, name, input: {} } },
    {
      type: "content_block_delta",
      index: 0,
      delta: { type: "input_json_delta", partial_json: JSON.stringify(input) },
    },
    { type: "content_block_stop", index: 0 },
    ...messageEnd("tool_use"),
  );
const said = (text: string) => answer(...textBlock(0, text), ...messageEnd("end_turn"));

interface Sample {
  readonly server: string;
  readonly file: string;
  readonly content: string;
  /** The lines of the definition of `add` and of its use. */
  readonly lines: readonly [defined: number, used: number];
  readonly error: string;
  readonly more: Readonly<Record<string, string>>;
}

const SAMPLES: readonly Sample[] = [
  {
    server: "clangd",
    file: "a.c",
    content: "int add(int a, int b) { return a + b; }\nint main(void) { return add(1, 2) + y; }\n",
    lines: [1, 2],
    error: "undeclared identifier 'y'",
    more: {},
  },
  {
    server: "gopls",
    file: "a.go",
    content:
      "package main\n\nfunc add(a int, b int) int { return a + b }\n\nfunc main() { var _ string = add(1, 2) }\n",
    lines: [3, 5],
    error: "cannot use add(1, 2)",
    more: { "go.mod": "module example.com/x\n\ngo 1.19\n" },
  },
  {
    server: "rust-analyzer",
    file: "src/main.rs",
    content: "fn add(a: i32, b: i32) -> i32 { a + b }\n\nfn main() { let _ = add(1, 2) + ; }\n",
    lines: [1, 3],
    error: "expected expression",
    more: { "Cargo.toml": '[package]\nname = "x"\nversion = "0.1.0"\nedition = "2021"\n' },
  },
];

/** rustup has a program of this name also without the server. */
const isInstalled = (server: string): boolean =>
  server !== "rust-analyzer" || spawnSync(server, ["--version"], { stdio: "ignore" }).status === 0;

test.each(SAMPLES.filter(({ server }) => isInstalled(server)))(
  "$server reports diagnostics and answers the LSP tool",
  async (sample) => {
    const { server: name, file, content, lines, error, more } = sample;
    for (const [path, text] of Object.entries(more)) {
      mkdirSync(dirname(join(root, "project", path)), { recursive: true });
      writeFileSync(join(root, "project", path), text);
    }
    const about = { filePath: file, symbol: "add" };
    const model = await modelServer(
      uses("1", "Write", { file_path: file, content }),
      // A server that still loads the project says so after 10 seconds.
      ...[1, 2, 3].map((time) => uses(`2-${time}`, "LSP", { operation: "diagnostics", filePath: file })),
      uses("3", "LSP", { operation: "hover", line: lines[0], ...about }),
      uses("4", "LSP", { operation: "findReferences", line: lines[0], ...about }),
      uses("5", "LSP", { operation: "goToDefinition", line: lines[1], ...about }),
      uses("6", "LSP", { operation: "documentSymbol", filePath: file }),
      said("done"),
    );
    const home = join(root, "home");
    const made = await codingAgent({
      cwd: join(root, "project"),
      home,
      trust: true,
      sessionPersistence: false,
      permissionMode: "acceptEdits",
      env: {
        PATH: process.env["PATH"],
        HOME: home,
        // rustup finds its compilers there.
        RUSTUP_HOME: process.env["RUSTUP_HOME"] ?? join(homedir(), ".rustup"),
        ANTHROPIC_API_KEY: "key",
        ANTHROPIC_BASE_URL: model.url,
      },
    });
    await made.agent.send("go");
    const results = made.agent.messages.flatMap(({ role, content: blocks }) =>
      role === "user" && typeof blocks !== "string" ? blocks : [],
    );
    const [, , , diagnostics, hover, references, definition, symbols] = results
      .filter(({ type }) => type === "tool_result")
      .map((block) => String(block["content"]));
    const running = made.languageServers().filter((one) => one.running.length > 0);
    await made.close();
    await model.close();
    expect(running.map((one) => one.name)).toEqual([name]);
    expect(diagnostics).toContain(error);
    expect(hover).toContain("add");
    expect(references).toContain(`${file}:${lines[1]}`);
    expect(definition).toContain(`${file}:${lines[0]}`);
    expect(symbols).toContain("main");
  },
);
