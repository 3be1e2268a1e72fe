import { defineConfig } from "vitest/config";

export default defineConfig({
  resolve: {
    alias: {
      "@runahead/engine/wire": new URL("./packages/engine/src/wire/index.ts", import.meta.url).pathname,
      "@runahead/engine/history": new URL("./packages/engine/src/history/history.ts", import.meta.url)
        .pathname,
      "@runahead/engine": new URL("./packages/engine/src/index.ts", import.meta.url).pathname,
      "@runahead/base": new URL("./packages/base/src/index.ts", import.meta.url).pathname,
      "@runahead/permissions/internal": new URL("./packages/permissions/src/internal.ts", import.meta.url)
        .pathname,
      "@runahead/permissions": new URL("./packages/permissions/src/index.ts", import.meta.url).pathname,
      "@runahead/agent/otel": new URL("./packages/agent/src/telemetry/otel.ts", import.meta.url).pathname,
      "@runahead/agent/timeline": new URL("./packages/agent/src/timeline/index.ts", import.meta.url).pathname,
      "@runahead/agent/internal": new URL("./packages/agent/src/internal.ts", import.meta.url).pathname,
      "@runahead/agent": new URL("./packages/agent/src/index.ts", import.meta.url).pathname,
      "@runahead/tools": new URL("./packages/tools/src/index.ts", import.meta.url).pathname,
      "@runahead/mcp": new URL("./packages/mcp/src/index.ts", import.meta.url).pathname,
      "@runahead/adapters/ai-sdk": new URL("./packages/adapters/src/ai-sdk/ai-sdk.ts", import.meta.url)
        .pathname,
      "@runahead/adapters/sdk": new URL("./packages/adapters/src/sdk/sdk.ts", import.meta.url).pathname,
      "@runahead/harness/timeline": new URL("./packages/harness/src/timeline.ts", import.meta.url).pathname,
      "@runahead/harness/internal": new URL("./packages/harness/src/internal.ts", import.meta.url).pathname,
      "@runahead/harness": new URL("./packages/harness/src/index.ts", import.meta.url).pathname,
      "@runahead/workers": new URL("./packages/workers/src/index.ts", import.meta.url).pathname,
    },
  },
  test: {
    include: ["packages/*/src/**/*.test.ts", "packages/*/test/**/*.test.ts", "test/**/*.test.ts"],
    testTimeout: 30_000,
    maxConcurrency: 2,
    // By default one core is left idle, and the tests take half as long again.
    maxWorkers: 2,
  },
});
