import { describe, test } from "vitest";
import { check } from "../../test/corpus/table.ts";

const bash = (...patterns: string[]): string[] => patterns.map((pattern) => `Bash(${pattern})`);

describe("D11: a rule that ends in a wildcard does not cover what runs something else", () => {
  test("awk: programs that are not to be seen, or that run, pipe or write what is not a lone string", () => {
    check(
      { allow: bash("awk:*") },
      {
        allow: [
          "awk '{print $1/2, $2/3}' a",
          "awk -F: '/alpha|beta/ {n++} END {print n}' a",
          "awk -F, '{print $1 \"|\" $2}' a",
          "awk '{print ($1+$2)/2 \"|\"}' a",
          "awk 'NR>1 && $3 > 10 || /x/' *.txt",
          "awk -v n=\"$N\" 'NR==n' a",
          "awk '{print > \"out/x\"}' a",
          'awk \'{ printf "%s\\n", $1 > "/dev/stderr" }\' a',
          "awk '{gsub(/\\//, \"|\"); print}' a",
          "awk '{n = length / 2; print n}' a",
          "awk '{ sub(/[^/]*$/, \"\"); print }' a",
          "awk -- '{print}' a",
          "awk '{print}' \"$f\" # a comment",
        ],
        ask: [
          'awk \'BEGIN{print "x" | ("sh")}\'',
          "awk 'BEGIN{x=4/2; system(\"x\"); y=4/2}'",
          "awk 'BEGIN{system\\\n(\"x\")}'",
          'awk \'/"/ {system("x")} /"/\' a',
          'awk \'BEGIN{f="system"; @f("x")}\'',
          "awk 'BEGIN{\"x\" | getline}'",
          'awk \'BEGIN{x++ /2; print "y" | "sh" /1}\'',
          'awk \'BEGIN{if (1) /x/; print "y" | "sh"; /y/}\'',
          'awk \'BEGIN{/[/]/; print "y" | "sh"; /]/}\'',
          'awk \'BEGIN{if (1) /a"/; print "x" | "sh" #"\n}\'',
          'awk \'BEGIN{/[/]"/; print "x" | "sh" #"\n}\'',
          'awk \'BEGIN{ # \\\n print "x" | "sh"\n}\'',
          "awk '{print a ||\n\n b > x}' a",
          "awk '{print a \\\n > x}' a",
          "awk '{print > x}' a",
          'awk \'{print > ".git/" "x"}\' a',
          "awk '{print a,\n b > x}' a",
          "awk '{print > \".git/x\"}' a",
          "awk -f prog a",
          "awk -fprog a",
          "awk --fi=prog a",
          "awk -W exec prog",
          "awk -i inplace 1 a",
          "awk {-f,prog}",
          "awk -f p*",
          "awk $x a",
          'awk "$x" a',
          "awk -F $x a",
          "echo x | xargs awk",
        ],
      },
    );
    check({ allow: bash("awk -f prog a") }, { allow: ["awk -f prog a"], ask: ["awk -f prog b"] });
  });

  test("sed: by letters together, by the beginning of a long option, by what is kept", () => {
    check(
      { allow: bash("sed:*") },
      {
        allow: [
          "sed -n 5,10p a",
          "sed -ne 3p a",
          "sed --expr=2d a",
          "sed -i.bak -e s/a/b/ a",
          "sed -i '' s/a/b/ a",
          "sed -nE --quiet '/(a|b)/p' src/*.ts",
          'sed -n 3p -- "$f"',
        ],
        ask: [
          "sed --expr='1e x' a",
          "sed --exp '1e x' a",
          "sed -f script a",
          "sed -snf script a",
          "sed -nfscript a",
          "sed --fi=script a",
          "sed -i '' '1e x' a",
          "sed -i'.git/*' s/a/b/ a",
          "sed --in-pl='.git/*' s/a/b/ a",
          "sed -irc s/a/b/ .bash",
          "sed -i'*rc' s/a/b/ src/.npm",
          "sed p $x a",
          'sed p "$f"',
          "sed p *",
          "sed p {-e,'1e x'} a",
          "ls | xargs sed p",
          "sed --unheard-of p a",
        ],
      },
    );
  });

  test("git: by the beginning of a long option, by settings, and by words that are not known", () => {
    check(
      { allow: bash("git:*") },
      {
        allow: [
          "git grep --only-matching x",
          "git fetch --update-head-ok origin",
          'git commit -m "$MSG"',
          "git commit -m \"$(cat <<'E'\nx\nE\n)\"",
          "git add *.ts",
          'git checkout "$b"',
          "git push -u origin main",
          "git -c core.quotepath=off log",
          "git config user.name x",
          "git config --get alias.x",
          "git log -- *.ts",
        ],
        ask: [
          "git grep --open=./x y",
          "git ls-remote --upload-p=./x .",
          "git push --exe=./x .",
          "git clone --upload-p ./x . y",
          "git clone --conf core.fsmonitor=./x . y",
          "git init --templ=x",
          "git rebase -ix ./x",
          "git config alias.x '!x'",
          "git config --add core.fsmonitor ./x",
          "git $(echo -c core.fsmonitor=./x status)",
          'git "$x"',
          'git -c "$x" status',
          'git -"$x" status',
          "git -C $x status",
          "git log $(echo --output=.git/x)",
          "git log --outp=.git/x",
          "git fetch $x",
          "echo x | xargs git",
          "git send-email x",
        ],
      },
    );
    check(
      { allow: bash("git:*"), deny: bash("rm:*") },
      { deny: ["git rebase --exe 'rm x'", "git push --receive='rm x' .", "git rebase -x 'rm x'"] },
    );
  });

  test("tar: what it runs, in every way to write it, and what it writes", () => {
    check(
      { allow: bash("tar:*") },
      {
        allow: [
          "tar czf out/x.tgz src",
          "tar -czvf x.tgz --exclude=y .",
          "tar --create --file=x src",
          "tar -xf x -C out",
          "tar xOf x",
          "tar -cf x --checkpoint=1 a",
          "tar tf .git/x",
        ],
        ask: [
          "tar -cf x -I./run.sh a",
          "tar -czI ./run.sh -f x a",
          "tar cIf ./run.sh x a",
          "tar xf x",
          "tar -cf x --use-comp=./run.sh a",
          "tar -cf x --checkpoint-act=exec=./run.sh a",
          "tar -xf x --to-com ./run.sh",
          "tar -cf x -F./run.sh a",
          "tar -cf host:x a",
          "tar -cf x *",
          "tar -cf x $y",
          "ls | xargs tar -cf x",
          "tar -cf .git/x a",
          "tar cf .git/x a",
          "tar -c --fil .git/x a",
          "tar -uvf.git/x a",
          "tar xfC x .git",
          "tar -xf x --directory=.git/hooks",
          "tar -cf x -g .git/x a",
        ],
      },
    );
  });

  test("sort, find, rg and copies: by beginnings, letters together and words that are not known", () => {
    check(
      { allow: bash("sort:*", "find:*", "rg:*", "cp:*", "split:*") },
      {
        allow: [
          "sort --check a",
          "sort --output=out/x a",
          "sort -uo out/x a",
          "sort <(ls)",
          "find src -name '*.ts'",
          "rg 'a|b' src",
          "cp -rt out a",
          "split -l 5 a",
        ],
        ask: [
          "sort --co=./x a",
          "sort --outp=.git/x a",
          "sort --o .git/x a",
          "sort -uo .git/x a",
          "sort -uo.git/x a",
          'sort "$x"',
          "sort *",
          "ls | xargs sort",
          "find *",
          "find . -e*",
          'find "$x"',
          'rg "$x"',
          "rg --pre=./x y",
          "cp -rt .git a",
          "cp -at.git a",
          "cp --targ=.git a",
          "split --filt=./x a",
        ],
      },
    );
  });
});

