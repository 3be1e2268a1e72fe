/** The project of the demo: a small shop with a failing test. */

import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const FILES = {
  "package.json":
    '{ "name": "shop", "private": true, "type": "module", "scripts": { "test": "node --test" } }\n',
  "README.md": "# Shop\n\nA cart with discounts. `node --test` runs the tests.\n",
  "src/cart.js": `import { discounted } from "./discount.js";

export function total(items, discount = 0) {
  const sum = items.reduce((cents, item) => cents + item.cents * item.count, 0);
  return discounted(sum, discount);
}
`,
  "src/discount.js": `/** Returns the price after a discount in percent. */
export function discounted(cents, percent) {
  return Math.round(cents - (cents * percent) / 10);
}
`,
  "src/receipt.js": `import { total } from "./cart.js";
import { euros } from "./format.js";

export function receipt(items, discount) {
  return \`Total: \${euros(total(items, discount))}\`;
}
`,
  "src/format.js": `export function euros(cents) {
  return \`\${(cents / 100).toFixed(2)} €\`;
}
`,
  "test/cart.test.js": `import assert from "node:assert";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { total } from "../src/cart.js";

const items = [{ cents: 250, count: 2 }, { cents: 500, count: 1 }];

test("a cart costs the sum of its items", async () => {
  await pause(300);
  assert.equal(total(items), 1000);
});

test("a discount of 10 % takes a tenth", () => {
  assert.equal(total(items, 10), 900);
});
`,
  "test/receipt.test.js": `import assert from "node:assert";
import { test } from "node:test";
import { receipt } from "../src/receipt.js";

test("a receipt shows euros", () => {
  assert.equal(receipt([{ cents: 1999, count: 1 }]), "Total: 19.99 €");
});
`,
  ".claude/settings.json": '{ "permissions": { "allow": ["Agent(explore)", "Edit(src/**)"] } }\n',
  ".claude/agents/explore.md": `---
name: explore
description: Searches the code and reports what it found. Changes nothing.
tools: Read, Grep, Glob
---
You search the code for another agent. Answer with what you found, with files and lines, and nothing else.
`,
} as const;

/** Creates the folder and writes the project into it. */
export async function makeProject(folder: string): Promise<void> {
  await mkdir(join(folder, ".git"), { recursive: true });
  for (const [name, text] of Object.entries(FILES)) {
    const file = join(folder, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}
