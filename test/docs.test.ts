import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, posix } from "node:path";
import { expect, test } from "vitest";
import { exportsWithoutTask } from "../scripts/site-reference.mjs";
import { ROOT, filesOf, textOf } from "./source.ts";

const PAGES = filesOf(".md", ".").filter((file) => !file.startsWith("bench/peers/"));

/** Made from headings as GitHub and the site do. */
function anchorsOf(file: string): string[] {
  const prose = textOf(file).replaceAll(/^```[^]*?^```$/gm, "");
  const headings = [...prose.matchAll(/^#+ (.+)$/gm)].map((match) => match[1] as string);
  return headings.map((heading) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replaceAll(/\s/g, "-"),
  );
}

test("every link to a heading of a page leads to one", () => {
  const links = PAGES.flatMap((file) =>
    [...textOf(file).matchAll(/\]\((?!https?:)([^)#\s]*)#([^)]+)\)/g)].map(([, path = "", anchor = ""]) => ({
      file,
      target: path === "" ? file : posix.join(posix.dirname(file), path),
      anchor,
    })),
  );
  expect(links.length).toBeGreaterThan(10);
  expect(links.filter(({ target, anchor }) => !anchorsOf(target).includes(anchor))).toEqual([]);
});

test("every page of the guide, the concepts, the cookbook and the migrations is listed on its first page", () => {
  for (const folder of ["guide", "concepts", "cookbook", "migrating"]) {
    const pages = filesOf(".md", `docs/${folder}`).filter((file) => !file.endsWith("README.md"));
    const first = textOf(`docs/${folder}/README.md`);
    expect(pages.length).toBeGreaterThan(3);
    expect(pages.filter((file) => !first.includes(`](${posix.basename(file)})`))).toEqual([]);
  }
});

test("every file on the paths of ARCHITECTURE.md exists, beside the first of its line or in its package", () => {
  const sources = new Set(filesOf(".ts", "packages"));
  const lines = [...textOf("ARCHITECTURE.md").matchAll(/^([a-z]+)\/([a-z/-]+\.ts) (.*)$/gm)];
  expect(lines.length).toBeGreaterThan(40);
  for (const [, name = "", first = "", rest = ""] of lines) {
    const others = [...rest.matchAll(/[a-z-]+(?:\/[a-z-]+)*\.ts\b/g)].map(([file]) => file);
    const found = [posix.join(posix.dirname(first), "/"), ""].flatMap((folder) =>
      others.filter((file) => sources.has(`packages/${name}/src/${folder}${file}`)),
    );
    expect([first, sources.has(`packages/${name}/src/${first}`)]).toEqual([first, true]);
    expect([first, others.filter((file) => !found.includes(file))]).toEqual([first, []]);
  }
});

test("ARCHITECTURE.md names every folder of the packages whose folders it lists", () => {
  const [, packages = ""] = textOf("ARCHITECTURE.md").split("```");
  for (const entry of packages.trim().split(/\n(?=[a-z])/)) {
    const [name = ""] = entry.split(" ");
    const [list = ""] = entry.split("→");
    const listed = new Set([...list.matchAll(/([a-z-]+)\//g)].map(([, folder]) => folder));
    const files = filesOf(".ts", `packages/${name}/src`).map((file) => file.split("/").slice(3));
    const folders = files.filter((path) => path.length > 1).map(([folder]) => folder);
    if (listed.size > 0) expect([name, listed]).toEqual([name, new Set(folders)]);
  }
});

test("the pages that npm shows have an install line, and only links that work there", () => {
  for (const file of filesOf("README.md", "packages/*/README.md")) {
    const text = textOf(file);
    const targets = [...text.matchAll(/\]\(([^)]+)\)/g)].map((match) => match[1] as string);
    expect([file, targets.filter((target) => !target.startsWith("https://"))]).toEqual([file, []]);
    if (file !== "packages/base/README.md") expect(text).toMatch(/^npm install /m);
  }
});

test("every diagram has a description, and the colours of light and dark pages", () => {
  const diagrams = filesOf(".svg", "docs/concepts");
  expect(diagrams.length).toBeGreaterThan(3);
  for (const file of diagrams) {
    const svg = textOf(file);
    expect([file, /<desc>[^<]{40,}<\/desc>/.test(svg)]).toEqual([file, true]);
    expect([file, svg.includes("prefers-color-scheme: dark"), svg.includes("currentColor")]).toEqual([
      file,
      true,
      true,
    ]);
  }
});

/** The problems that the check reports about a site of these files. */
async function complaintsAbout(files: Readonly<Record<string, string>>): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "runahead-site-test-"));
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    const complaints = await new Promise<string>((resolve) => {
      execFile(process.execPath, ["scripts/site-check.mjs", folder], { cwd: ROOT }, (_error, _out, said) =>
        resolve(said),
      );
    });
    return complaints.trim().split("\n").filter(Boolean).toSorted();
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test("the check finds dead links, missing headings and requests to other servers in a built site", async () => {
  const index = `
    <script src="https://example.org/x.js"></script>
    <a href="/guide/a.html">fine</a> <a href="guide/a.html#there">fine</a> <a href="https://example.org">fine</a>
    <a href="/guide/b.html">dead</a> <a href="./guide/a.html#gone">dead</a> <a href="#gone">dead</a>`;
  const files = {
    "index.html": index,
    "guide/a.html": '<h1 id="there">A</h1>',
    "a.css": "a { url(//x.org/f) }",
  };
  expect(await complaintsAbout(files)).toEqual([
    "a.css asks for more",
    "index.html asks for https://example.org/x.js",
    "index.html: #gone leads nowhere",
    "index.html: ./guide/a.html#gone leads nowhere",
    "index.html: /guide/b.html leads nowhere",
  ]);
  expect(await complaintsAbout({ "index.html": '<a href="/">fine</a>' })).toEqual([]);
});

test("every fault number that a test names is in the catalogue, and every fault has a test that names it", () => {
  const catalogue = textOf("docs/faults.md");
  const known = new Set([...catalogue.matchAll(/^\| ([A-L]\d\d|V\d+) \|/gm)].map((match) => match[1]));
  const titles = filesOf(".test.ts", "packages").flatMap((file) =>
    [...textOf(file).matchAll(/^\s*(?:test|it)(?:\.\w+)*\(\s*["'`]((?:[A-L]\d\d(?:, |: ))+)/gm)].flatMap(
      (match) => [...(match[1] as string).matchAll(/[A-L]\d\d/g)].map(([number]) => [file, number] as const),
    ),
  );
  expect(titles.length).toBeGreaterThan(100);
  expect(titles.filter(([, number]) => !known.has(number))).toEqual([]);
  const rows = [...catalogue.matchAll(/^\| ([A-L]\d\d|V\d+) \|.*\| (.*) \|$/gm)];
  const wrong = rows.flatMap(([, number = "", tests = ""]) =>
    [...tests.matchAll(/`([^`]+)`/g)].flatMap(([, file = ""]) =>
      textOf(file).includes(number) ? [] : [`${number} in ${file}`],
    ),
  );
  expect(wrong).toEqual([]);
  expect(rows).toHaveLength(known.size);
  expect(rows.flatMap(([, number, tests = ""]) => (tests.includes("`") ? [] : [number]))).toEqual([]);
});

test("the site's reference lists every export under a task", () => {
  expect(exportsWithoutTask()).toEqual([]);
});
