/** The rule sets that commands are generated for, with harmless commands that each of them allows. */

import { createPermissions, type Permissions } from "../../src/verdict/permissions.ts";
import { CWD, DENIED_TOKEN, HOME, judgedDisk, OUTSIDE_TOKEN } from "./world.ts";

export interface RuleSet {
  readonly name: string;
  /** Commands that only read run in the read-only sandbox. */
  readonly confinesReads: boolean;
  /** The user has trusted the workspace. */
  readonly trusted: boolean;
  readonly settings: {
    readonly mode: "default" | "acceptEdits" | "bypassPermissions";
    readonly allow: readonly string[];
    readonly deny: readonly string[];
  };
  /**
   * Commands that are allowed; `%f` is a file, `%d` a folder, `%w` a word, `%p` a pattern, `%o` a file that can be
   * written.
   */
  readonly harmless: readonly string[];
  /** A rule allows programs that write any file they are given: only protected places count. */
  readonly hasWriters: boolean;
  /** Texts that no output must contain. */
  readonly tokens: readonly string[];
  /** Files that a redirection can write; empty if it must not write. */
  readonly targets: readonly string[];
}

const DENIED_FILES = ["Read(.env)", "Read(secret/**)"];

const LOOKS = [
  "ls",
  "ls -la %d",
  "ls -1 %f %f",
  "cat %f",
  "cat -n %f %f",
  "head -n 2 %f",
  "tail -2 %f",
  "wc -l %f",
  "grep -n %w %f",
  "grep -rn %w src",
  "grep -c %w",
  "echo %w %w",
  "echo -n %w",
  "printf '%s\\n' %w %w",
  "pwd",
  "find . -name '*.txt' -type f",
  "find src -maxdepth 1",
  "sort -r %f",
  "sort %f %f",
  "sort -u",
  "uniq -c",
  "cut -d: -f1 %f",
  "tr a-z A-Z",
  "diff %f %f",
  "git status",
  "git status --short",
  "git log --oneline -3",
  "git diff --stat",
  "git show --name-only HEAD",
  "git branch --list",
  "git rev-parse HEAD",
  "git ls-files %d",
  "sed -n 1,2p %f",
  "sed 's/a/b/g' %f",
  "sed -e 's/al/%w/' -e 2d %f",
  "du -sh %d",
  "basename %f .txt",
  "dirname %f",
  "seq 3",
  "true",
  "test -f %f",
  "[ -f %f ]",
  "[ %w = %w ]",
  "which ls",
  "type cat",
  "command -v ls",
  "nl %f",
  "rev %f",
  "tac %f",
  "cmp %f %f",
  "comm %f %f",
  "paste %f %f",
  "realpath %f",
  "readlink inside",
  "md5sum %f",
  "cd %d",
  "ls %p",
  "cat %p",
  "wc %p",
  "stat -c %s %f",
  "rev",
  "cat",
  "wc -w",
];

const EDITS = [
  "touch %o",
  "mkdir -p %o",
  "rm -f %f",
  "rm -r sub",
  "cp %f %o",
  "mv %f %o",
  "rmdir sub",
  "sed -i s/a/b/ %f",
  "cp -r src %o",
  "cp %f %f %d",
  "mv -n %f %d",
  "echo %w > %o",
  "cat %f >> %o",
  "cp -a .link %o",
  "cp -r tmpl %o",
];

const WIDE = [
  "git log %f",
  "git diff %w",
  "git -c core.quotepath=off status",
  "git grep %w",
  "find . -newer %f",
  "find %d -name %w",
  "sed -e s/a/b/ %f",
  "sed -E 's/(a)/b/' %f",
  "sed --expression=2d %f",
  "awk '{print $1}' %f",
  "awk -F: '{print NF}' %f",
  "awk '/alpha/ {n++} END {print n}' %f",
  "awk 'NR==1 || NR==2' %f",
  "sort -k1 %f",
  "tar -cf %o %f",
  "tar cf %o %d",
  "make %w",
];

/** The values that most rule sets share. */
const USUAL = { confinesReads: false, trusted: true };

