/**
 * Bundles the program into a few files, `packages/cli/dist/bundle`, so that it starts in half the time. Packages that are
 * native or read files next to them stay where they are installed.
 */

import { readFile } from "node:fs/promises";
import { cpSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const PACKAGES = fileURLToPath(new URL("../packages/", import.meta.url));
const OUT = `${PACKAGES}cli/dist/bundle`;
/** Packages that are required at run time, resolved from the package that needs them. */
const from = (name) => `createRequire(import.meta.resolve("@runahead/${name}"))`;
/** The files of the timeline's page; the bundle has a copy. */
const PAGE = "agent/src/timeline/page";

const fromPackages = {
  name: "from-packages",
  setup({ onLoad }) {
    onLoad(
      { filter: /packages\/(?:agent|harness|mcp|permissions|tools)\/dist\/.*\.js$/ },
      async ({ path }) => {
        const [, name] = /packages\/(\w+)\/dist\//.exec(path);
        const text = await readFile(path, "utf8");
        const contents = text
          .replaceAll("createRequire(import.meta.url)", from(name))
          .replaceAll(
            /import\("(@vscode\/ripgrep)"\)/g,
            (_, module) => `import(${from(name)}.resolve("${module}"))`,
          )
          .replace('new URL("../../src/timeline/page/"', 'new URL("./page/"');
        const head = contents.includes(from(name)) && !/import \{[^}]*createRequire/.test(contents);
        return { contents: head ? `import { createRequire } from "node:module";\n${contents}` : contents };
      },
    );
  },
};

/** zod has its messages in 50 languages, which is half of its size. The program uses English. */
const english = {
  name: "english",
  setup({ onLoad }) {
    onLoad({ filter: /zod\/v4\/locales\/index\.(?:js|cjs)$/ }, ({ path }) => {
      const isModule = path.endsWith(".js");
      const contents = isModule
        ? 'export { default as en } from "./en.js";'
        : 'exports.en = require("./en.cjs").default;';
      return { contents };
    });
  },
};

rmSync(OUT, { recursive: true, force: true });
await build({
  entryPoints: [`${PACKAGES}cli/dist/main.js`],
  outdir: OUT,
  bundle: true,
  splitting: true,
  platform: "node",
  target: "node20.19",
  format: "esm",
  external: ["koffi"],
  plugins: [fromPackages, english],
  // CommonJS packages load others with `require`.
  banner: {
    js: 'import { createRequire as _require } from "node:module"; const require = _require(import.meta.url);',
  },
  minify: true,
  legalComments: "linked",
  logLevel: "warning",
});
cpSync(`${PACKAGES}${PAGE}`, `${OUT}/page`, { recursive: true });
