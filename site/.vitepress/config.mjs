/** The docs site: the pages that scripts/site.mjs writes into `pages/`. Search and display need no other server. */

import { readFileSync } from "node:fs";
import { defineConfig } from "vitepress";

const { sidebar, nav } = JSON.parse(readFileSync(new URL("../pages/contents.json", import.meta.url), "utf8"));

/** As GitHub does, so that a link to a heading works on both. */
const slugify = (heading) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");

export default defineConfig({
  title: "Runahead",
  description: "Runs an AI agent's tool calls while the model is still streaming its response.",
  lang: "en",
  srcDir: "pages",
  outDir: "dist",
  // The icon is part of the page, so that a browser asks for none.
  head: [["link", { rel: "icon", href: "data:," }]],
  markdown: { anchor: { slugify }, theme: { light: "github-light", dark: "github-dark" } },
  themeConfig: {
    nav,
    sidebar,
    outline: { level: [2, 3] },
    search: {
      provider: "local",
      options: {
        detailedView: true,
        // Pages that explain come before the reference.
        miniSearch: {
          searchOptions: {
            boostDocument: (id) => (id.includes("/reference/") ? 0.2 : id.includes("/decisions/") ? 0.5 : 1),
          },
        },
      },
    },
    footer: { message: "MIT licence" },
  },
});
