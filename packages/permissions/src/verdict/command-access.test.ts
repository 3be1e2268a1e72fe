import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { commandAccess } from "./command-access.ts";

const root = realpathSync(mkdtempSync(join(tmpdir(), "access-")));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const cwd = join(root, "work");
mkdirSync(join(cwd, "dir/sub"), { recursive: true });
mkdirSync(join(cwd, "linked"));
for (const name of ["a", "b", "dir/a", "a.ts", "a.go"]) writeFileSync(join(cwd, name), name);
symlinkSync("a", join(cwd, "link"));
symlinkSync("dir", join(cwd, "dirlink"));
symlinkSync("../../outside", join(cwd, "linked/a"));
linkSync(join(cwd, "b"), join(cwd, "hard"));

/** `reads > writes`, relative to the working directory; `*` for everything. */
function shown(command: string): string {
  const access = commandAccess(command, { cwd, home: "/home/me" });
  if (access.type === "everything") return "*";
  const short = (paths: readonly string[]): string =>
    paths
      .map((path) => (path.startsWith(`${cwd}/`) ? path.slice(cwd.length + 1) : path.replace(root, "..")))
      .join(" ");
  const ends = access.usesCwd ? " in cwd" : "";
  return `${short(access.reads)} > ${short(access.writes)}${ends}`.trim().replaceAll(/ +/g, " ");
}

describe("commands that print something touch nothing", () => {
  test.each([
    "sleep 1",
    "true",
    ":",
    "echo hello",
    "echo 'a b' c",
    "date",
    "date +%s",
    "date -u",
    "uptime",
    "printf '%s\\n' a",
    "seq 3",
    "basename /a/b",
    "sleep 1; echo done",
    "sleep 1 && date || echo no",
    "echo a | cat",
    "echo hi > /dev/null 2>&1",
    "LC_ALL=C date",
    "! true",
    "time sleep 1",
  ])("%s", (command) => expect(shown(command)).toBe(">"));
});

describe("known commands touch the files that they name", () => {
  test.each([
    ["pwd", "> in cwd"],
    ["echo a > x", "> x in cwd"],
    ["echo a >> x", "> x in cwd"],
    ["echo a > /srv/x", "> /srv/x"],
    ["echo a > ~/x", "> /home/me/x"],
    ["> x", "> x in cwd"],
    ["date &> x", "> x in cwd"],
    ["cat a 2> err", "a > err in cwd"],
    ["cat a", "a > in cwd"],
    ["cat a /etc/hosts > x", "a /etc/hosts > x in cwd"],
    ["cat > x <<'EOF'\n$(rm b)\nEOF", "> x in cwd"],
    ["sort -rn a | uniq -c > x", "a > x in cwd"],
    ["grep -c foo a > x", "a > x in cwd"],
    ["head -n 3 < a", "a > in cwd"],
    ["echo a | tee x y", "> x y in cwd"],
    ["echo a | tee -a x", "> x in cwd"],
    ["mkdir x", "> x in cwd"],
    ["mkdir -p x/y/z", "> x in cwd"],
    ["mkdir -p dir/y/z", "> dir/y in cwd"],
    ["touch x y", "> x y in cwd"],
    ["touch {x,y}", "> x y in cwd"],
    ["touch -- -x", "> -x in cwd"],
    ["rm -rf dir", "> dir in cwd"],
    ["rm -f a x", "> a x in cwd"],
    ["rmdir dir", "> dir in cwd"],
    ["cp a x", "a > x in cwd"],
    ["cp a dir", "a > dir/a in cwd"],
    ["cp a a.ts dir/", "a a.ts > dir/a dir/a.ts in cwd"],
    ["cp -r dir x", "dir > x in cwd"],
    ["cp -a a.ts dir", "a.ts > dir/a.ts in cwd"],
    ["cp -r dir linked", "dir > linked/dir in cwd"],
    ["cp -r dir/. x", "dir > x in cwd"],
    ["cp a ../x", "a > ../x in cwd"],
    ["cp dirlink/a x", "dirlink/a > x in cwd"],
    ["mv a x", "a > a x in cwd"],
    ["mv a a.ts dir", "a a.ts > a a.ts dir/a dir/a.ts in cwd"],
    ["mv -f dir x", "dir > dir x in cwd"],
    ["ln -s a x", "> x in cwd"],
    ["ln -s ../a dir", "> dir/a in cwd"],
    ["ln -s /etc/hosts", "> hosts in cwd"],
    ["chmod +x a", "> a in cwd"],
    ["truncate -s 0 a", "> a in cwd"],
    ["sed -i 's/a/b/' a", "a > a in cwd"],
    ["sed -i.bak -e 's/a/b/' a", "a > a a.bak in cwd"],
    ["sed -n 1p a", "a > in cwd"],
    ["gofmt -w a.go", "> a.go in cwd"],
    ["gofmt -s -w ./a.go", "> a.go in cwd"],
    ["mkdir -p x && touch x/y && echo a > x/z", "> x x/y x/z in cwd"],
    ["mkdir x && cp a x", "a > x in cwd"],
    ["mv a x && touch y", "a > a x y in cwd"],
  ])("%s", (command, access) => expect(shown(command)).toBe(access));
});

