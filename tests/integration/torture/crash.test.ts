import { expect, it } from "vitest";
import { crash } from "../../../scripts/torture/crash/crash";

const KILLS = 4;

it("kills the site while it works, and it has what it has answered", async () => {
  expect(await crash("npm test", KILLS)).toEqual([]);
}, 180_000);
