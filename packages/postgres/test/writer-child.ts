/** A process that writes numbered entries to a session, one after the other, and prints each that is durable. */

import { sessions } from "@runahead/agent";
import { postgres } from "../src/index.ts";

const [url = "", id = "", leaseMs = "2000"] = process.argv.slice(2);
const store = postgres(url, { leaseMs: Number(leaseMs) });
const session = await sessions({ store }).resume(id);
console.log(`open ${session.messages.length}`);
try {
  for (let number = session.messages.length; ; number++) {
    const role = number % 2 === 0 ? "user" : "assistant";
    session.append({ type: "message", message: { role, content: `${process.pid} ${number}` } });
    await session.sync();
    console.log(`saved ${number}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
} catch (error) {
  console.log(`ended ${(error as Error).name}`);
  process.exit(0);
}
