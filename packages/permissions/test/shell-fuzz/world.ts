/** The file system for a fuzzed command: a home folder, a workspace with links and traps, and what surrounds it. */

import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type FixtureDisk, diskBelow } from "../../src/verdict/corpus-fixture.ts";

export const HOME = "/home/u";
export const CWD = "/home/u/proj";
/** Contents of files that must not be shown: one that rules deny, one outside the workspace. */
export const DENIED_TOKEN = "TOKENDENIED";
export const OUTSIDE_TOKEN = "TOKENOUTSIDE";

/** Files that the rules deny; they contain the first token. */
export const DENIED_FILES = [`${CWD}/.env`, `${CWD}/sub/secret/key.txt`];

/** A program that records its calls when it runs. */
const PROGRAM = "#!/jail/bash -p\n. /jail/shim\n";

/** A program of the project that runs its arguments. */
const RUNNER = "./task.sh";
const RUNS_ARGUMENTS = '#!/jail/bash -p\nexec "$@"\n';

/** By path relative to the home folder. */
const FILES: Readonly<Record<string, string>> = {
  ".bashrc": "# rc\n",
  "token.txt": `${OUTSIDE_TOKEN}\n`,
  "outside/f.txt": `outside ${OUTSIDE_TOKEN}\n`,
  // A list of the folder shows the name.
  [`outside/${OUTSIDE_TOKEN}.txt`]: "x\n",
  "proj/a.txt": "alpha\nbeta\nalpha\n",
  "proj/b.txt": "beta\ngamma:1\n",
  "proj/notes.md": "# notes\n",
  "proj/package.json": "{}\n",
  "proj/src/main.ts": "alpha();\n",
  "proj/src/util.ts": "export const beta = 1;\n",
  "proj/out/old.txt": "old\n",
  "proj/sub/deep/file.txt": "deep alpha\n",
  "proj/.env": `KEY=${DENIED_TOKEN}\n`,
  "proj/sub/secret/key.txt": `${DENIED_TOKEN}\n`,
  "proj/mod/m.txt": "module\n",
  "proj/list.txt": "a.txt\nb.txt\n",
  "proj/evil.txt": "touch stolen\n",
  "proj/script.sed": "1e touch stolen\n",
  "proj/prog.awk": 'BEGIN { system("touch stolen") }\n',
  "proj/tmpl/readme": "template\n",
  "proj/.vscode/settings.json": "{}\n",
  "proj/node_modules/pkg/index.js": "1;\n",
  "proj/pl/.npmrc": "script-shell=./run.sh\n",
  "proj/pl/x.txt": "x\n",
  "proj/pl/.claude/settings.json": "{}\n",
  // Names that a pattern can expand to options.
  "proj/-ostolen": "dash\n",
  "proj/--output=stolen": "dash\n",
};

/** Git runs it because the repository's configuration names it. */
export const MONITOR = "./monitor.sh";
const PROGRAMS: readonly string[] = [
  "proj/run.sh",
  "proj/ls",
  "proj/out/ls",
  "proj/sub/git",
  "proj/monitor.sh",
];

const LINKS: Readonly<Record<string, string>> = {
  "proj/.link": "/home/u/outside",
  "proj/out/.link": "../../outside",
  "proj/.filelink": "/home/u/outside/f.txt",
  "proj/.gitlink": ".git",
  "proj/lk": "/home/u/outside",
  "proj/lf": "/home/u/outside/f.txt",
  "proj/gl": ".git",
  "proj/inside": "sub/deep",
  "proj/sub/up": "..",
};

/** Names that begin with a dash: options for a program, files for a rule. */
export const DASHED: ReadonlySet<string> = new Set(["-ostolen", "--output=stolen"]);

/** Creates the home folder here, with a real repository. Links to `/` lead to `root`. */
export function makeWorld(folder: string, root = ""): void {
  for (const [path, content] of Object.entries(FILES)) put(join(folder, path), content);
  put(join(folder, "proj", RUNNER), RUNS_ARGUMENTS);
  chmodSync(join(folder, "proj", RUNNER), 0o755);
  for (const path of PROGRAMS) {
    put(join(folder, path), PROGRAM);
    chmodSync(join(folder, path), 0o755);
  }
  for (const [path, target] of Object.entries(LINKS))
    symlinkSync(target.startsWith("/") ? root + target : target, join(folder, path));
  makeRepository(join(folder, "proj"));
}

function put(path: string, content: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

function makeRepository(folder: string): void {
  const person = {
    GIT_AUTHOR_NAME: "u",
    GIT_AUTHOR_EMAIL: "u@x",
    GIT_COMMITTER_NAME: "u",
    GIT_COMMITTER_EMAIL: "u@x",
  };
  const env = { ...person, PATH: process.env["PATH"], HOME: folder, GIT_CONFIG_NOSYSTEM: "1" };
  const git = (...args: string[]): unknown =>
    execFileSync("git", args, { cwd: folder, env, stdio: "ignore" });
  try {
    git("init", "-q");
    git("add", "a.txt", "b.txt", "src", ".env", "sub/secret");
    git("commit", "-q", "-m", "first");
    git("config", "core.fsmonitor", MONITOR);
    rmSync(join(folder, ".git/hooks"), { recursive: true, force: true });
    // A repository inside the workspace, with its own helper.
    git("-C", "mod", "init", "-q");
    git("-C", "mod", "add", "m.txt");
    git("-C", "mod", "config", "core.fsmonitor", `${CWD}/run.sh`);
    rmSync(join(folder, "mod/.git/hooks"), { recursive: true, force: true });
  } catch {
    put(join(folder, ".git/config"), "[core]\n");
  }
}

let root: string | undefined;

/** The same files for the judge, below a folder that stands for `/`. */
export function judgedDisk(): FixtureDisk {
  if (root === undefined) {
    const made = realpathSync(mkdtempSync(join(tmpdir(), "shell-fuzz-judged-")));
    process.once("exit", () => rmSync(made, { recursive: true, force: true }));
    makeWorld(join(made, HOME), made);
    root = made;
  }
  return diskBelow(root);
}
