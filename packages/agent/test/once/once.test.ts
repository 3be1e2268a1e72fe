import { expect, test } from "vitest";
import { bundledChild } from "../kill/bundled-child.ts";
import { CHARGE_CHILD, type Killer, killed } from "./kill.ts";
import { chargeService } from "./ledger.ts";

test("a program that is killed around a charge finds out what happened, and charges each order once", async () => {
  const service = await chargeService();
  const child = await bundledChild(CHARGE_CHILD);
  try {
    const steps = (["received", "charged", "answered"] as const).map(
      (wanted): Killer =>
        (line, kill) => {
          if (line === "ready") service.onStep = (step) => void (step === wanted && kill());
        },
    );
    const place = { program: child.path, kind: "http", where: service.url } as const;
    const { last, kills } = await killed(place, steps);
    expect([last, kills > 0, service.charged.toSorted()]).toEqual([
      "completed",
      true,
      ["order-a", "order-b", "order-c"],
    ]);
  } finally {
    await child.remove();
    await service.close();
  }
});
