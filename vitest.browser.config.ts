import { defineConfig, mergeConfig } from "vitest/config";
import base from "./vitest.config.ts";

/** `npm run test:long`: pages in a real browser. */
export default mergeConfig(
  { ...base, test: { ...base.test, include: [], exclude: [] } },
  defineConfig({ test: { include: ["packages/*/src/**/*.browser.test.ts"] } }),
);
