import { test } from "vitest";
import { expectNothingForbidden } from "./racing.ts";

test(
  "class 9: 10,000 rounds beside a process that exchanges folders and files for links show and write no forbidden byte",
  {
    timeout: 900_000,
  },
  () => expectNothingForbidden(10_000),
);
