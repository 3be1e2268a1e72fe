/** Random calls on a small folder, with few names and words, so that they conflict. */

import type { CallRequest } from "@runahead/engine";

/** Returns a whole number from 0 to below the argument. */
export type Random = (below: number) => number;

type Make = (random: Random) => { readonly name: string; readonly input: object };

/** `link` points to `src`: the same files by other names. Some do not exist at first, some never. */
const PATHS = [
  "a.txt",
  "src/b.ts",
  "src/c.ts",
  "link/c.ts",
  "link/deep/d.ts",
  "src/deep/d.ts",
  "lib/e.js",
  "lib/new.js",
  "src/deep/new/g.ts",
  "src/bb.ts",
  ".gitignore",
];
const FOLDERS = [".", "src", "link/deep", "lib"];
const WORDS = ["one", "two", "three", "four"];

const pick = <Item>(random: Random, items: readonly Item[]): Item => items[random(items.length)] as Item;

const read: Make = (random) => ({ name: "Read", input: { file_path: pick(random, PATHS) } });

const write: Make = (random) => ({
  name: "Write",
  input: { file_path: pick(random, PATHS), content: `${pick(random, WORDS)}\n${pick(random, WORDS)}\n` },
});

const edit: Make = (random) => ({
  name: "Edit",
  input: {
    file_path: pick(random, PATHS),
    old_string: pick(random, ["", ...WORDS]),
    new_string: pick(random, WORDS),
    replace_all: random(2) === 0,
  },
});

const grep: Make = (random) => ({
  name: "Grep",
  input: {
    pattern: pick(random, WORDS),
    path: pick(random, FOLDERS),
    output_mode: pick(random, ["content", "files_with_matches", "count"]),
  },
});

const glob: Make = (random) => ({
  name: "Glob",
  input: { pattern: pick(random, ["**/*.ts", "*", "deep/**"]), path: pick(random, FOLDERS) },
});

/** Commands that read or write named files run beside others; commands that change the directory do not. */
const bash: Make = (random) => {
  const path = pick(random, PATHS);
  const word = pick(random, WORDS);
  const command = pick(random, [
    `cat ${path}`,
    `wc -l ${path}`,
    `ls ${pick(random, FOLDERS)}`,
    `grep -c ${word} ${path}`,
    `echo ${word} >> ${path}`,
    `rm -f ${path}`,
    `rm ${path}`,
    `cp ${path} ${pick(random, PATHS)}`,
    `cp ${path} ${pick(random, FOLDERS)}`,
    `mv ${path} ${pick(random, PATHS)}`,
    `cat ${path} ${pick(random, PATHS)} > ${pick(random, PATHS)}`,
    `sed -i s/${word}/x/ ${path}`,
    `mkdir -p ${pick(random, FOLDERS)}/new/deep`,
    `ln -s /nowhere ${path}.link`,
    `echo ${word} >> ${path}.link`,
    `bash -c 'test -e ${path}'`,
    `cd ${pick(random, FOLDERS)}`,
  ]);
  return { name: "Bash", input: { command } };
};

/** Weighted by how often each entry is listed. */
const KINDS: readonly Make[] = [read, write, write, edit, edit, edit, grep, glob, bash, bash];

/** Starts with reads, so that most edits are allowed. */
export function randomCalls(random: Random, count: number): CallRequest[] {
  return Array.from({ length: count }, (_, at) => {
    const make = at < count / 3 ? read : pick(random, KINDS);
    return { id: `call-${at}`, ...make(random) };
  });
}
