/** Removed fixes: for each class of attack, the checks that close it. The fuzzer must notice each removal. */

import type { AttackClass } from "./classes.ts";

interface Edit {
  /** Relative to `packages/permissions/src`. */
  readonly file: string;
  /** Occurs exactly once. */
  readonly find: string;
  readonly replace: string;
}

export interface Mutant {
  readonly attack: AttackClass;
  readonly title: string;
  /** Several if one check backs up another. */
  readonly edits: readonly Edit[];
}

const one = (
  title: string,
  file: string,
  [find, replace]: readonly [string, string],
): Omit<Mutant, "attack"> => ({
  title,
  edits: [{ file, find, replace }],
});

const raw = String.raw;

/** A text with line continuations is read a second time, without them. */
const NO_SECOND_READING: Edit = {
  file: "bash/walk.ts",
  find: "if (outline(script) === outline(joined)) return script;",
  replace: "return script;",
};

const BY_CLASS: Readonly<Record<AttackClass, readonly Omit<Mutant, "attack">[]>> = {
  arithmetic: [
    one("a variable name counts as a number", "bash/expansion.ts", [
      "return NUMBER.test(text) || COUNT.test(text);",
      "return /^[$\\w{}]+$/.test(text);",
    ]),
    one("arithmetic in $((…)) is not checked", "bash/walker.ts", [
      "this.#found.note(arithmeticDoubt(part.expression));",
      "",
    ]),
    one("arithmetic in ((…)) is not checked", "bash/walker.ts", [
      "this.#found.note(arithmeticDoubt(node.expression));",
      "",
    ]),
    one("arithmetic in for ((…)) is not checked", "bash/walker.ts", [
      "if (part !== undefined) this.#found.note(arithmeticDoubt(part));",
      "",
    ]),
    one("[[ … -eq … ]] compares any text", "bash/expansion.ts", [
      "if (!COMPARES_NUMBERS.has(expression.operator)) return undefined;",
      "return undefined;",
    ]),
    one("[[ -v … ]] asks for any name", "bash/expansion.ts", [
      'return EVALUATES.has(expression.operator) ? "it uses a test that evaluates a variable name" : undefined;',
      "return undefined;",
    ]),
    one("the offset of a slice is not checked", "bash/expansion.ts", [
      'if (operation?.type === "Slice" && ![operation.offset, operation.length].every(isOffset))',
      "if (false)",
    ]),
    one("a subscript is not checked", "bash/expansion.ts", [
      'if (index !== undefined && !isSubscript(index.text)) return "it uses a computed array subscript";',
      "",
    ]),
    one("builtins evaluate any name", "bash/walker.ts", ["this.#found.note(builtinDoubt(words));", ""]),
  ],
  decoding: [
    one("a comment begins after a process substitution", "bash/walker.ts", [
      " || hasJoinedComment(text)",
      "",
    ]),
    one("a process substitution ends a word", "bash/walker.ts", [
      "if (hasJoinedWords(node)) this.#found.opaque(JOINED);",
      "",
    ]),
    one("an unknown escape stands for itself", "bash/quoting.ts", [
      raw`x([0-9a-fA-F]{1,2}))|([^\\'])/gy`,
      raw`x([0-9a-fA-F]{1,2}))|([^'])/gy`,
    ]),
    one("a text is known as far as its escapes are", "bash/quoting.ts", [
      "return length === inside.length ? certain(value) : undefined;",
      "return certain(value);",
    ]),
    one("backslash and newline disappear in $'…'", "bash/quoting.ts", [
      raw`/\\(?:([abeEfnrtv])`,
      raw`/\\(?:\n|([abeEfnrtv])`,
    ]),
    one("a NUL does not end a text", "bash/quoting.ts", [
      raw`const INTERNAL = ["\0", "\u0001", "\u007f"];`,
      raw`const INTERNAL = ["\u0001", "\u007f"];`,
    ]),
    {
      title: "a line continuation outside quotes is a newline",
      edits: [
        {
          file: "bash/quoting.ts",
          find: raw`certain(text.replaceAll(/\\([^])/g, (_, next: string) => (next === "\n" ? "" : next)))`,
          replace: raw`certain(text.replaceAll(/\\([^])/g, (_, next: string) => next))`,
        },
        NO_SECOND_READING,
      ],
    },
    {
      title: "a line continuation in double quotes is a newline",
      edits: [
        {
          file: "bash/quoting.ts",
          find: raw`certain(text.replaceAll(/\\([$${"`"}"\\\n])/g, (_, next: string) => (next === "\n" ? "" : next)))`,
          replace: raw`certain(text.replaceAll(/\\([$${"`"}"\\\n])/g, (_, next: string) => next))`,
        },
        NO_SECOND_READING,
      ],
    },
  ],
  configuration: [
    one("git counts as read-only outside the sandbox too", "bash/read-only.ts", [
      'return strict ?? (reach === "confined" ? inSandbox(name, rest) : undefined);',
      "return strict ?? inSandbox(name, rest);",
    ]),
    one("git counts as read-only in an untrusted folder", "verdict/permit.ts", [
      'forms.filter(({ words }) => isTrusted || baseName(words[0]?.value ?? "") !== "git")',
      "forms",
    ]),
    one("git runs in other folders, with their configuration", "verdict/permit.ts", [
      'if (!isAll && command.moved && asked.forms.some(({ words }) => baseName(words[0]?.value ?? "") === "git"))',
      "if (false)",
    ]),
    one("git -C leads to any folder", "bash/git.ts", [
      raw`if (name === "C") return value?.type === "static" && /^\.\/?$/.test(value.value);`,
      'if (name === "C") return true;',
    ]),
    one("variables that git reads are harmless", "bash/environment.ts", [
      "if (!SAFE.has(name) && !/^LC_[A-Z]+$/.test(name)) return false;",
      "if (!SAFE.has(name) && !/^(?:LC|GIT)_[A-Z0-9_]+$/.test(name)) return false;",
    ]),
    one("git accepts any option before its subcommand", "bash/read-only.ts", [
      "words.findIndex(({ value }) => !globals.has(value));",
      'words.findIndex(({ value }) => globals.size === 0 || !value.startsWith("-"));',
    ]),
  ],
  "optional values": [
    one("an option with an optional value takes the next word", "bash/options.ts", [
      'if (kind !== "value") return [{ name, value: undefined, isSeparate: false }];',
      'if (kind === "flag") return [{ name, value: undefined, isSeparate: false }];',
    ]),
    one("an unknown letter is harmless", "bash/options.ts", [
      "    if (kind === undefined) return undefined;\n",
      "    if (kind === undefined) continue;\n",
    ]),
    one("an unknown long option is harmless", "bash/options.ts", [
      'if (kind === undefined || (kind === "flag" && value !== undefined)) return undefined;',
      "if (kind === undefined) return [{ name, value: undefined, isSeparate: false }];",
    ]),
    one("long options cannot be abbreviated", "bash/options.ts", [
      "return option !== undefined && names.some((name) => name.startsWith(option.name));",
      "return option !== undefined && names.includes(option.name);",
    ]),
    one("git branch and git tag always list", "bash/read-only-tools.ts", [
      "names.some((name) => wanted.includes(name));",
      "true;",
    ]),
    one("the second file of uniq is one that it reads", "bash/read-only-custom.ts", [
      "return read !== undefined && read.operands.length <= 1",
      "return read !== undefined",
    ]),
    one("sed -i only reads", "bash/read-only-custom.ts", ['"nErsuze:l:"', '"nErsui?ze:l:"']),
  ],
  links: [
    one("patterns are not expanded", "paths/globs.ts", [
      "if (![...command.words, ...targets].some(isPattern)) return undefined;",
      "return undefined;",
    ]),
    one("links in a path are not resolved", "paths/paths.ts", [
      "flatMap((face) => [face, resolveThrough(face, realpath)])",
      "flatMap((face) => [face])",
    ]),
    one(".. after a link is resolved by name", "bash/links.ts", [
      "return resolveThrough(named, realpath) === at ? [named] : [named, at];",
      "return [named];",
    ]),
    one("readers that follow links stay in the workspace", "paths/exposure.ts", [
      "if (recursion?.follows !== true) return undefined;",
      "return undefined;",
    ]),
    one("files of a copied tree can land in a protected place", "paths/trees.ts", [
      "      const place = protectedPlace(face);\n      if (place !== undefined) return place;\n",
      "",
    ]),
    one("cp -r takes no trees", "paths/trees.ts", [
      "if (!TAKE_TREES.has(name)) return false;",
      "return false;",
    ]),
    one("a pattern after an expansion lists nothing", "verdict/permit.ts", [
      "if (looks !== undefined && command.words.some(({ expands }) => expands === true))",
      "if (false)",
    ]),
    one("a pattern in an expansion lists nothing", "bash/word.ts", [
      "(draft.isGlob || parts.some(givesPattern))",
      "draft.isGlob",
    ]),
    one("the list of a loop lists nothing", "bash/walker.ts", ["if (patterns.length > 0)", "if (false)"]),
    one("only the text of a loop counts", "verdict/permitted.ts", [
      'const refused = all.find(({ type }) => type === "none");',
      "const refused = all.length < 0 ? all[0] : undefined;",
    ]),
    one("a loop runs in the folder of its patterns", "verdict/permitted.ts", [
      "!isRepeated || moved ||",
      "!isRepeated ||",
    ]),
    one("a link that the command makes leads nowhere", "paths/planted.ts", [
      "if (around.plants.length === 0) return undefined;",
      "return undefined;",
    ]),
    one("a protected place has one name", "paths/command-files.ts", [
      "      const found = protectedPlace(face) ??",
      "      const found = protectedPlace(faces[0] as string) ??",
    ]),
  ],
  "read denies": [
    one("git shows only files that it names", "paths/exposure.ts", [
      'if (name === "git" && showsContent(rest))',
      "if (false)",
    ]),
    one("git grep and git blame show no content", "bash/git-content.ts", [
      '"show grep blame annotate cat-file archive',
      '"show archive',
    ]),
    one("git log -p shows no content", "bash/git-content.ts", [
      'if (LISTS.has(name) || (name === "stash" && rest[0]?.value === "list")) return hasPatch;',
      'if (LISTS.has(name) || (name === "stash" && rest[0]?.value === "list")) return false;',
    ]),
    one("git diff shows no content", "bash/git-content.ts", [
      "if (DIFFS.has(name)) return hasPatch || !options.some(isOverview);",
      "if (DIFFS.has(name)) return false;",
    ]),
    one("readers of folders show no denied file", "paths/exposure.ts", [
      'if (recursion?.shows !== "content") return undefined;',
      "return undefined;",
    ]),
    one("diff shows no folder", "bash/recursion.ts", [
      '["diff", { shows: "content", recurses: always, follows: always }],',
      "",
    ]),
    {
      title: "a pattern never means a denied file",
      edits: [
        {
          file: "paths/glob-touch.ts",
          find: 'if (rule.type !== "file" || file.word.type !== "glob") return undefined;',
          replace: "return undefined;",
        },
        {
          file: "verdict/bash-call.ts",
          find: "...(one.expanded === undefined ? [] : [one.expanded, ...one.expanded.variants]),",
          replace: "",
        },
      ],
    },
  ],
  "file denies": [
    one("a relative path in an unknown folder is one in the workspace", "paths/restricted-writes.ts", [
      "if (folders !== undefined) return undefined;",
      "if (folders === undefined || folders !== undefined) return undefined;",
    ]),
    one("a copied or moved folder takes no denied file along", "paths/restricted-writes.ts", [
      "keptEntry(command, rules, judge.workspace) ??",
      "",
    ]),
    one("a file whose name is unknown is not a denied one", "paths/restricted-writes.ts", [
      'if (word !== undefined && !word.raw.startsWith(">("))',
      "if (false)",
    ]),
    one("the files that find deletes are known", "paths/restricted-writes.ts", [
      '(name === "find" &&',
      "(false &&",
    ]),
    one("a shell whose commands are unknown uses no file", "verdict/forbidden.ts", [
      "if (script.runsUnknown && ",
      "if (false && ",
    ]),
    one("env -C runs in the folder of the text", "bash/folder-track.ts", [
      "if (folder === undefined) return visit();",
      "if (folder !== null) return visit();",
    ]),
    one("CDPATH leads nowhere else", "bash/folder.ts", [
      'assignments.some(({ name }) => name === "CDPATH") ||',
      "assignments.length < 0 &&",
    ]),
    one("a pattern after < matches no file", "paths/globs.ts", [
      "![...command.words, ...targets].some(isPattern)",
      "!command.words.some(isPattern)",
    ]),
    one("an unknown file after < is not a denied one", "paths/exposure.ts", [
      'if (input?.type === "file")',
      "if (false)",
    ]),
    one("a cd in eval ends with it", "bash/walker.ts", [
      'if (isHere) return this.#here(inner.text, name === "trap");',
      "",
    ]),
    one("programs write only the files of their tables", "paths/command-files.ts", [
      'if (first?.type !== "static") return [];',
      'if (first?.type !== "dynamic") return [];',
    ]),
  ],
  "deny evasion": [
    one("an unknown program does not run its arguments", "verdict/forbidden.ts", [
      "? script.commands.map(hiddenBelow).find((why) => why !== undefined)",
      "? undefined",
    ]),
    one("a denied name in a program's arguments is only text", "verdict/denied-names.ts", [
      "if (denied.length === 0) return undefined;",
      "return undefined;",
    ]),
    one("hidden commands are not denied", "verdict/forbidden.ts", [
      "if (script.isOpaque && hasRestrictions(book))",
      "if (false)",
    ]),
    one("a command with an unknown name is not denied", "bash/inner.ts", [
      'return [{ type: "opaque", why: "it runs a command whose name is not known in advance" }];',
      "return [];",
    ]),
    one("interpreters run no inline code", "bash/runners.ts", [
      "return check?.(words.slice(1), input) === true ? `${name} runs code that cannot be checked` : undefined;",
      "return undefined;",
    ]),
    one("a here-document of any descriptor is the input", "bash/reading.ts", [
      "return descriptor.value === 0;",
      "return true;",
    ]),
    one("a shell does not run its input", "bash/inner.ts", [
      'return readsInput ? [{ type: "opaque", why: "a shell runs commands from its input" }] : [];',
      "return [];",
    ]),
    one("an unknown script runs nothing", "bash/inner.ts", [
      ': { type: "opaque", why: "it runs a script that is not known in advance" };',
      ': { type: "words", words: [] };',
    ]),
    one("a file that the command writes is not run by it", "verdict/forbidden.ts", [
      "const written = hasRestrictions(book) ? runsWritten(seen) : undefined;",
      "const written = undefined;",
    ]),
    one("an unknown subcommand is not denied", "verdict/forbidden.ts", [
      "const meant = mayBeRestricted(script.commands, book);",
      "const meant = undefined;",
    ]),
    one("a program is denied by one of its names only", "verdict/command-text.ts", [
      "...(short.value === first.value ? [] : [[short, ...rest]]),\n    ...withoutOptions(short, rest),",
      "...withoutOptions(first, rest),",
    ]),
    {
      title: "wrappers run nothing",
      edits: [
        {
          file: "bash/wrappers.ts",
          find: 'if (known === undefined) return { type: "none" };',
          replace: 'return { type: "none" };',
        },
        {
          file: "verdict/denied-names.ts",
          find: "if (denied.length === 0) return undefined;",
          replace: "return undefined;",
        },
      ],
    },
  ],
  "wildcard rules": [
    one("a rule for a wrapper covers what it runs", "bash/sharp.ts", [
      "return !isNamed || isSharp(inner, ruleText);",
      "return isNamed && isSharp(inner, ruleText);",
    ]),
    one("a rule for export covers every variable", "bash/sharp-builtins.ts", [
      '  if (name === "PATH")\n',
      '  if (name === "PATH") return false;\n  if (name === "\\0")\n',
    ]),
    one("a rule for git covers all of git", "bash/sharp.ts", ['  ["git", isSharpGit],\n', ""]),
    one("git -c sets anything", "bash/git-config.ts", [
      'return HARMLESS.test(name) || (type === "static" && SWITCHED_OFF.test(value));',
      "return true;",
    ]),
    one("git config sets anything", "bash/git.ts", [
      'if (name === "config") return !isHarmlessConfig(after);',
      'if (name === "config") return false;',
    ]),
    one("options that are not listed are covered", "bash/git.ts", [
      "if (read === undefined || !known.isAllowed(read)) return false;",
      "if (read === undefined) return true;",
    ]),
    one("subcommands that are not listed are covered", "bash/git.ts", [
      'return RUNNERS.has(name) || after.some(isUnknown) || !ruleText.split(" ").includes(name);',
      "return false;",
    ]),
    one("a rule for tar covers all of tar", "bash/sharp.ts", [
      '  ["tar", (words) => readTar(words).isSharp],\n',
      "",
    ]),
    one("a rule for find covers -exec", "bash/sharp.ts", ["exec|execdir|ok|okdir|delete|", "delete|"]),
    one("a rule for sed covers scripts that run programs", "bash/sharp.ts", ['  ["sed", sed],\n', ""]),
    one("a rule for awk covers programs that run programs", "bash/sharp.ts", ['  ["awk", awk],\n', ""]),
    one("a rule for sort covers programs that compress", "bash/sharp.ts", [
      '  ["sort", options(sharp("", "", "compress-program"))],\n',
      "",
    ]),
    one("writes to protected places are not detected", "verdict/forbidden.ts", [
      "const place = writesProtected(files) ?? landsInProtected(command, judge.workspace);",
      "const place = landsInProtected(command, judge.workspace);",
    ]),
    one("files that git writes are not detected", "bash/written.ts", [
      'if (name === "git") return gitWrites(words);',
      "",
    ]),
  ],
};

export const MUTANTS: readonly Mutant[] = Object.entries(BY_CLASS).flatMap(([attack, mutants]) =>
  mutants.map((mutant) => ({ attack: attack as AttackClass, ...mutant })),
);
