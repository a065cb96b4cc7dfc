/** What the pictures of a stream can be encoded in. H.264 is always made: every browser decodes it. */
export const CODECS = ["h264", "av1", "hevc"] as const;
type Codec = (typeof CODECS)[number];
/** What is made beside it, for players that decode it well. */
export type ExtraCodec = Exclude<Codec, "h264">;

/** With the beginning of its name in RFC 6381. */
export const EXTRA_CODECS: Record<ExtraCodec, { label: string; sampleEntry: string }> = {
  av1: { label: "AV1", sampleEntry: "av01" },
  hevc: { label: "HEVC", sampleEntry: "hvc1" },
};
