/** `npm run check:files -- DIR`: how many of other people's files are understood, and why the rest is not. */

import { resolve } from "node:path";
import { checkFolder } from "./check.ts";
import { reportLines } from "./report.ts";

const [folder, ...flags] = process.argv.slice(2);
if (folder === undefined) {
  console.error(
    "Usage: npm run check:files -- DIR [--where] [--keys]\n--where also lists the files of each reason, --keys every key of the settings.",
  );
  process.exit(2);
}
const { judged, keys } = await checkFolder(resolve(folder));
for (const line of reportLines(judged, flags.includes("--where"))) console.log(line);
if (flags.includes("--keys")) for (const line of keys.lines()) console.log(line);
