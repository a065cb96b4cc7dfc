const STEPS = [1, 2, 5];
const MOST_STEPS = 4;

/**
 * The values that an axis names: 0 and up to four more, evenly spaced by 1, 2 or 5 times a power of
 * ten, the last of them at least `most`.
 *
 * @param unit the smallest step, such as 1 for what is counted.
 */
export function axisTicks(most: number, unit = 1): number[] {
  let power = 1;
  for (;;) {
    for (const step of STEPS) {
      const size = step * power * unit;
      const steps = Math.max(1, Math.ceil(most / size));
      if (steps <= MOST_STEPS) return Array.from({ length: steps + 1 }, (_, index) => index * size);
    }
    power *= 10;
  }
}

const MEBIBYTE = 1024 ** 2;
const GIBIBYTE = 1024 ** 3;

/** The smallest step of an axis of bytes: a tenth of the unit that its largest value is written in. */
export function byteUnit(most: number): number {
  return (most >= GIBIBYTE ? GIBIBYTE : MEBIBYTE) / 10;
}
