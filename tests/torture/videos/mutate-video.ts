import type { Random } from "../random";

/** Numbers that cause overflows when they are used as lengths or counts in containers. */
const EDGES = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];
const MAX_CHANGES = 4;
/** A container's tables are at its beginning or its end. */
const TABLES_BYTES = 4_096;

/** Returns a video with a few changes, most of them in its container's tables. */
export function mutateVideo(random: Random, videos: readonly Buffer[]): Buffer {
  let bytes: Buffer = random.pick(videos);
  for (let left = 1 + random.below(MAX_CHANGES); left > 0; left--) {
    bytes = mutate(random, bytes, videos);
  }
  return bytes;
}

function mutate(random: Random, bytes: Buffer, videos: readonly Buffer[]): Buffer {
  const at = position(random, bytes.length);
  const end = Math.min(bytes.length, at + 1 + random.below(random.chance(0.7) ? 64 : bytes.length));
  const [before, piece, after] = [
    bytes.subarray(0, at),
    bytes.subarray(at, end),
    bytes.subarray(end),
  ];
  switch (random.below(9)) {
    case 0:
      return overwrite(bytes, at, Buffer.of(random.below(256)));
    case 1: {
      const number = Buffer.alloc(4);
      if (random.chance(0.5)) number.writeUInt32BE(random.pick(EDGES));
      else number.writeUInt32LE(random.pick(EDGES));
      return overwrite(bytes, at, number);
    }
    case 2:
      return overwrite(bytes, at, Buffer.of((bytes[at] ?? 0) ^ (1 << random.below(8))));
    case 3:
      return Buffer.concat([before, after]);
    case 4:
      return Buffer.concat([before, piece, piece, after]);
    case 5:
      return Buffer.concat([before, Buffer.alloc(piece.length), after]);
    case 6:
      return Buffer.concat([before, noise(random, 1 + random.below(256)), after]);
    case 7: {
      const other = random.pick(videos);
      return Buffer.concat([before, other.subarray(random.below(other.length))]);
    }
    default:
      return random.chance(0.3) ? Buffer.from(before) : Buffer.concat([after, piece]);
  }
}

function position(random: Random, length: number): number {
  const near = random.below(Math.min(length + 1, TABLES_BYTES));
  if (random.chance(0.4)) return near;
  return random.chance(0.6) ? Math.max(0, length - near) : random.below(length + 1);
}

function overwrite(bytes: Buffer, at: number, replacement: Buffer): Buffer {
  return Buffer.concat([
    bytes.subarray(0, at),
    replacement,
    bytes.subarray(at + replacement.length),
  ]);
}

function noise(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random.below(256)));
}
