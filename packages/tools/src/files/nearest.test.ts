import { expect, test } from "vitest";
import { TestFolder, agentIn } from "../../test/support/file-tool-calls.ts";

function repository(...files: readonly string[]): TestFolder {
  const folder = new TestFolder();
  folder.write(".git/HEAD", "ref: refs/heads/main\n");
  for (const file of files) folder.write(file, "text");
  return folder;
}

async function missing(cwd: string, file_path: string): Promise<string> {
  const { text, isError } = await agentIn(cwd)("Read", { file_path });
  expect(isError).toBe(true);
  return text;
}

test("only similar names are suggested", async () => {
  const folder = repository("src/config.json", "src/zebra.ts");
  expect(await missing(folder.path, "src/confg.json")).toMatch(/ Did you mean src\/config\.json\?$/);
  expect(await missing(folder.path, "src/main.py")).toBe(
    `Error: src/main.py does not exist (looked for ${folder.at("src/main.py")}).`,
  );
  expect(await missing(folder.path, folder.at("none.txt"))).toBe(
    `Error: ${folder.at("none.txt")} does not exist.`,
  );
});

test("after a cd, a path relative to a folder above is found and its right form is named", async () => {
  const folder = repository("docs/guide.md", "packages/web/src/index.ts");
  const cwd = folder.at("packages/web");
  expect(await missing(cwd, "docs/guide.md")).toBe(
    `Error: docs/guide.md does not exist (looked for ${folder.at("packages/web/docs/guide.md")}). ` +
      `The working directory is ${cwd}: use ../../docs/guide.md for ${folder.at("docs/guide.md")}.`,
  );
  expect(await missing(cwd, "packages/web/src/index.ts")).toMatch(
    / use src\/index\.ts for \S+\/packages\/web\/src\/index\.ts\.$/,
  );
  expect(await missing(cwd, "web/src/index.ts")).toMatch(/ use src\/index\.ts for /);
});

test("files outside the repository are not looked for", async () => {
  const outer = new TestFolder();
  outer.write("secret.txt", "text");
  outer.write("repo/.git/HEAD", "ref: refs/heads/main\n");
  outer.write("repo/src/a.txt", "text");
  expect(await missing(outer.at("repo/src"), "secret.txt")).not.toContain("The working directory");
  expect(await missing(outer.at("repo/src"), "../../../repo/none/../../secret.txt")).not.toContain(
    "The working directory",
  );
  const plain = new TestFolder();
  plain.write("a.txt", "text");
  plain.write("sub/b.txt", "text");
  expect(await missing(plain.at("sub"), "a.txt")).not.toContain("The working directory");
});

test("a missing directory is named", async () => {
  const folder = repository("a.txt");
  expect(await missing(folder.path, "nowhere/at/all")).toMatch(
    / The directory \S+\/nowhere\/at does not exist either\.$/,
  );
});
