import { test } from "vitest";
import { check } from "../../test/corpus/table.ts";

const bash = (...patterns: string[]): string[] => patterns.map((pattern) => `Bash(${pattern})`);
const links = {
  "/home/u/proj/sub/up": "/home/u/proj",
  "/home/u/proj/.link": "/home/u/outside",
  "/home/u/proj/.gitlink": "/home/u/proj/.git",
};

test("D11: behind a link, .. is the parent of where the link leads", () => {
  check(
    { links },
    {
      allow: ["cat sub/up/a", "cat sub/deep/../x", "cd sub/up && cat a", "cd sub && cat ../a"],
      ask: [
        "cat sub/up/../token",
        "cat < sub/up/../token",
        "cat /home/u/proj/sub/up/../token",
        "cd sub/up && cat ../token",
        "cd sub/up/../outside && cat f",
        "cd sub/up && cd .. && cat ../../token",
      ],
    },
  );
  check(
    { links, mode: "acceptEdits" },
    {
      allow: ["touch sub/up/x", "touch sub/deep/../x", "rm -rf sub/deep/../x"],
      ask: ["touch sub/up/../x", "cp a sub/up/../x", "echo x > sub/up/../x", "cd sub/up && touch ../x"],
    },
  );
  check(
    { links, mode: "bypassPermissions" },
    { ask: ["rm -rf sub/up/../proj"], allow: ["rm -rf sub/deep/../x"] },
  );
  check({ links, deny: ["Read(~/token)"] }, { deny: ["cat sub/up/../token", "cd sub/up && cat ../token"] });
});

test("D11: with a rule for cd, -P and a path that is not there lead through the links", () => {
  check(
    { links, allow: bash("cd:*") },
    {
      allow: ["cd sub/deep && ls"],
      ask: ["cd -P sub/up/.. && cat token", "cd sub/up/../outside && cat f", "cd sub/up/../outside && ls"],
    },
  );
});

test("D11: a link that is moved, copied or made leads where nobody has looked", () => {
  check(
    { links, mode: "acceptEdits", allow: bash("ln:*", "cat:*") },
    {
      allow: [
        "mv a out/b; touch out/c",
        "cp a b && cat b",
        "cp -r src dist && touch dist/x",
        "mv src/* out/ && cat out/x",
        "mv a b; mv b c; touch c",
        "mv sub/up up2",
        "ln -s a b",
      ],
      ask: [
        "mv sub/up up2; touch up2/x",
        "cp -r sub/up up2; touch up2/x",
        "mv sub/up out/up2; touch out/up2/../x",
        "mv sub/up out; touch out/up/x",
        "mv sub out; touch out/up/x",
        "mv sub/* out/; touch out/up/x",
        "mv s* up2; touch up2/x",
        "mv sub/up a; mv a b; touch b/x",
        "mv sub a; mv a b; touch b/up/x",
        "mv sub/up up2; cd up2 && touch x",
        "mv sub/up up2; echo x > up2/y",
        "mv sub/up up2; cd up2/.. && touch x",
        "ln -s / g; touch g/x",
        "ln -s . g; touch g/../x",
        "for i in 1 2; do cp -a sub/up y; done",
        "mv -t out sub/up; touch out/up/x",
      ],
    },
  );
});

test("D11: such a link may lead to a protected place, which no rule and no mode allows", () => {
  const ask = ["mv .gitlink g; touch g/x", "cp -a .gitlink g && touch g/x", "ln -s .git g; touch g/x"];
  check({ links, mode: "bypassPermissions" }, { ask, allow: ["cp a b; touch b/x", "ln -s a b; cat b"] });
  check({ links, allow: ["Bash"] }, { ask });
  check(
    { links, mode: "bypassPermissions", deny: ["Read(.env)"] },
    { ask: ["ln -s sub b; cat b/x"], allow: ["cp a b; cat b"] },
  );
});
