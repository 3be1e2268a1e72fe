/** The pages of the site: docs/ and a few more, with their links, in the order of the sidebar. */

import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join, posix } from "node:path";
import { ROOT, docFiles } from "./doc-blocks.mjs";
import { writeReference } from "./site-reference.mjs";

/** Pages that are not below docs/. */
const OTHERS = {
  "README.md": "index.md",
  "ARCHITECTURE.md": "about/architecture.md",
  "GLOSSARY.md": "about/glossary.md",
  "CONTRIBUTING.md": "about/contributing.md",
  "CHANGELOG.md": "about/changelog.md",
  "bench/RESULTS.md": "about/results.md",
  "bench/AGENT.md": "about/results-of-the-agent.md",
  "bench/CLI.md": "about/results-of-the-program.md",
  "bench/WORKERS.md": "about/results-of-the-workers.md",
  "bench/FLEET.md": "about/results-of-the-fleet.md",
};

/** The pages of docs/ itself by what they are about; those that are not named here come last, under "More". */
const TOPICS = {
  "Tools and calls": ["engine", "access", "events", "timeline", "promises", "faults"],
  Agents: [
    "agent",
    "models",
    "embedding",
    "prompt",
    "hooks",
    "mcp",
    "agents",
    "skills",
    "commands",
    "plugins",
    "memory",
    "code",
    "testing",
    "workers",
    "stores",
    "fleet",
    "operating",
    "telemetry",
  ],
  Permissions: ["permissions", "security"],
  "Built-in tools": ["tools-files", "tools-shell", "tools-web", "tools-agents", "language-servers"],
  "Terminal program": ["cli", "terminal", "settings", "editors", "import"],
  Help: ["troubleshooting", "faq"],
};

/** Names as people search for them, where the heading of the page says more. */
const NAMES = { embedding: "Embedding", integrations: "Integrations", timeline: "Timeline" };

/** The page of the site for each file of the repository. */
function listPages() {
  const docs = docFiles().filter((file) => file.startsWith("docs/"));
  const ofDocs = docs.map((file) => [file, file.slice("docs/".length).replace(/README\.md$/, "index.md")]);
  const others = Object.entries(OTHERS).filter(([file]) => existsSync(`${ROOT}/${file}`));
  return new Map([...ofDocs, ...others]);
}

/** Returns each page as `{page, title, about}`, in the order of the sidebar, and the links that lead nowhere. */
export function layOutPages(folder) {
  const paths = listPages();
  const problems = [];
  for (const [file, page] of paths) write(folder, page, rewrite(file, { paths, problems }));
  const symbols = writeReference(folder);
  const pages = [...paths.values()].map((page) => describe(folder, page));
  const groups = [...groupsOf(folder, pages), referenceGroup(folder, symbols)];
  const toGroup = ({ text, items, collapsed }) => ({
    text,
    ...(collapsed ? { collapsed } : {}),
    items: text === "Reference" ? byTask(items) : items.map(toItem),
  });
  const sidebar = {
    "/reference/": groups.filter(({ text }) => text === "Reference").map(toGroup),
    "/": groups.slice(1, -1).map(toGroup),
  };
  const nav = ["Guide", "Cookbook", "Concepts", "Migrating", "Reference"].map((text) => {
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

const toItem = ({ page, title }) => ({
  text: page.endsWith("/index.md") ? "Overview" : title,
  link: linkTo(page),
});

function referenceGroup(folder, symbols) {
  const ofPackages = readdirSync(join(folder, "reference"), { recursive: true })
    .filter((name) => name.endsWith("index.md"))
    .map((name) => describe(folder, posix.join("reference", name.replaceAll("\\", "/"))))
    .toSorted((one, other) => one.page.length - other.page.length);
  const [first, ...others] = ofPackages;
  return {
    text: "Reference",
    items: [first, ...symbols.map((symbol) => ({ ...symbol, title: symbol.name })), ...others],
  };
}

/** The first page of the reference, then one group per task. Pages of packages are linked from the first page only. */
function byTask([first, ...items]) {
  const tasks = [...new Set(items.flatMap(({ task }) => (task === undefined ? [] : [task])))];
  const groups = tasks.map((task) => ({
    text: task,
    collapsed: true,
    items: items.filter((item) => item.task === task).map(toItem),
  }));
  return [toItem(first), ...groups];
}

/** A page with its first heading and the first sentence below it. */
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
  const own = pages.filter(({ page }) => !page.includes("/") && page !== "index.md").map(named);
  const topics = Object.entries(TOPICS).map(([text, names]) => ({
    text,
    items: names.flatMap((name) => own.filter(({ page }) => page === `${name}.md`)),
  }));
  const integrations = own.filter(({ page }) => page === "integrations.md");
  const listed = new Set([...topics.flatMap(({ items }) => items), ...integrations]);
  const rest = own.filter((page) => !listed.has(page));
  return [
    { text: "Runahead", items: pages.filter(({ page }) => page === "index.md") },
    { text: "Guide", items: asListed("guide") },
    { text: "Cookbook", items: asListed("cookbook") },
    { text: "Concepts", items: asListed("concepts") },
    { text: "Integrations", items: integrations },
    { text: "Migrating", items: asListed("migrating") },
    ...topics,
    ...(rest.length > 0 ? [{ text: "More", items: rest }] : []),
    { text: "About", items: below("about"), collapsed: true },
    { text: "Decisions", items: asListed("decisions"), collapsed: true },
  ];
}

const named = (page) => ({ ...page, title: NAMES[page.page.replace(/\.md$/, "")] ?? page.title });

const sorted = (items, place) => [...items].sort((one, other) => place(one) - place(other));

/** The page as the site needs it: with links between pages, with diagrams, and without the set-up of code blocks. */
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
            // A file of the repository that is not a page of the site is named, not linked.
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

/** A diagram takes the colour of the text only if it is part of the page. Other images stay images. */
function inlined(path, whole) {
  const svg = readFileSync(`${ROOT}/${path}`, "utf8");
  if (!svg.includes('class="diagram"')) return whole;
  return svg.replace(/<style>[^]*?<\/style>\n?/, "").trim();
}

/** VitePress reads the image from its place in the repository. */
const copied = (path) => `${ROOT}/${path}`;
