/**
 * Checks that the commands and options of `runahead` in shell blocks are in its help, and that the scripts of `npm run` are
 * in package.json. Run with tsx: reads blocks as JSON from stdin, writes problems as JSON to stdout.
 */

import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { parseShell } from "../packages/permissions/src/bash/parse.ts";
import { main } from "../packages/cli/src/main.ts";

const { scripts } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const NPM_COMMANDS = new Set(["ci", "install", "test", "start", "init"]);
const helps = new Map();

async function helpOf(words) {
  const key = words.join(" ");
  if (!helps.has(key)) {
    const printed = [];
    const print = (line) => printed.push(line);
    await main([...words, "--help"], { print, complain: print });
    helps.set(key, read(printed.join("\n")));
  }
  return helps.get(key);
}

/** The options of a command, whether each takes a value, and the commands below it. */
function read(help) {
  const options = new Map();
  const commands = new Set();
  const [, listed = "", below = ""] = /Options:\n([^]*?)(?:\n\s*\nCommands:\n([^]*))?$/.exec(help) ?? [];
  for (const [, names, value] of listed.matchAll(/^ {2}((?:-\w, )?--[\w-]+)( <[^>]+>)?/gm))
    for (const name of names.split(", ")) options.set(name, value !== undefined);
  for (const [, name] of below.matchAll(/^ {2}(\w[\w-]*)/gm)) commands.add(name);
  return { options, commands };
}

async function checkRunahead(words) {
  const said = [];
  const path = [];
  let help = await helpOf(path);
  for (let at = 0; at < words.length; at++) {
    const [name] = words[at].split("=");
    if (help.commands.has(words[at])) {
      path.push(words[at]);
      help = await helpOf(path);
    } else if (name.startsWith("-") && !help.options.has(name)) {
      said.push(`\`${["runahead", ...path].join(" ")}\` has no option ${name}`);
    } else if (help.options.get(name) === true && !words[at].includes("=")) at++;
  }
  return said;
}

function checkNpm([command, script]) {
  if (command === "run") return script in scripts ? [] : [`package.json has no script ${script}`];
  return NPM_COMMANDS.has(command) ? [] : [`what is npm ${command}?`];
}

async function check(code) {
  const parsed = parseShell(code);
  if (parsed.type === "unreadable") return [parsed.why];
  const { script } = parsed;
  const said = (script.errors ?? []).map(({ message }) => message);
  for (const [program, ...words] of commandsOf(script)) {
    if (program === "runahead") said.push(...(await checkRunahead(words)));
    if (program === "npx" && words[0] === "runahead") said.push(...(await checkRunahead(words.slice(1))));
    if (program === "npm") said.push(...checkNpm(words));
  }
  return said;
}

function commandsOf(node) {
  if (typeof node !== "object" || node === null) return [];
  if (node.type === "Command" && node.name !== undefined)
    return [[node.name, ...node.suffix].map(({ value, text: raw }) => value ?? raw ?? "")];
  return Object.values(node).flatMap(commandsOf);
}

const blocks = JSON.parse(await text(process.stdin));
const said = [];
for (const { file, line, code } of blocks)
  said.push(...(await check(code)).map((problem) => `${file}:${line}: ${problem}`));
console.log(JSON.stringify(said));
