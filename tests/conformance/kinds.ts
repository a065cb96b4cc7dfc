/** The expected result of an upload. For an incomplete file, the site asks what to do with it. */
type Outcome = "played as is" | "converted" | "incomplete" | "refused";

/** A kind of file: how to create it, and which result to expect. */
export interface Kind {
  group: string;
  name: string;
  /** The file extension, which determines the container format that ffmpeg uses. */
  extension: string;
  /** ffmpeg's arguments between its inputs (0: video, 1: audio) and its output. */
  encode: string;
  outcome: Outcome;
  /** The duration of the video, which is 3 seconds by default. */
  seconds?: number;
  /** The filters that ffmpeg applies to the video before encoding it. */
  videoFilter?: string;
  /** ffmpeg's options for the video or audio input. */
  inputs?: { video?: string; audio?: string };
  /** Changes the bytes of the encoded file. */
  damage?: (bytes: Buffer) => Buffer;
  /** The file's content, if ffmpeg doesn't create the file. */
  content?: Buffer;
  /** The expected message for a refused or incomplete file. */
  message?: RegExp;
  /** Whether each frame's timestamp can be derived from its luma in the resulting file. The default is true. */
  hasLumaSteps?: boolean;
  /** Whether the result contains the beep. The default is true. */
  hasBeep?: boolean;
}

const X264 = "-c:v libx264 -preset ultrafast -g 25";
const X265 = "-c:v libx265 -preset ultrafast -x265-params log-level=none";
const VP9 = "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 25";
const AV1 = "-c:v libsvtav1 -preset 12 -g 25";
const FAST = "-movflags +faststart";
const AAC = "-c:a aac";

type Row = [name: string, encode: string, outcome: Outcome, more?: Partial<Kind>];

function group(title: string, extension: string, rows: Row[]): Kind[] {
  return rows.map(([name, encode, outcome, more]) => ({
    group: title,
    extension,
    name,
    encode,
    outcome,
    ...more,
  }));
}

const SILENT = { hasBeep: false };
const PQ = "-pix_fmt yuv420p10le -color_trc smpte2084";
const BT2020 = "-color_primaries bt2020 -colorspace bt2020nc";