describe("words that are not what they seem", () => {
  test("D11: a pattern that matches nothing is an option, and a word that splits is any", () => {
    check(
      {},
      {
        allow: ["wc -l *.txt", "grep -c x *.txt", 'grep "a$x" b', "cat <(ls)", "diff <(ls) <(ls src)"],
        ask: [
          "wc -[0]=w a",
          "grep -c* x a",
          "ls -*",
          "grep x$IFS/etc/passwd a",
          "grep T$(echo . /etc/passwd) a",
          "tr a-z A$IFS-Z",
          "cat <(ls)$x",
          'cat "a$x"',
          "cat <(curl x)",
        ],
      },
    );
  });

  test("D11: what bash reads differently from the grammar is asked about, and a deny holds in it", () => {
    check(
      { deny: bash("rm *") },
      {
        allow: [
          "cat 3<a",
          "echo 'a<(b)' \\<\\(x\\) \"$(ls)\" \"\\$(x)\" 'a;b' a\\;b",
          "[[ $x =~ ^(a|b)$ ]] && ls",
        ],
        ask: [
          "seq 3<(x)",
          "echo {x}<(x)",
          'echo "a"3<(x)',
          "for x in 3<(a); do ls; done",
          "case 3<(a) in x) ls;; esac",
          "NODE_ENV=($(x))y",
          "NODE_ENV=(`x`)y ls",
          "LANG=( <(x))y ls",
        ],
        deny: ["ls 2<(rm a)", "NODE_ENV=($(rm a))x ls", "echo {x}>(ls; rm a)"],
      },
    );
    check({ mode: "bypassPermissions" }, { ask: ["seq 3<(x)"] });
  });

  test("D11: to a redirection, - is a file", () => {
    check({}, { allow: ["cat a | grep x -"], ask: ["echo x > -", "ls >>-", "ls &> -"] });
    check({ allow: ["Edit(out/**)"] }, { ask: ["echo x > -"] });
    check({ mode: "acceptEdits" }, { allow: ["echo x > -"] });
  });
});
