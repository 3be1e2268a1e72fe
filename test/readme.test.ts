import { execFile } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ROOT, textOf } from "./source.ts";

const run = promisify(execFile);
const TSC = `${ROOT}/node_modules/typescript/bin/tsc`;
const INSTALLED = ["@runahead/engine", "zod"];

/** The compiler options of a strict project, without the types of Node: the example needs none. */
const STRICT = {
  compilerOptions: {
    strict: true,
    noUncheckedIndexedAccess: true,
    exactOptionalPropertyTypes: true,
    target: "es2023",
    module: "nodenext",
    types: [],
    outDir: "out",
  },
  files: ["example.ts"],
};

/** The raw event stream of one response that calls Read twice. */
const STREAM_AND_RUN = `
import { writeFileSync } from "node:fs";
import { runResponse } from "./out/example.js";

async function* stream() {
  yield { type: "message_start", message: { id: "msg_1", role: "assistant", content: [] } };
  for (const [index, path] of ["a.txt", "b.txt"].entries()) {
    const content_block = { type: "tool_use", id: "toolu_" + index, name: "Read", input: {} };
    yield { type: "content_block_start", index, content_block };
    const delta = { type: "input_json_delta", partial_json: JSON.stringify({ path }) };
    yield { type: "content_block_delta", index, delta };
    yield { type: "content_block_stop", index };
  }
  yield { type: "message_delta", delta: { stop_reason: "tool_use" } };
  yield { type: "message_stop" };
}

const results = await runResponse(stream());
writeFileSync("results.json", JSON.stringify(results));
`;

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "runahead-readme-"));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Builds and packs the engine from its sources, and returns the path of the tarball. */
async function packEngine(): Promise<string> {
  const source = join(folder, "repo", "packages", "engine");
  for (const name of ["package.json", "README.md", "tsconfig.json", "src"])
    cpSync(`${ROOT}/packages/engine/${name}`, join(source, name), {
      recursive: true,
      filter: (path) => !path.endsWith(".test.ts"),
    });
  cpSync(`${ROOT}/tsconfig.base.json`, join(folder, "repo", "tsconfig.base.json"));
  symlinkSync(`${ROOT}/node_modules`, join(folder, "repo", "node_modules"));
  await run(process.execPath, [TSC, "-p", "."], { cwd: source });
  await run("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], { cwd: source });
  const [tarball = ""] = readdirSync(folder).filter((name) => name.endsWith(".tgz"));
  return join(folder, tarball);
}

/** An empty project that has what the README's install line names, and nothing else. */
async function emptyProject(tarball: string): Promise<string> {
  const project = join(folder, "project");
  const engine = join(project, "node_modules", "@runahead", "engine");
  mkdirSync(engine, { recursive: true });
  await run("tar", ["-xzf", tarball, "-C", engine, "--strip-components=1"]);
  cpSync(`${ROOT}/node_modules/zod`, join(project, "node_modules", "zod"), {
    recursive: true,
    dereference: true,
  });
  writeFileSync(join(project, "package.json"), '{ "type": "module" }');
  return project;
}

function firstBlock(kind: string): string {
  const [, code] = new RegExp(`^\`\`\`${kind}\n([^]*?)^\`\`\`$`, "m").exec(textOf("README.md")) ?? [];
  if (code === undefined) throw new Error(`README.md has no block of ${kind}`);
  return code;
}

test("the README's example compiles in an empty project exactly as printed, and runs a stream", async () => {
  expect(firstBlock("sh").trim()).toBe(`npm install ${INSTALLED.join(" ")}`);
  const project = await emptyProject(await packEngine());
  writeFileSync(join(project, "example.ts"), firstBlock("ts"));
  writeFileSync(join(project, "tsconfig.json"), JSON.stringify(STRICT));
  writeFileSync(join(project, "run.mjs"), STREAM_AND_RUN);

  const { stdout: complaints } = await run(process.execPath, [TSC, "-p", "."], { cwd: project }).catch(
    (error: { stdout: string }) => error,
  );
  expect(complaints).toBe("");

  const { stdout } = await run(process.execPath, ["run.mjs"], { cwd: project });
  const results: unknown = JSON.parse(readFileSync(join(project, "results.json"), "utf8"));
  expect(results).toEqual([
    { type: "tool_result", tool_use_id: "toolu_0", content: "contents of a.txt", is_error: false },
    { type: "tool_result", tool_use_id: "toolu_1", content: "contents of b.txt", is_error: false },
  ]);
  // The stream passes through unchanged.
  expect(stdout).toContain("message_start");
  expect(stdout).toContain("message_stop");
});
