/**
 * A process with agents that share the limits of all processes.
 *
 * Usage: limiter-child.ts MODEL_URL REDIS_URL NAME AGENTS PROMPTS. Prints how each prompt ended.
 */

import { anthropic, createAgent } from "@runahead/agent";
import { createRedisLimiter } from "@runahead/fleet";

const [baseURL = "", connection = "", name = "", agents = "", prompts = ""] = process.argv.slice(2);
const limits = JSON.parse(process.env["LIMITS"] ?? "{}") as object;
const limiter = createRedisLimiter({ connection, name, ...limits });
const model = limiter.limit(anthropic({ model: "claude-haiku-4-5", apiKey: "key", baseURL }));

await Promise.all(
  Array.from({ length: Number(agents) }, async () => {
    const agent = createAgent({ model, tools: [], maxTokens: 50 });
    for (let at = 0; at < Number(prompts); at++)
      process.stdout.write(`${(await agent.send(`prompt ${at}`)).reason}\n`);
    await agent.close();
  }),
);
await limiter.close();
