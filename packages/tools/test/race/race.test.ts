import { test } from "vitest";
import { expectNothingForbidden } from "./racing.ts";

test(
  "class 9: next to a process that swaps folders and files for links, no forbidden byte is shown or written",
  {
    timeout: 120_000,
  },
  () => expectNothingForbidden(100),
);
