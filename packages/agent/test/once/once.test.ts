import { expect, test } from "vitest";
import { chargeService } from "./ledger.ts";
import { killed } from "./kill.ts";

test("a program that is killed around a charge finds out what happened, and charges each order once", async () => {
  const service = await chargeService();
  try {
    const steps = (["received", "charged", "answered"] as const).map((wanted) => (kill: () => void) => {
      service.onStep = (step) => {
        if (step === wanted) kill();
      };
    });
    const last = await killed({ kind: "http", where: service.url }, steps);
    expect([last, service.charged.toSorted()]).toEqual(["completed", ["a", "b", "c"]]);
  } finally {
    await service.close();
  }
});
