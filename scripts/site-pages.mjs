/** The pages of the site: docs/ and a few more, with links as the site has them, and the order in which they are listed. */

import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { ROOT, docFiles } from "./doc-blocks.mjs";

/** Pages that are not below docs/. */
const OTHERS = {
  "README.md": "index.md",
  "ARCHITECTURE.md": "about/architecture.md",
  "GLOSSARY.md": "about/glossary.md",
  "CONTRIBUTING.md": "about/contributing.md",
  "bench/RESULTS.md": "about/results.md",
  "bench/AGENT.md": "about/results-of-the-agent.md",
  "bench/CLI.md": "about/results-of-the-program.md",
  "bench/WORKERS.md": "about/results-of-the-workers.md",
};

/** Of the pages that lie in docs/ itself, those to read first. */
const FIRST = [
  "engine",
  "agent",
  "cli",
  "embedding",
  "events",
  "editors",
  "settings",
  "permissions",
  "hooks",
  "mcp",
  "integrations",
  "workers",
];

/** What is where: the file in the repo, and the page. */
function listPages() {
  const docs = docFiles().filter((file) => file.startsWith("docs/"));
  const ofDocs = docs.map((file) => [file, file.slice("docs/".length).replace(/README\.md$/, "index.md")]);
  const others = Object.entries(OTHERS).filter(([file]) => existsSync(`${ROOT}/${file}`));
  return new Map([...ofDocs, ...others]);
}

/** Gives each page as `{page, title, about}`, in the order of the sidebar, and the links that lead nowhere. */
export function layOutPages(folder) {
  const paths = listPages();
  const problems = [];
  for (const [file, page] of paths) write(folder, page, rewrite(file, { paths, problems }));
  for (const page of referencePages(folder)) write(folder, page, nameOptions(folder, page));
  const pages = [...paths.values(), ...referencePages(folder)].map((page) => describe(folder, page));
  const groups = groupsOf(folder, pages);
  const sidebar = groups.slice(1).map(({ text, items, collapsed }) => ({
    text,
    ...(collapsed ? { collapsed } : {}),
    items: items.map(({ page, title }) => ({
      text: page.endsWith("/index.md") ? "Overview" : title,
      link: linkTo(page),
    })),
  }));
  const nav = ["Guide", "Concepts", "Migrating", "Reference"].map((text) => {
    const { items } = groups.find((group) => group.text === text);
    return { text, link: linkTo(items[0].page), activeMatch: `/${posix.dirname(items[0].page)}/` };
  });
  write(folder, "contents.json", JSON.stringify({ sidebar, nav }));
  const listed = groups.flatMap(({ text, items }) => items.map((item) => ({ ...item, group: text })));
  return { pages: listed, problems };
}

const linkTo = (page) => `/${page.replace(/(?:index)?\.md$/, "")}`;

function write(folder, page, text) {
  mkdirSync(dirname(join(folder, page)), { recursive: true });
  writeFileSync(join(folder, page), text);
}

function referencePages(folder) {
  const found = readdirSync(join(folder, "reference"), { recursive: true });
  return found.filter((name) => name.endsWith(".md")).map((name) => posix.join("reference", name));
}

/** What is taken apart where it is taken in has no name in the types. */
function nameOptions(folder, page) {
  return readFileSync(join(folder, page), "utf8").replaceAll("__namedParameters", "options");
}

/** Its first heading, and the first sentence below it. */
function describe(folder, page) {
  const text = readFileSync(join(folder, page), "utf8");
  const [, title = page] = /^# (.+)$/m.exec(text) ?? [];
  const below = text.slice(text.indexOf(`# ${title}`) + title.length + 2);
  const prose = below.replaceAll(/^```[^]*?^```$|^<svg[^]*?^<\/svg>$/gm, "").split(/\n\s*\n/);
  const paragraph = prose.find((part) => /^\s*[*`[@]*\w/.test(part));
  const plain = (paragraph ?? "")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll("**", "")
    .replaceAll(/\s+/g, " ")
    .trim();
  const [about = plain] = /^.*?[.!?](?=\s|$)/.exec(plain) ?? [];
  return { page, title: title.replaceAll("`", ""), about: about.replace(/:$/, ".") };
}

function groupsOf(folder, pages) {
  const below = (name) => pages.filter(({ page }) => page.startsWith(`${name}/`));
  const asListed = (name) => {
    const index = readFileSync(join(folder, name, "index.md"), "utf8");
    const place = ({ page }) => {
      const at = index.indexOf(`(./${posix.basename(page)})`);
      return page === `${name}/index.md` ? -1 : at < 0 ? index.length : at;
    };
    return sorted(below(name), place);
  };
  const own = pages.filter(({ page }) => !page.includes("/") && page !== "index.md");
  const first = ({ page }) =>
    (FIRST.indexOf(page.slice(0, -".md".length)) + FIRST.length + 1) % (FIRST.length + 1);
  const engineFirst = ({ page }) => (page === "reference/index.md" ? 0 : page.endsWith("engine.md") ? 1 : 2);
  return [
    { text: "Runahead", items: pages.filter(({ page }) => page === "index.md") },
    { text: "Guide", items: asListed("guide") },
    { text: "Concepts", items: asListed("concepts") },
    { text: "Migrating", items: asListed("migrating") },
    { text: "In detail", items: sorted(own, first) },
    { text: "Reference", items: sorted(below("reference"), engineFirst) },
    { text: "About", items: below("about") },
    { text: "Decisions", items: asListed("decisions"), collapsed: true },
  ];
}

const sorted = (items, place) => [...items].sort((one, other) => place(one) - place(other));

/** The page as the site needs it: links between pages, diagrams in place, nothing that only the checks of code read. */
function rewrite(file, { paths, problems }) {
  const text = readFileSync(`${ROOT}/${file}`, "utf8").replaceAll(/^<!-- setup\n[^]*?\n-->\n+/gm, "");
  const page = paths.get(file);
  return outsideCode(text, (prose) =>
    prose
      .replaceAll(/^!\[[^\]]*\]\(([^)]+\.svg)\)$/gm, (whole, target) =>
        inlined(posix.join(posix.dirname(file), target), whole),
      )
      .replaceAll(
        /(!?)\[([^\]]*)\]\((?!https?:|#)([^)#\s]+)(#[^)]*)?\)/g,
        (_all, image, words, target, anchor = "") => {
          const to = posix.join(posix.dirname(file), target);
          if (image !== "") return `![${words}](${copied(to)})`;
          const there = paths.get(to) ?? paths.get(posix.join(to, "README.md"));
          if (there === undefined) {
            // A file of the repo that is no page is named, not linked.
            if (!existsSync(`${ROOT}/${to}`)) problems.push(`${file}: the link to ${to} leads nowhere`);
            return words;
          }
          const path = posix.relative(posix.dirname(page), there);
          return `[${words}](${path.startsWith(".") ? path : `./${path}`}${anchor})`;
        },
      ),
  );
}

/** Blocks of code stay as they are. */
function outsideCode(text, change) {
  return text
    .split(/^(```[^]*?^```$)/m)
    .map((part, at) => (at % 2 === 1 ? part : change(part)))
    .join("");
}

/** A diagram takes the colour of the text only where it is part of the page; others stay images. */
function inlined(path, whole) {
  const svg = readFileSync(`${ROOT}/${path}`, "utf8");
  if (!svg.includes('class="diagram"')) return whole;
  return svg.replace(/<style>[^]*?<\/style>\n?/, "").trim();
}

/** Read where it lies, by the builder of the site. */
const copied = (path) => `${ROOT}/${path}`;