/** Complete files, by container. */
export const WHOLE: Kind[] = [
  ...group("MP4", "mp4", [
    ["H.264, AAC", `${X264} -pix_fmt yuv420p ${AAC} ${FAST}`, "played as is"],
    ["H.264, AAC, index at the end", `${X264} -pix_fmt yuv420p ${AAC}`, "played as is"],
    [
      "H.264, AAC, fragmented",
      `${X264} -pix_fmt yuv420p ${AAC} -movflags +frag_keyframe+empty_moov`,
      "played as is",
    ],
    ["H.264 Baseline, AAC", `${X264} -profile:v baseline -pix_fmt yuv420p ${AAC}`, "played as is"],
    ["H.264 with B-frames, AAC", `-c:v libx264 -bf 3 -pix_fmt yuv420p ${AAC}`, "played as is"],
    ["H.264, MP3", `${X264} -pix_fmt yuv420p -c:a libmp3lame`, "played as is"],
    ["H.264 without audio", `${X264} -pix_fmt yuv420p -an`, "played as is", SILENT],
    ["H.264, mono", `${X264} -pix_fmt yuv420p ${AAC} -ac 1`, "played as is"],
    ["H.264, 8 kHz audio", `${X264} -pix_fmt yuv420p ${AAC} -ar 8000`, "played as is"],
    ["H.264, 96 kHz audio", `${X264} -pix_fmt yuv420p ${AAC} -ar 96000`, "played as is"],
    ["H.264, AAC 5.1", `${X264} -pix_fmt yuv420p ${AAC} -ac 6`, "played as is"],
    ["H.264, AC-3", `${X264} -pix_fmt yuv420p -c:a ac3`, "converted"],
    ["H.264, E-AC-3", `${X264} -pix_fmt yuv420p -c:a eac3`, "converted"],
    ["H.264, FLAC", `${X264} -pix_fmt yuv420p -c:a flac -strict -2`, "converted"],
    ["H.264, ALAC", `${X264} -pix_fmt yuv420p -c:a alac`, "converted"],
    ["H.264, Opus", `${X264} -pix_fmt yuv420p -c:a libopus`, "converted"],
    ["H.264 10 bit", `${X264} -pix_fmt yuv420p10le ${AAC}`, "converted"],
    ["H.264 4:2:2", `${X264} -pix_fmt yuv422p ${AAC}`, "converted"],
    ["H.264 4:4:4", `${X264} -pix_fmt yuv444p ${AAC}`, "converted"],
    ["H.264, 5 fps", `${X264} -pix_fmt yuv420p -r 5 -t 3 ${AAC}`, "played as is"],
    ["H.264, 60 fps", `${X264} -pix_fmt yuv420p -r 60 ${AAC}`, "played as is"],
    ["H.264, 29.97 fps", `${X264} -pix_fmt yuv420p -r 30000/1001 ${AAC}`, "played as is"],
    [
      "H.264, portrait",
      `${X264} -pix_fmt yuv420p ${AAC}`,
      "played as is",
      { videoFilter: "scale=90:160" },
    ],
    [
      "H.264, 2.40:1",
      `${X264} -pix_fmt yuv420p ${AAC}`,
      "played as is",
      { videoFilter: "scale=240:100" },
    ],
    [
      "H.264, non-square pixels",
      `${X264} -pix_fmt yuv420p ${AAC}`,
      "played as is",
      { videoFilter: "setsar=4/3" },
    ],
    [
      "H.264, interlaced",
      `${X264} -flags +ildct+ilme -pix_fmt yuv420p ${AAC}`,
      "played as is",
      { videoFilter: "scale=160:96" },
    ],
    [
      "H.264, one keyframe",
      `-c:v libx264 -preset ultrafast -g 9999 -pix_fmt yuv420p ${AAC}`,
      "played as is",
    ],
    ["H.264, keyframes only", `${X264} -g 1 -pix_fmt yuv420p ${AAC}`, "played as is"],
    [
      "H.264, delayed audio",
      `${X264} -pix_fmt yuv420p ${AAC}`,
      "played as is",
      { inputs: { audio: "-itsoffset 0.5" }, hasBeep: false },
    ],
    [
      "H.264, longer audio",
      `${X264} -pix_fmt yuv420p ${AAC}`,
      "played as is",
      { inputs: { video: "-t 1.6" }, seconds: 1.6 },
    ],
    [
      "H.264, shorter audio",
      `${X264} -pix_fmt yuv420p ${AAC}`,
      "played as is",
      { inputs: { audio: "-t 1.5" } },
    ],
    [
      "H.264, one frame",
      `${X264} -frames:v 1 -pix_fmt yuv420p -an`,
      "played as is",
      { seconds: 0.04, hasLumaSteps: false, ...SILENT },
    ],
    [
      "H.264, two audio tracks",
      `-map 0 -map 1 -map 1 ${X264} -pix_fmt yuv420p ${AAC}`,
      "played as is",
    ],
    [
      "H.264, second video track preferred",
      `-map 0 -map 0 -map 1 ${X264} -pix_fmt yuv420p -disposition:0 0 -disposition:1 default ${AAC}`,
      "converted",
    ],
    ["HEVC, AAC", `${X265} -tag:v hvc1 -pix_fmt yuv420p ${AAC}`, "converted"],
    ["HEVC 10 bit, AAC", `${X265} -tag:v hvc1 -pix_fmt yuv420p10le ${AAC}`, "converted"],
    [
      "HEVC in HDR10",
      `${X265} -tag:v hvc1 ${PQ} ${BT2020} ${AAC}`,
      "converted",
      { hasLumaSteps: false },
    ],
    [
      "HEVC in HLG",
      `${X265} -tag:v hvc1 -pix_fmt yuv420p10le -color_trc arib-std-b67 ${BT2020} ${AAC}`,
      "converted",
      { hasLumaSteps: false },
    ],
    [
      "HDR with only its transfer function tagged",
      `${X264} ${PQ} ${AAC}`,
      "converted",
      { hasLumaSteps: false },
    ],
    ["AV1, AAC", `${AV1} -pix_fmt yuv420p ${AAC}`, "played as is"],
    ["AV1, Opus", `${AV1} -pix_fmt yuv420p -c:a libopus`, "played as is"],
    ["VP9, AAC", `${VP9} -pix_fmt yuv420p ${AAC}`, "converted"],
    ["MPEG-4 Part 2, AAC", `-c:v mpeg4 ${AAC}`, "converted"],
    ["MPEG-2, MP2", "-c:v mpeg2video -c:a mp2", "converted"],
    ["Motion JPEG, AAC", `-c:v mjpeg -pix_fmt yuvj420p ${AAC}`, "converted"],
  ]),
  ...group("MOV", "mov", [
    ["H.264, AAC", `${X264} -pix_fmt yuv420p ${AAC}`, "played as is"],
    ["H.264, AAC, index at the front", `${X264} -pix_fmt yuv420p ${AAC} ${FAST}`, "played as is"],
    ["H.264, PCM", `${X264} -pix_fmt yuv420p -c:a pcm_s16le`, "converted"],
    ["HEVC, AAC", `${X265} -tag:v hvc1 -pix_fmt yuv420p ${AAC}`, "converted"],
    ["ProRes, PCM", "-c:v prores_ks -profile:v 0 -c:a pcm_s16le", "converted"],
    [
      "ProRes 4444",
      "-c:v prores_ks -profile:v 4 -pix_fmt yuva444p10le -c:a pcm_s24le",
      "converted",
    ],
    ["Motion JPEG, PCM", "-c:v mjpeg -pix_fmt yuvj422p -c:a pcm_s16be", "converted"],
    ["Animation", "-c:v qtrle -c:a pcm_s16le", "converted"],
    ["PNG", "-c:v png -c:a pcm_s16le", "converted"],
    ["CineForm", "-c:v cfhd -c:a pcm_s16le", "converted", { videoFilter: "scale=192:112" }],
  ]),
  ...group("Matroska", "mkv", [
    ["H.264, AAC", `${X264} -pix_fmt yuv420p ${AAC}`, "converted"],
    ["H.264, AC-3", `${X264} -pix_fmt yuv420p -c:a ac3`, "converted"],
    ["H.264, DTS", `${X264} -pix_fmt yuv420p -c:a dca -strict -2`, "converted"],
    ["H.264, FLAC", `${X264} -pix_fmt yuv420p -c:a flac`, "converted"],
    ["H.264, Vorbis", `${X264} -pix_fmt yuv420p -c:a libvorbis`, "converted"],
    ["H.264, PCM", `${X264} -pix_fmt yuv420p -c:a pcm_s16le`, "converted"],
    ["H.264, TrueHD", `${X264} -pix_fmt yuv420p -c:a truehd -strict -2`, "converted"],
    [
      "H.264, timestamps that start after an hour",
      `${X264} -pix_fmt yuv420p ${AAC} -output_ts_offset 3892`,
      "converted",
    ],
    [
      "H.264, longer audio",
      `${X264} -pix_fmt yuv420p ${AAC}`,
      "converted",
      { inputs: { video: "-t 1.6" }, seconds: 1.6 },
    ],
    ["H.264, without a duration", `${X264} -pix_fmt yuv420p ${AAC} -live 1`, "converted"],
    [
      "H.264, one frame",
      `${X264} -frames:v 1 -pix_fmt yuv420p -an`,
      "converted",
      { seconds: 0.04, hasLumaSteps: false, ...SILENT },
    ],
    ["HEVC, Opus", `${X265} -pix_fmt yuv420p -c:a libopus`, "converted"],
    ["VP9, Opus", `${VP9} -pix_fmt yuv420p -c:a libopus`, "played as is"],
    ["VP8, Vorbis", "-c:v libvpx -deadline realtime -c:a libvorbis", "played as is"],
    ["AV1, Opus", `${AV1} -pix_fmt yuv420p -c:a libopus`, "played as is"],
    ["FFV1, FLAC", "-c:v ffv1 -c:a flac", "converted"],
    ["MPEG-2, MP2", "-c:v mpeg2video -c:a mp2", "converted"],
    ["Theora, Vorbis", "-c:v libtheora -c:a libvorbis", "converted"],
    ["HuffYUV, PCM", "-c:v huffyuv -pix_fmt yuv422p -c:a pcm_s16le", "converted"],
    [
      "Two video and two audio tracks",
      `-map 0 -map 0 -map 1 -map 1 ${X264} -pix_fmt yuv420p ${AAC}`,
      "converted",
    ],
  ]),
  ...group("WebM", "webm", [
    ["VP8, Vorbis", "-c:v libvpx -deadline realtime -c:a libvorbis", "played as is"],
    ["VP9, Opus", `${VP9} -pix_fmt yuv420p -c:a libopus`, "played as is"],
    ["VP9 10 bit", `${VP9} -pix_fmt yuv420p10le -c:a libopus`, "converted"],
    ["VP9 without audio", `${VP9} -pix_fmt yuv420p -an`, "played as is", SILENT],
    ["VP9, without a duration", `${VP9} -pix_fmt yuv420p -c:a libopus -live 1`, "played as is"],
    ["AV1, Opus", `${AV1} -pix_fmt yuv420p -c:a libopus`, "played as is"],
  ]),
  ...group("AVI", "avi", [
    ["MPEG-4 Part 2, MP3", "-c:v mpeg4 -c:a libmp3lame", "converted"],
    ["Xvid, AC-3", "-c:v libxvid -c:a ac3", "converted"],
    ["DivX 3, MP3", "-c:v msmpeg4 -c:a libmp3lame", "converted"],
    ["H.264, MP3", `${X264} -pix_fmt yuv420p -c:a libmp3lame`, "converted"],
    ["Motion JPEG, PCM", "-c:v mjpeg -pix_fmt yuvj420p -c:a pcm_s16le", "converted"],
    ["HuffYUV, PCM", "-c:v huffyuv -pix_fmt yuv422p -c:a pcm_s16le", "converted"],
    ["Without audio", "-c:v mpeg4 -an", "converted", SILENT],
    [
      "One frame",
      "-c:v mpeg4 -frames:v 1 -an",
      "converted",
      { seconds: 0.04, hasLumaSteps: false, ...SILENT },
    ],
  ]),
  ...group("MPEG transport stream", "ts", [
    ["H.264, AAC", `${X264} -pix_fmt yuv420p ${AAC}`, "converted"],
    ["HEVC, AAC", `${X265} -pix_fmt yuv420p ${AAC}`, "converted"],
    ["MPEG-2, MP2", "-c:v mpeg2video -c:a mp2", "converted"],
    [
      "H.264, AC-3, from a camera (M2TS)",
      `${X264} -pix_fmt yuv420p -c:a ac3 -mpegts_m2ts_mode 1`,
      "converted",
    ],
    [
      "H.264, timestamps that start after an hour",
      `${X264} -pix_fmt yuv420p ${AAC} -output_ts_offset 3892`,
      "converted",
    ],
  ]),
  ...group("MPEG program stream", "mpg", [
    ["MPEG-1, MP2", "-c:v mpeg1video -c:a mp2", "converted"],
    ["MPEG-2, MP2", "-c:v mpeg2video -c:a mp2 -f mpeg", "converted"],
    ["MPEG-2, AC-3 (VOB)", "-c:v mpeg2video -c:a ac3 -f vob", "converted"],
  ]),
  ...group("MPEG elementary stream", "m1v", [
    ["MPEG-1", "-c:v mpeg1video -an", "converted", SILENT],
    ["MPEG-2", "-c:v mpeg2video -an -f mpeg2video", "converted", SILENT],
  ]),
  ...group("Flash", "flv", [
    ["H.264, AAC", `${X264} -pix_fmt yuv420p ${AAC}`, "converted"],
    ["Sorenson Spark, MP3", "-c:v flv -c:a libmp3lame -ar 44100", "converted"],
  ]),
  ...group("Windows Media", "wmv", [
    ["WMV 8, WMA 2", "-c:v wmv2 -c:a wmav2", "converted"],
    ["WMV 7, WMA 1", "-c:v wmv1 -c:a wmav1", "converted"],
    ["Audio track first", "-map 1 -map 0 -c:v wmv2 -c:a wmav2", "converted"],
    ["H.264, MP3", `${X264} -pix_fmt yuv420p -c:a libmp3lame`, "converted"],
  ]),
  ...group("Ogg", "ogv", [
    ["Theora, Vorbis", "-c:v libtheora -c:a libvorbis", "converted"],
    ["Theora, Opus", "-c:v libtheora -c:a libopus", "converted"],
    ["Theora, FLAC", "-c:v libtheora -c:a flac", "converted"],
  ]),
  ...group("3GP", "3gp", [
    ["H.263, AAC", `-c:v h263 ${AAC}`, "converted", { videoFilter: "scale=176:144" }],
    ["MPEG-4 Part 2, AAC", `-c:v mpeg4 ${AAC}`, "converted"],
    ["H.264, AAC", `${X264} -pix_fmt yuv420p ${AAC}`, "played as is"],
  ]),
  ...group("MXF", "mxf", [
    ["MPEG-2, PCM", "-c:v mpeg2video -c:a pcm_s16le -ar 48000", "converted"],
    [
      "DNxHR, PCM",
      "-c:v dnxhd -profile:v dnxhr_lb -pix_fmt yuv422p -c:a pcm_s16le -ar 48000",
      "converted",
      { videoFilter: "scale=256:144" },
    ],
  ]),
];
