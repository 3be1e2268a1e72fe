/**
 * Runs the examples with frameworks that are too large for every install, against a scripted server, and checks their
 * output. Uses the packages and the Node of the benchmark: `node --import tsx examples/peers/run.mjs`.
 */

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { installPeers, nodeForPeers } from "../../bench/install.mjs";
import { scriptedServer } from "../scripted-server.ts";

const LIMIT_MS = 60_000;
const PACKAGES = ["@ai-sdk", "@langchain", "@mastra", "ai", "langchain", "zod"];

/** What each must print: both calls before the end of the response, and the answer to their results. */
const looked =
  /\(looking up Oslo\)\s+\(looking up Rome\)[^]*looking it up for you\.[^]*It is sunny in both\./;
const EXAMPLES = {
  "langchain.mjs": new RegExp(`${looked.source}[^]*human, ai, tool, tool, ai`),
  "mastra.mjs": looked,
};

function pathOf(name) {
  return fileURLToPath(new URL(name, import.meta.url));
}

/** The installed packages, resolved from here. */
function link(name) {
  const here = pathOf(`./node_modules/${name}`);
  if (existsSync(here)) return;
  mkdirSync(dirname(here), { recursive: true });
  symlinkSync(pathOf(`../../bench/peers/node_modules/${name}`), here, "junction");
}

function start(file, url) {
  const env = { ...process.env, SERVER: url, LANGCHAIN_TRACING_V2: "false", MASTRA_TELEMETRY_DISABLED: "1" };
  const child = spawn(nodeForPeers(), [pathOf(`./${file}`)], { env, stdio: ["ignore", "pipe", "pipe"] });
  const timer = setTimeout(() => child.kill("SIGKILL"), LIMIT_MS);
  let printed = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => (printed += data));
  return new Promise((resolve) => {
    child.once("close", (code) => {
      clearTimeout(timer);
      resolve({ code, printed });
    });
  });
}

async function passes(file, expected) {
  const server = await scriptedServer(
    [
      { text: "Let me see. " },
      { call: "weather", input: { city: "Oslo" } },
      { call: "weather", input: { city: "Rome" } },
      { text: "Just a moment, I am looking it up for you." },
    ],
    [{ text: "It is sunny in both." }],
  );
  const { code, printed } = await start(file, server.url);
  server.close();
  const isGood = code === 0 && expected.test(printed);
  console.log(isGood ? `${file}: as it should be` : `${file}: ended with ${code}\n${printed}`);
  return isGood;
}

await installPeers();
for (const name of PACKAGES) link(name);
for (const [file, expected] of Object.entries(EXAMPLES))
  if (!(await passes(file, expected))) process.exitCode = 1;
