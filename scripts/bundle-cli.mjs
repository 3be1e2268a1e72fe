/**
 * Bundles the program into one file, `packages/cli/dist/bundle/main.cjs`, whose compiled code `bin/load.mjs` keeps.
 * Packages that are native or read files next to them stay where they are installed.
 */

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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
  outfile: `${OUT}/main.cjs`,
  bundle: true,
  platform: "node",
  target: "node20.19",
  // Node 20 can keep the compiled code of a script, and not of a module.
  format: "cjs",
  define: { "import.meta.url": "importMeta.url", "import.meta.resolve": "importMeta.resolve" },
  external: ["koffi"],
  plugins: [fromPackages, english],
  minify: true,
  legalComments: "linked",
  logLevel: "warning",
});
// A script that is run with kept code cannot import by itself without a warning of Node.
const body = readFileSync(`${OUT}/main.cjs`, "utf8").replaceAll(/(?<![\w$.])import\(/g, "importMeta.load(");
// esbuild escapes letters outside of ASCII, except in regular expressions. One of them would double the memory of the text.
const ascii = body.replaceAll(
  /[^\0-\x7f]/g,
  (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
);
// The parameters that `bin/load.mjs` passes.
const text = `(function (exports, require, module, __filename, __dirname, importMeta) {${ascii}\n})`;
writeFileSync(`${OUT}/main.cjs`, text);
// Compiled code that was kept belongs to exactly this text.
writeFileSync(`${OUT}/id`, createHash("sha256").update(text).digest("hex"));
cpSync(`${PACKAGES}${PAGE}`, `${OUT}/page`, { recursive: true });
