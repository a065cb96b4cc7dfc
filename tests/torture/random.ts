/** A pseudorandom number generator. The same seed always yields the same numbers, so faults can be reproduced. */
export interface Random {
  /** Returns a number from 0 up to, but not including, 1. */
  next(): number;
  /** Returns an integer from 0 up to, but not including, `limit`. */
  below(limit: number): number;
  chance(share: number): boolean;
  pick<T>(list: readonly T[]): T;
}

/** Creates a generator: sfc32 from PractRand, seeded with FNV-1a. */
export function createRandom(seed: string): Random {
  let [a, b, c, counter] = [0x9e3779b9, 0x243f6a88, 0xb7e15162, 0x811c9dc5];
  for (let index = 0; index < seed.length; index++) {
    counter = Math.imul(counter ^ seed.charCodeAt(index), 0x01000193);
  }
  const next = () => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let round = 0; round < 12; round++) next();
  const below = (limit: number) => Math.floor(next() * limit);
  return {
    next,
    below,
    chance: (share) => next() < share,
    pick: (list) => list[below(list.length)]!,
  };
}

/** Returns a seed for a run that was started without one. */
export function newSeed(): string {
  return Math.floor(Math.random() * 36 ** 8).toString(36);
}
