import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: {
    alias: {
      "@runahead/agent/tools": new URL("./packages/agent/src/tools.ts", import.meta.url).pathname,
      "@runahead/agent/ai-sdk": new URL("./packages/agent/src/adapt/ai-sdk.ts", import.meta.url).pathname,
      "@runahead/agent/sdk": new URL("./packages/agent/src/adapt/sdk.ts", import.meta.url).pathname,
      "@runahead/agent/otel": new URL("./packages/agent/src/adapt/otel.ts", import.meta.url).pathname,
      "@runahead/engine/history": new URL("./packages/engine/src/history.ts", import.meta.url).pathname,
      "@runahead/engine": new URL("./packages/engine/src/index.ts", import.meta.url).pathname,
      "@runahead/agent": new URL("./packages/agent/src/index.ts", import.meta.url).pathname,
      "@runahead/workers": new URL("./packages/workers/src/index.ts", import.meta.url).pathname,
    },
  },
  test: {
    include: ["packages/*/src/**/*.test.ts", "packages/*/test/**/*.test.ts", "test/**/*.test.ts"],
    testTimeout: 30_000,
    maxConcurrency: 2,
  },
});
