/** Wildcard rules on a real disk: links that lead out, folders to unpack into, repositories with hooks. */

import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createPermissions } from "./permissions.ts";

let root: string;
let proj: string;

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), "runahead-limits-")));
  proj = join(root, "proj");
  for (const folder of [
    "proj/.git/hooks",
    "proj/.git/refs/remotes/heroku",
    "proj/sub",
    "proj/deep",
    "outside",
  ])
    mkdirSync(join(root, folder), { recursive: true });
  for (const file of ["proj/f", "proj/sub/x", "outside/file"]) writeFileSync(join(root, file), "x\n");
  symlinkSync("../outside", join(proj, "out"));
  symlinkSync("../outside/file", join(proj, "lf"));
  symlinkSync("../.git/hooks", join(proj, "deep/hk"));
  execFileSync("git", ["init", "-q", "--bare", join(proj, "evil")]);
  writeFileSync(join(proj, "evil/hooks/post-receive"), `#!/bin/sh\ntouch ${root}/ran\n`);
  chmodSync(join(proj, "evil/hooks/post-receive"), 0o755);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function verdicts(commands: readonly string[], rules: readonly string[]): string[] {
  const permissions = createPermissions({
    settings: { allow: rules.map((name) => `Bash(${name}:*)`) },
    cwd: proj,
    home: root,
  });
  return commands.map((command) => `${permissions.decide("Bash", { command }).behavior}: ${command}`);
}

const all = (behavior: string, commands: readonly string[]): string[] =>
  commands.map((command) => `${behavior}: ${command}`);

test("class 5: a wildcard rule does not cover a write through a link out of the workspace", () => {
  const through = [
    "git archive -o lf HEAD",
    "git bundle create out/x HEAD",
    "git worktree add out/x",
    "git format-patch -o out HEAD~1",
    "cp f lf",
    "cp f out/",
    "cp f o*",
    "sort -o lf f",
    "tar cf out/x f",
    "for d in out/x; do cp f $d; done",
  ];
  const rules = ["git", "cp", "sort", "tar"];
  expect(verdicts(through, rules)).toEqual(all("ask", through));
  const inside = ["git archive -o x.zip HEAD", "cp f sub/", "sort -o f f", "tar cf x.tar f"];
  expect(verdicts(inside, rules)).toEqual(all("allow", inside));
});

test("class 8: an archive is not unpacked into a folder with links that lead elsewhere", () => {
  const rules = ["tar", "unzip", "docker"];
  const risky = [
    "tar xf a -C deep",
    "tar xf a -C out",
    "unzip a -d deep",
    "unzip a -d out",
    "docker cp c:/x .",
  ];
  expect(verdicts(risky, rules)).toEqual(all("ask", risky));
  const plain = [
    "tar xf a -C sub",
    "tar xf a -C new",
    "unzip a -d sub",
    "docker cp c:/x logs",
    "docker cp f c:/x",
  ];
  expect(verdicts(plain, rules)).toEqual(all("allow", plain));
});

test("class 8: git runs the hooks of a repository on this machine, so that a wildcard rule does not cover it", () => {
  execFileSync("git", ["init", "-q", join(root, "work")]);
  const git = (...words: string[]): void => {
    const own = ["-C", join(root, "work"), "-c", "user.name=a", "-c", "user.email=a@b.test"];
    execFileSync("git", [...own, ...words], { stdio: "ignore" });
  };
  git("commit", "--allow-empty", "-m", "x");
  git("push", join(proj, "evil"), "HEAD:refs/heads/x");
  expect(existsSync(join(root, "ran"))).toBe(true);
  const local = [
    "git push evil HEAD",
    "git push ./evil HEAD",
    "git push --repo=evil",
    "git push file:///x HEAD",
    "git pull evil",
    "git fetch ../x",
    "git fetch --multiple origin evil",
    "git ls-remote evil",
    "git clone evil copy",
    "git remote add e evil",
    "git remote set-url origin ./evil",
    "git push elsewhere",
  ];
  expect(verdicts(local, ["git"])).toEqual(all("ask", local));
  const remote = [
    "git push",
    "git push origin HEAD",
    "git push -u origin x",
    "git push heroku main",
    "git pull origin sub",
    "git fetch upstream",
    "git clone https://example.com/a/b.git",
    "git clone git@example.com:a/b.git",
    "git remote add x https://example.com/a/b.git",
    "git remote set-url origin git@example.com:a/b.git",
    "git remote rename a b",
    "git fetch . main:copy",
  ];
  expect(verdicts(remote, ["git"])).toEqual(all("allow", remote));
});

test("class 8: further options that name programs, settings or files that are not visible", () => {
  const rules = ["docker", "curl", "awk", "npm", "xargs", "npm run test", "yarn", "pnpm"];
  const sharp = [
    "docker -l debug --config evil x",
    "docker --log-level debug -H tcp://h ps",
    "docker service create --mount type=bind,source=/,target=/h i",
    "docker volume create --opt device=/ x",
    "curl -w @f https://h.test",
    "curl --write-out @f https://h.test",
    "curl -O 'h.test/{.npmrc}'",
    'awk \'BEGIN{print "x" > "/inet/tcp/0/h/1"}\'',
    "npm set-script x y",
    "yarn workspace a exec id",
    "yarn workspaces foreach exec id",
    "pnpm -r exec id",
    "npm run test --script_shell=x",
    "npm run test --SCRIPT-SHELL=x",
    "xargs sh -c x",
    "xargs -n 1 rm",
  ];
  expect(verdicts(sharp, rules)).toEqual(all("ask", sharp));
  const plain = [
    "yarn workspace a add b",
    "pnpm add x",
    "docker -l debug ps",
    "curl -O https://h.test/a.tgz",
    "curl -w x https://h.test",
    "xargs -n 1 grep x",
  ];
  expect(verdicts(plain, rules)).toEqual(all("allow", plain));
});
