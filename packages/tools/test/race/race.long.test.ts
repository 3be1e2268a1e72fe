import { test } from "vitest";
import { expectNothingForbidden } from "./racing.ts";

test(
  "class 9: in 10,000 rounds next to a process that swaps folders and files for links, no forbidden byte is shown or written",
  {
    timeout: 900_000,
  },
  () => expectNothingForbidden(10_000),
);