export const RULE_SETS: readonly RuleSet[] = [
  {
    name: "looking",
    ...USUAL,
    settings: { mode: "default", allow: [], deny: [] },
    harmless: LOOKS,
    hasWriters: false,
    tokens: [OUTSIDE_TOKEN],
    targets: [],
  },
  {
    name: "editing",
    ...USUAL,
    settings: { mode: "acceptEdits", allow: ["Bash(npm run test *)"], deny: [] },
    harmless: [...LOOKS, ...EDITS, ...EDITS, "npm run test %w"],
    hasWriters: false,
    tokens: [],
    targets: ["new.txt", "out/new.txt", "b.txt", "sub/new.txt", "inside/new.txt"],
  },
  {
    name: "rules",
    ...USUAL,
    settings: {
      mode: "default",
      allow: [
        "Bash(git status)",
        "Bash(npm run test *)",
        "Bash(echo *)",
        "Bash(ls:*)",
        "Bash(make)",
        "Bash(timeout:*)",
        "Bash(export:*)",
        "Bash(jest:*)",
        "Edit(out/**)",
      ],
      deny: ["Bash(rm *)", "Bash(git push*)", "Bash(curl:*)", ...DENIED_FILES],
    },
    harmless: [
      ...LOOKS,
      "npm run test",
      "npm run test %w -- %f",
      "make",
      "git status",
      "echo %w > %o",
      "ls -la > %o",
    ],
    hasWriters: false,
    tokens: [DENIED_TOKEN],
    targets: ["out/new.txt", "out/old.txt", "./out/x", "out/../out/y", "$PWD/out/z"],
  },
  {
    name: "wide",
    ...USUAL,
    settings: {
      mode: "default",
      allow: ["git", "find", "sed", "awk", "sort", "tar", "make"].map((name) => `Bash(${name}:*)`),
      deny: [],
    },
    harmless: [...WIDE, ...WIDE, ...LOOKS],
    hasWriters: true,
    tokens: [],
    targets: [],
  },
  {
    name: "denying",
    ...USUAL,
    settings: {
      mode: "bypassPermissions",
      allow: [],
      deny: ["Bash(rm:*)", "Bash(touch:*)", "Bash(git push:*)"],
    },
    harmless: [...LOOKS, ...EDITS.filter((one) => !/^(?:rm|touch)/.test(one)), "npm run test", "make %w"],
    hasWriters: true,
    tokens: [],
    targets: ["new.txt", "out/new.txt"],
  },
  {
    name: "guarding",
    ...USUAL,
    settings: {
      mode: "bypassPermissions",
      allow: [],
      deny: ["Edit(b.txt)", "Edit(sub/secret/**)", "Read(sub/secret/**)", "Read(.env)"],
    },
    harmless: [...LOOKS, "echo %w > %o", "cp a.txt %o", "touch %o", "mkdir -p %o"],
    hasWriters: false,
    tokens: [DENIED_TOKEN],
    targets: ["new.txt", "out/new.txt", "src/new.txt"],
  },
  {
    name: "confined",
    confinesReads: true,
    trusted: true,
    settings: { mode: "default", allow: [], deny: DENIED_FILES },
    harmless: LOOKS,
    hasWriters: false,
    tokens: [OUTSIDE_TOKEN, DENIED_TOKEN],
    targets: [],
  },
  {
    name: "untrusted",
    confinesReads: true,
    trusted: false,
    settings: { mode: "default", allow: [], deny: [] },
    harmless: LOOKS,
    hasWriters: false,
    tokens: [OUTSIDE_TOKEN],
    targets: [],
  },
];

/** Creates permissions, from the sources or from a mutant. */
export type Create = typeof createPermissions;

export function permissionsOf(
  { settings, confinesReads, trusted }: RuleSet,
  create: Create = createPermissions,
): Permissions {
  return create({
    settings,
    cwd: CWD,
    home: HOME,
    trusted,
    ...judgedDisk(),
    ignoresCase: false,
    confinesReads: () => confinesReads,
  });
}
