/** The docs site: pages that scripts/site.mjs has laid out in `pages/`, searched and shown without any other server. */

import { readFileSync } from "node:fs";
import { defineConfig } from "vitepress";

const { sidebar, nav } = JSON.parse(readFileSync(new URL("../pages/contents.json", import.meta.url), "utf8"));

export default defineConfig({
  title: "Runahead",
  description: "Runs an AI agent's tools while the model is still talking.",
  lang: "en",
  srcDir: "pages",
  outDir: "dist",
  // The icon is part of the page, so that a browser asks for none.
  head: [["link", { rel: "icon", href: "data:," }]],
  markdown: { theme: { light: "github-light", dark: "github-dark" } },
  themeConfig: {
    nav,
    sidebar,
    outline: { level: [2, 3] },
    search: {
      provider: "local",
      options: {
        detailedView: true,
        // What explains comes before what lists.
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
