/** A repository whose configuration names a program for everything that git can run. */

import { execFileSync } from "node:child_process";
import { appendFileSync, chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface HostileRepository {
  readonly root: string;
  /** Whether any of the programs has run. */
  readonly hasRun: () => boolean;
}

/** `folder` must not exist. */
export function makeHostileRepository(folder: string): HostileRepository {
  const [root, mark] = [join(folder, "project"), join(folder, "ran")];
  mkdirSync(join(root, "sub"), { recursive: true });
  const program = join(folder, "evil.sh");
  writeFileSync(program, `#!/bin/sh\necho "$0 $@" >> ${mark}\ncat 2>/dev/null\n`);
  chmodSync(program, 0o755);
  const git = (...args: string[]): void => void execFileSync("git", args, { cwd: root, stdio: "ignore" });
  git("init", "-q");
  writeFileSync(join(root, "a.txt"), "a\n");
  writeFileSync(join(root, "sub/b.txt"), "b\n");
  git("add", ".");
  git("-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "first");
  writeFileSync(join(root, ".gitattributes"), "*.txt filter=evil diff=evil merge=evil\n");
  const hooks = join(folder, "hooks");
  mkdirSync(hooks);
  for (const name of [
    "post-index-change",
    "pre-commit",
    "post-checkout",
    "reference-transaction",
    "fsmonitor-watchman",
  ])
    writeFileSync(join(hooks, name), `#!/bin/sh\necho hook >> ${mark}\n`, { mode: 0o755 });
  writeFileSync(
    join(folder, "included"),
    `[core]\n\tfsmonitor = ${program}\n[alias]\n\tls-files = !${program}\n`,
  );
  appendFileSync(
    join(root, ".git/config"),
    `[core]
	fsmonitor = ${program}
	hooksPath = ${hooks}
	pager = ${program}
	editor = ${program}
	askPass = ${program}
	sshCommand = ${program}
	gitProxy = ${program}
	alternateRefsCommand = ${program}
[diff]
	external = ${program}
[diff "evil"]
	textconv = ${program}
	command = ${program}
[filter "evil"]
	clean = ${program}
	smudge = ${program}
	process = ${program}
	required = true
[merge "evil"]
	driver = ${program}
[credential]
	helper = !${program}
[gpg]
	program = ${program}
[uploadpack]
	packObjectsHook = ${program}
[alias]
	ls-files = !${program}
	status = !${program}
[remote "origin"]
	url = ext::${program}
	promisor = true
	partialclonefilter = blob:none
[extensions]
	partialClone = origin
[include]
	path = ${join(folder, "included")}
`,
  );
  // Newer than the index, so that git reads it again.
  writeFileSync(join(root, "a.txt"), "changed\n");
  return { root, hasRun: () => existsSync(mark) };
}
