/** An answer as typed data: the model is asked again until the answer fits the schema. */

import { createAgent, scripted } from "@runahead/agent";
import { z } from "zod";

const Invoice = z.object({
  amount: z.number().positive(),
  currency: z.enum(["EUR", "USD"]),
  dueInDays: z.number().int().describe("Days until it must be paid."),
});

// In your program: anthropic({ model: "claude-sonnet-4-6" }), which gets the schema with the request.
const model = scripted([
  [{ type: "text", text: "The invoice is about 42.50 €." }],
  [
    {
      type: "tool_use",
      id: "1",
      name: "StructuredOutput",
      input: { amount: 42.5, currency: "EUR", dueInDays: 14 },
    },
  ],
]);

const agent = createAgent({ model, tools: [], outputSchema: Invoice });
const { output } = await agent.send("Please pay 42.50 € within two weeks. Which amount, and when?");
if (output?.type === "valid") {
  const { amount, currency, dueInDays } = output.value;
  console.log(`${amount} ${currency}, due in ${dueInDays} days`);
} else console.log(`No answer: ${output?.message}`);
await agent.close();
