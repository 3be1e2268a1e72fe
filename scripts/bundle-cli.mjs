/**
 * The program in a few files instead of hundreds, beside what tsc has built: `packages/cli/dist/bundle`. It starts in
 * half the time. What finds files beside itself, or is native, stays where it is installed.
 */

import { readFile } from "node:fs/promises";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const PACKAGES = fileURLToPath(new URL("../packages/", import.meta.url));
const OUT = `${PACKAGES}cli/dist/bundle`;
/** They are the agent's, and found from where the agent is installed. */
const OF_AGENT = 'createRequire(import.meta.resolve("@runahead/agent"))';

const fromAgent = {
  name: "from-agent",
  setup({ onLoad }) {
    onLoad({ filter: /packages\/agent\/dist\/.*\.js$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8");
      const contents = text
        .replaceAll("createRequire(import.meta.url)", OF_AGENT)
        .replaceAll(/import\("(@vscode\/ripgrep)"\)/g, (_, name) => `import(${OF_AGENT}.resolve("${name}"))`);
      const head = contents.includes(OF_AGENT) && !/import \{[^}]*createRequire/.test(contents);
      return { contents: head ? `import { createRequire } from "node:module";\n${contents}` : contents };
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
  plugins: [fromAgent],
  // Packages in the older form ask for others by `require`.
  banner: {
    js: 'import { createRequire as _require } from "node:module"; const require = _require(import.meta.url);',
  },
  minify: true,
  legalComments: "linked",
  logLevel: "warning",
});
