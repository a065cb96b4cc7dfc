/** Names of codecs as players ask for them, from what MP4 says of them. */

/**
 * AV1 Codec ISO Media File Format Binding, "Codecs Parameter String": profile, level, tier and bits, from `av1C`.
 *
 * @example av1Name(av1C) // "av01.0.05M.08"
 */
export function av1Name(av1C: Uint8Array): string {
  const [, first = 0, second = 0] = av1C;
  const level = String(first & 0x1f).padStart(2, "0");
  const tier = second & 0x80 ? "H" : "M";
  const isHighDepth = (second & 0x40) !== 0;
  const depth = isHighDepth ? (second & 0x20 ? 12 : 10) : 8;
  return `av01.${first >> 5}.${level}${tier}.${String(depth).padStart(2, "0")}`;
}

/**
 * ISO/IEC 14496-15, annex E.3: profile, compatibility with others (its bits reversed), tier, level and
 * constraints without the zeros behind them, from `hvcC`.
 *
 * @example hevcName(hvcC) // "hvc1.1.6.L93.90"
 */
export function hevcName(hvcC: Uint8Array): string {
  const [, general = 0] = hvcC;
  const space = ["", "A", "B", "C"][general >> 6];
  let compatibility = 0;
  for (let bit = 0; bit < 32; bit++) {
    if (hvcC[2 + (bit >> 3)]! & (0x80 >> (bit & 7))) compatibility += 2 ** bit;
  }
  const constraints = [...hvcC.subarray(6, 12)];
  while (constraints.at(-1) === 0) constraints.pop();
  return [
    `hvc1.${space}${general & 0x1f}`,
    compatibility.toString(16).toUpperCase(),
    `${general & 0x20 ? "H" : "L"}${hvcC[12]}`,
    ...constraints.map((byte) => byte.toString(16).toUpperCase()),
  ].join(".");
}
