import fc from "fast-check";
import { expect, it } from "vitest";
import { walk } from "~/features/catalogue/surprise.server";

const seeds = fc.integer({ min: 0, max: 2 ** 31 - 1 });

it("returns every video once before repeating any", () => {
  fc.assert(
    fc.property(seeds, fc.integer({ min: 1, max: 300 }), (seed, total) => {
      const seen = Array.from({ length: total }, (_, step) => walk(seed, step, total));
      expect(new Set(seen).size).toBe(total);
      expect(Math.min(...seen)).toBe(0);
      expect(Math.max(...seen)).toBe(total - 1);
    }),
  );
});

it("returns the same sequence for the same seed, even for a million videos", () => {
  fc.assert(
    fc.property(seeds, seeds, (seed, step) => {
      const at = walk(seed, step, 1_000_000);
      expect(walk(seed, step, 1_000_000)).toBe(at);
      expect(at).toBeGreaterThanOrEqual(0);
      expect(at).toBeLessThan(1_000_000);
    }),
  );
});
