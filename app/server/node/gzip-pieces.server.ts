import zlib from "node:zlib";

/**
 * A gzip file put together from pieces that were compressed once, with short texts between them
 * that were not (RFC 1951 §3.2.4, RFC 1952): compressing a page anew for each visitor would cost
 * as much as rendering a small one.
 */

export interface GzipPiece {
  plain: Buffer;
  /** Blocks of deflate that end at a byte and refer to nothing before them. */
  deflated: Buffer;
}

const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
const LAST_BLOCK = Buffer.from([1, 0, 0, 0xff, 0xff]);
const STORED_MOST_BYTES = 0xffff;

export function gzipPiece(text: string): GzipPiece {
  const plain = Buffer.from(text);
  const deflated = zlib.deflateRawSync(plain, { finishFlush: zlib.constants.Z_FULL_FLUSH });
  return { plain, deflated };
}

/** The pieces with `between` after each but the last, as one gzip file. */
export function gzipPieces(pieces: GzipPiece[], between: Buffer): Buffer {
  const stored = storedBlock(between);
  const parts: Buffer[] = [HEADER];
  let crc = 0;
  let size = 0;
  pieces.forEach(({ plain, deflated }, index) => {
    if (index > 0) {
      parts.push(stored);
      crc = zlib.crc32(between, crc);
      size += between.length;
    }
    parts.push(deflated);
    crc = zlib.crc32(plain, crc);
    size += plain.length;
  });
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc, 0);
  trailer.writeUInt32LE(size % 2 ** 32, 4);
  return Buffer.concat([...parts, LAST_BLOCK, trailer]);
}

function storedBlock(bytes: Buffer): Buffer {
  if (bytes.length > STORED_MOST_BYTES) throw new RangeError("Too long for a stored block.");
  const head = Buffer.alloc(5);
  head.writeUInt16LE(bytes.length, 1);
  head.writeUInt16LE(~bytes.length & STORED_MOST_BYTES, 3);
  return Buffer.concat([head, bytes]);
}
