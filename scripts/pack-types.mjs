/**
 * Removes what nobody sees of the type declarations: those that no export of a package needs, and the comments of files
 * that no entry exports from.
 */

import { readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const COMMENT = /[ \t]*\/\*\*[^]*?\*\/\n?/g;
/** A statement, or the comments before it. The compiler indents all that could look like a statement inside of another. */
const START =
  /^(?=(?:\/\*\*(?:(?!\*\/)[^])*\*\/\s*)*(?:export|import|declare|interface|type|const|let|function|class|abstract|enum|namespace)\b)/m;
const DECLARATION =
  /^(?:export )?(?:default )?(?:declare )?(?:abstract )?(?:interface|type|class|function|const|let|enum|namespace) ([\w$]+)/;
const LIST = /^(?:import|export) (?:type )?\{([^}]*)\}(?: from "([^"]+)")?/;
const NAMESPACE = /^(?:import|export) (?:type )?\*(?: as ([\w$]+))? from "([^"]+)"/;
const INLINE = /\bimport\("(\.[^"]+)"\)/g;

export function dropUnseenTypes(folder) {
  const { exports = {} } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const entries = Object.values(exports).flatMap(({ types }) =>
    types === undefined ? [] : [join(folder, types)],
  );
  const dist = join(folder, "dist");
  const paths = readdirSync(dist, { recursive: true })
    .filter((name) => name.endsWith(".d.ts"))
    .map((name) => join(dist, name));
  const kept = neededTypes(new Map(paths.map((path) => [path, readFileSync(path, "utf8")])), entries);
  for (const path of paths) {
    const text = kept.get(path);
    if (text === undefined) rmSync(path);
    else writeFileSync(path, indentedByTwo(text));
  }
}

/** The compiler indents by four. */
function indentedByTwo(text) {
  return text.replaceAll(/^(?: {4})+/gm, (spaces) => " ".repeat(spaces.length / 2));
}

/**
 * Returns the declaration files that the entries need, by path, with only the statements that they need. Statements need
 * what they name, so one that only has a member with the name of a declaration keeps that declaration too.
 */
export function neededTypes(texts, entries) {
  const files = new Map([...texts].map(([path, text]) => [path, statementsOf(path, text)]));
  const present = entries.filter((path) => files.has(path));
  for (const path of present) for (const statement of files.get(path)) need(files, statement);
  const documented = new Set(
    present.flatMap((path) => [path, ...files.get(path).flatMap(({ from }) => from ?? [])]),
  );
  const kept = new Map();
  for (const [path, statements] of files) {
    const text = statements.map(keptText).join("");
    if (text !== "") kept.set(path, documented.has(path) ? text : text.replaceAll(COMMENT, ""));
  }
  return kept;
}

function statementsOf(path, text) {
  const pieces = text.split(START);
  // A comment belongs to the statement after it.
  const whole = pieces.reduceRight(
    ([next = "", ...later], piece) =>
      piece.replaceAll(COMMENT, "").trim() === "" ? [piece + next, ...later] : [piece, next, ...later],
    [],
  );
  return whole.filter((one) => one !== "").map((one) => statementOf(path, one));
}

/** `names` are those that it declares here; of a list, those that are needed are kept. */
function statementOf(path, text) {
  const code = text.replaceAll(COMMENT, "");
  const base = { path, text, code, isNeeded: false };
  const [, list, from] = LIST.exec(code) ?? [];
  if (list !== undefined) {
    const names = list
      .split(",")
      .map((one) => one.trim())
      .filter((one) => one !== "")
      .map(nameInList);
    return { ...base, list: names, from: resolved(path, from) };
  }
  const [, alias, source] = NAMESPACE.exec(code) ?? [];
  if (source !== undefined) return { ...base, all: true, alias, from: resolved(path, source) };
  return { ...base, name: DECLARATION.exec(code)?.[1] };
}

/** `type A as B`: the name in the other file, and here. */
function nameInList(text) {
  const [there, here = there] = text.replace(/^type /, "").split(" as ");
  return { text, there, here, isNeeded: false };
}

/** Only files of the package are followed. */
function resolved(path, from) {
  return from?.startsWith(".") ? join(dirname(path), from.replace(/\.[jt]s$/, ".d.ts")) : undefined;
}

/** Keeps a statement and what it names. */
function need(files, statement) {
  if (statement.isNeeded) return;
  statement.isNeeded = true;
  const { path, code, list, all, from } = statement;
  if (list !== undefined) for (const each of list) needListed(files, statement, each);
  else if (all === true) for (const one of files.get(from) ?? []) need(files, one);
  else {
    for (const name of new Set(code.match(/[\w$]+/g))) needName(files, path, name);
    for (const [, source] of code.matchAll(INLINE))
      for (const one of files.get(resolved(path, source)) ?? []) need(files, one);
  }
}

function needListed(files, { path, from, code }, each) {
  each.isNeeded = true;
  const isOwn = !/ from "/.test(code);
  if (isOwn) needName(files, path, each.there);
  else if (from !== undefined) needName(files, from, each.there);
}

/** Keeps what declares, imports or exports this name in a file. */
function needName(files, path, name) {
  for (const statement of files.get(path) ?? []) {
    const each = statement.list?.find(({ here }) => here === name);
    // Any name can come from a file that is exported as a whole.
    const isWhole = statement.all === true && (statement.alias ?? name) === name;
    if (statement.name === name || isWhole) need(files, statement);
    if (each === undefined || each.isNeeded) continue;
    statement.isNeeded = true;
    needListed(files, statement, each);
  }
}

function keptText({ text, code, list, isNeeded }) {
  if (!isNeeded) return "";
  if (list === undefined) return text;
  const names = list.filter((each) => each.isNeeded).map((each) => each.text);
  return code.replace(/\{[^}]*\}/, names.length === 0 ? "{}" : `{ ${names.join(", ")} }`);
}