test("a formatter also reads the configuration in the folders above", () => {
  const access = commandAccess("prettier --write dir/a a.ts", { cwd, home: "/home/me" });
  expect(access).toMatchObject({ type: "places", writes: [join(cwd, "dir/a"), join(cwd, "a.ts")] });
  const reads = access.type === "places" ? access.reads : [];
  for (const path of ["dir/.prettierrc", "package.json", "../.editorconfig"])
    expect(reads).toContain(join(cwd, path));
  expect(reads).toContain("/package.json");
});

describe("anything else touches everything", () => {
  test.each([
    // A command whose only effect is to fail, and unknown programs and options.
    "false",
    "npm test",
    "make",
    "git status > x",
    "./script",
    "touch -r a x",
    "cp --backup a x",
    "cp -l a x",
    "cp -s a x",
    "cp -t dir a",
    "mv --exchange a b",
    "rm -i a",
    "ln a x",
    "tee --output-error=warn x",
    "sed -i 's/a/b/w out' a",
    "sed -i 's/a/b/e' a",
    "sed -i -f script a",
    "sed --follow-symlinks -i 's/a/b/' link",
    "date -s tomorrow",
    "grep -r foo dir > x",
    "sha256sum -c sums > x",
    "sort -o b a",
    "uniq a x",
    "gofmt -w dir",
    "gofmt -cpuprofile x -w a.go",
    "prettier --write .",
    "prettier --write 'dir/*.ts'",
    "prettier --write --plugin ./p.js a.ts",
    "prettier --write missing.ts",
    "chmod -R 755 dir",
    "/bin/touch x",
    // Words that are known only when they run.
    "touch $x",
    'touch "$x"',
    "touch *",
    "rm dir/*",
    "touch $(cat a)",
    "touch `cat a`",
    "echo a > $x",
    "echo a > *",
    "cp a{,.bak,$x}",
    "cat <(echo a) > x",
    "echo a > >(cat)",
    "touch ~other/x",
    "cat > x <<EOF\n$(rm b)\nEOF",
    "echo $(touch x)",
    // Other folders, control flow and jobs.
    "cd dir && touch x",
    "(touch x)",
    "{ touch x; }",
    "for i in a b; do touch x; done",
    "if true; then touch x; fi",
    "while false; do touch x; done",
    "touch x &",
    "sleep 1 & echo a",
    "sleep() { rm a; }; sleep 1",
    "alias touch=rm; touch a",
    "exec > x",
    "eval 'touch x'",
    "set -o noclobber; touch x",
    "trap 'rm a' EXIT; true",
    "sudo touch x",
    "env touch x",
    "xargs touch < a",
    "x=1",
    "PATH=. touch x",
    "BASH_ENV=x touch y",
    "source a",
    // Paths that lead elsewhere.
    "touch dir/../x",
    "touch dirlink/../x",
    "cp a dir/..",
    "echo a > link",
    "touch link",
    "rm link",
    "mv link x",
    "cp a link",
    "cp a linked",
    "cp -r dir/. linked",
    "ln -sfn a link",
    "echo x > hard",
    "cp a b",
    "rm -rf /",
    "rm -rf ../work",
    "mv ../work ../other",
    "cp -r dir/. .",
    "echo a > /dev/sda",
    "echo a > /dev/tcp/localhost/80",
    "echo 3 > /proc/sys/vm/drop_caches",
    // A link that one command makes can lead the next one anywhere.
    "ln -s /etc x && touch x/a",
    "cp -a linked x && echo a > x/a",
    "mv linked x; echo a > x/a",
    "",
    "touch 'x",
  ])("%s", (command) => expect(shown(command)).toBe("*"));
});
