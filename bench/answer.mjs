/** A benchmark in a separate module: measures for its parent process, or prints the result when run by hand. */

import { fileURLToPath } from "node:url";

/** Measures when the parent process sends its first message, and sends back the result or the error. */
export function answer(measure) {
  process.once("message", () => {
    Promise.resolve()
      .then(measure)
      .then((run) => process.send({ run }))
      .then(() => process.send({ finished: true }))
      .catch((error) => process.send({ error: String(error?.message ?? error) }))
      .finally(() => process.disconnect());
  });
}

/** Answers the parent process; without one, if the module at this address was started by hand, prints instead. */
export async function answerOrPrint(moduleUrl, measure, print) {
  if (process.send !== undefined) answer(measure);
  else if (process.argv[1] === fileURLToPath(moduleUrl)) print(await measure());
}
