/** `node scripts/site-check.mjs FOLDER` checks a built site for dead links, missing anchors and requests to other servers. */

import { existsSync, readFileSync, readdirSync } from "node:fs";
import { join, posix } from "node:path";
import { fileURLToPath } from "node:url";

/** Returns the problems as text. */
export function checkSite(dist) {
  const files = readdirSync(dist, { recursive: true }).map((file) => file.replaceAll("\\", "/"));
  const pages = new Map(
    files
      .filter((file) => file.endsWith(".html"))
      .map((file) => [file, readFileSync(join(dist, file), "utf8")]),
  );
  const anchors = new Map([...pages].map(([file, html]) => [file, anchorsOf(html)]));
  const problems = [];
  for (const [file, html] of pages) {
    for (const [, url] of html.matchAll(
      /<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)="(https?:[^"]*|\/\/[^"]*)"/g,
    ))
      problems.push(`${file} asks for ${url}`);
    for (const [, href] of html.matchAll(/<a\b[^>]*?\bhref="([^"]+)"/g))
      if (!/^(?:[a-z]+:|\/\/)/.test(href) && !leads(file, href))
        problems.push(`${file}: ${href} leads nowhere`);
  }
  for (const file of files.filter((name) => name.endsWith(".css")))
    if (/url\(\s*["']?(?:https?:)?\/\//.test(readFileSync(join(dist, file), "utf8")))
      problems.push(`${file} asks for more`);
  return [...new Set(problems)];

  function leads(file, href) {
    const [path, anchor = ""] = href.split("#");
    const target =
      path === ""
        ? file
        : pageOf(path.startsWith("/") ? path.slice(1) : posix.join(posix.dirname(file), path));
    if (!anchors.has(target)) return existsSync(join(dist, target));
    return anchor === "" || anchors.get(target).has(decodeURIComponent(anchor));
  }
}

const pageOf = (path) => (path === "" || path.endsWith("/") ? `${path}index.html` : path);

function anchorsOf(html) {
  return new Set([...html.matchAll(/\bid="([^"]+)"/g)].map(([, id]) => id));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problems = checkSite(process.argv[2]);
  for (const problem of problems) console.error(problem);
  process.exitCode = problems.length === 0 ? 0 : 1;
}
