import { test } from "vitest";
import { expectNothingForbidden } from "./racing.ts";

test(
  "class 9: beside a process that exchanges folders and files for links, no forbidden byte is shown and none is written",
  {
    timeout: 120_000,
  },
  () => expectNothingForbidden(100),
);
