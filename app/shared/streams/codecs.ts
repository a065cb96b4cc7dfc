/** The video codecs in which a stream may be encoded. H.264 is always encoded, since every browser decodes it. */
export const CODECS = ["h264", "av1", "hevc"] as const;
type Codec = (typeof CODECS)[number];
/** Codecs that are added for players that decode them efficiently. */
export type ExtraCodec = Exclude<Codec, "h264">;

/** The codecs and their prefixes in RFC 6381 codec strings. */
export const EXTRA_CODECS: Record<ExtraCodec, { label: string; sampleEntry: string }> = {
  av1: { label: "AV1", sampleEntry: "av01" },
  hevc: { label: "HEVC", sampleEntry: "hvc1" },
};
