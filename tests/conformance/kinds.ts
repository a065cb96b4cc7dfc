/** What the site makes of a file that is sent to it. */
type Outcome = "as it is" | "prepared" | "asked" | "refused";

/** One kind of file: how it is made, and what comes of it. */
export interface Kind {
  group: string;
  name: string;
  /** The ending, which chooses ffmpeg's container. */
  as: string;
  /** Arguments of ffmpeg between its inputs (0: picture, 1: sound) and its output. */
  encode: string;
  outcome: Outcome;
  /** Of the video; 3 unless said. */
  seconds?: number;
  /** Filters of the picture, before the encoder. */
  picture?: string;
  /** Options of the picture's or the sound's input. */
  inputs?: { picture?: string; sound?: string };
  /** What is done to the bytes afterwards. */
  damage?: (bytes: Buffer) => Buffer;
  /** The whole file, where ffmpeg makes none. */
  content?: Buffer;
  /** What the site answers, where it refuses or asks. */
  message?: RegExp;
  /** The picture tells the time, and the sound has its beep; false where the kind has none of it. */
  hasPicture?: boolean;
  hasSound?: boolean;
}

const X264 = "-c:v libx264 -preset ultrafast -g 25";
const X265 = "-c:v libx265 -preset ultrafast -x265-params log-level=none";
const VP9 = "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 25";
const AV1 = "-c:v libsvtav1 -preset 12 -g 25";
const FAST = "-movflags +faststart";
const AAC = "-c:a aac";

type Row = [name: string, encode: string, outcome: Outcome, more?: Partial<Kind>];

function group(title: string, as: string, rows: Row[]): Kind[] {
  return rows.map(([name, encode, outcome, more]) => ({
    group: title,
    as,
    name,
    encode,
    outcome,
    ...more,
  }));
}

const SILENT = { hasSound: false };
const PQ = "-pix_fmt yuv420p10le -color_trc smpte2084";
const BT2020 = "-color_primaries bt2020 -colorspace bt2020nc";

/** Whole files, by their container. */
export const WHOLE: Kind[] = [
  ...group("MP4", "mp4", [
    ["H.264, AAC", `${X264} -pix_fmt yuv420p ${AAC} ${FAST}`, "as it is"],
    ["H.264, AAC, index behind", `${X264} -pix_fmt yuv420p ${AAC}`, "as it is"],
    [
      "H.264, AAC, fragments",
      `${X264} -pix_fmt yuv420p ${AAC} -movflags +frag_keyframe+empty_moov`,
      "as it is",
    ],
    ["H.264 Baseline, AAC", `${X264} -profile:v baseline -pix_fmt yuv420p ${AAC}`, "as it is"],
    ["H.264 with B-frames, AAC", `-c:v libx264 -bf 3 -pix_fmt yuv420p ${AAC}`, "as it is"],
    ["H.264, MP3", `${X264} -pix_fmt yuv420p -c:a libmp3lame`, "as it is"],
    ["H.264 without sound", `${X264} -pix_fmt yuv420p -an`, "as it is", SILENT],
    ["H.264, mono", `${X264} -pix_fmt yuv420p ${AAC} -ac 1`, "as it is"],
    ["H.264, sound of 8 kHz", `${X264} -pix_fmt yuv420p ${AAC} -ar 8000`, "as it is"],
    ["H.264, sound of 96 kHz", `${X264} -pix_fmt yuv420p ${AAC} -ar 96000`, "as it is"],
    ["H.264, AAC 5.1", `${X264} -pix_fmt yuv420p ${AAC} -ac 6`, "as it is"],
    ["H.264, AC-3", `${X264} -pix_fmt yuv420p -c:a ac3`, "prepared"],
    ["H.264, E-AC-3", `${X264} -pix_fmt yuv420p -c:a eac3`, "prepared"],
    ["H.264, FLAC", `${X264} -pix_fmt yuv420p -c:a flac -strict -2`, "prepared"],
    ["H.264, ALAC", `${X264} -pix_fmt yuv420p -c:a alac`, "prepared"],
    ["H.264, Opus", `${X264} -pix_fmt yuv420p -c:a libopus`, "prepared"],
    ["H.264 10 bit", `${X264} -pix_fmt yuv420p10le ${AAC}`, "prepared"],
    ["H.264 4:2:2", `${X264} -pix_fmt yuv422p ${AAC}`, "prepared"],
    ["H.264 4:4:4", `${X264} -pix_fmt yuv444p ${AAC}`, "prepared"],
    ["H.264, 5 pictures a second", `${X264} -pix_fmt yuv420p -r 5 -t 3 ${AAC}`, "as it is"],
    ["H.264, 60 pictures a second", `${X264} -pix_fmt yuv420p -r 60 ${AAC}`, "as it is"],
    ["H.264, 29.97 pictures a second", `${X264} -pix_fmt yuv420p -r 30000/1001 ${AAC}`, "as it is"],
    ["H.264, portrait", `${X264} -pix_fmt yuv420p ${AAC}`, "as it is", { picture: "scale=90:160" }],
    ["H.264, 2.40:1", `${X264} -pix_fmt yuv420p ${AAC}`, "as it is", { picture: "scale=240:100" }],
    [
      "H.264, pixels that are not square",
      `${X264} -pix_fmt yuv420p ${AAC}`,
      "as it is",
      { picture: "setsar=4/3" },
    ],
    [
      "H.264, interlaced",
      `${X264} -flags +ildct+ilme -pix_fmt yuv420p ${AAC}`,
      "as it is",
      { picture: "scale=160:96" },
    ],
    [
      "H.264, one keyframe",
      `-c:v libx264 -preset ultrafast -g 9999 -pix_fmt yuv420p ${AAC}`,
      "as it is",
    ],
    ["H.264, keyframes alone", `${X264} -g 1 -pix_fmt yuv420p ${AAC}`, "as it is"],
    [
      "H.264, sound that begins late",
      `${X264} -pix_fmt yuv420p ${AAC}`,
      "as it is",
      { inputs: { sound: "-itsoffset 0.5" }, hasSound: false },
    ],
    [
      "H.264, longer sound",
      `${X264} -pix_fmt yuv420p ${AAC}`,
      "as it is",
      { inputs: { picture: "-t 1.6" }, seconds: 1.6 },
    ],
    [
      "H.264, shorter sound",
      `${X264} -pix_fmt yuv420p ${AAC}`,
      "as it is",
      { inputs: { sound: "-t 1.5" } },
    ],
    [
      "H.264, one frame",
      `${X264} -frames:v 1 -pix_fmt yuv420p -an`,
      "as it is",
      { seconds: 0.04, hasPicture: false, ...SILENT },
    ],
    ["H.264, two sounds", `-map 0 -map 1 -map 1 ${X264} -pix_fmt yuv420p ${AAC}`, "as it is"],
    [
      "H.264, the second picture preferred",
      `-map 0 -map 0 -map 1 ${X264} -pix_fmt yuv420p -disposition:0 0 -disposition:1 default ${AAC}`,
      "prepared",
    ],
    ["HEVC, AAC", `${X265} -tag:v hvc1 -pix_fmt yuv420p ${AAC}`, "prepared"],
    ["HEVC 10 bit, AAC", `${X265} -tag:v hvc1 -pix_fmt yuv420p10le ${AAC}`, "prepared"],
    [
      "HEVC in HDR10",
      `${X265} -tag:v hvc1 ${PQ} ${BT2020} ${AAC}`,
      "prepared",
      { hasPicture: false },
    ],
    [
      "HEVC in HLG",
      `${X265} -tag:v hvc1 -pix_fmt yuv420p10le -color_trc arib-std-b67 ${BT2020} ${AAC}`,
      "prepared",
      { hasPicture: false },
    ],
    ["HDR that names its light alone", `${X264} ${PQ} ${AAC}`, "prepared", { hasPicture: false }],
    ["AV1, AAC", `${AV1} -pix_fmt yuv420p ${AAC}`, "as it is"],
    ["AV1, Opus", `${AV1} -pix_fmt yuv420p -c:a libopus`, "as it is"],
    ["VP9, AAC", `${VP9} -pix_fmt yuv420p ${AAC}`, "prepared"],
    ["MPEG-4 Part 2, AAC", `-c:v mpeg4 ${AAC}`, "prepared"],
    ["MPEG-2, MP2", "-c:v mpeg2video -c:a mp2", "prepared"],
    ["Motion JPEG, AAC", `-c:v mjpeg -pix_fmt yuvj420p ${AAC}`, "prepared"],
  ]),
  ...group("MOV", "mov", [
    ["H.264, AAC", `${X264} -pix_fmt yuv420p ${AAC}`, "as it is"],
    ["H.264, AAC, index in front", `${X264} -pix_fmt yuv420p ${AAC} ${FAST}`, "as it is"],
    ["H.264, PCM", `${X264} -pix_fmt yuv420p -c:a pcm_s16le`, "prepared"],
    ["HEVC, AAC", `${X265} -tag:v hvc1 -pix_fmt yuv420p ${AAC}`, "prepared"],
    ["ProRes, PCM", "-c:v prores_ks -profile:v 0 -c:a pcm_s16le", "prepared"],
    ["ProRes 4444", "-c:v prores_ks -profile:v 4 -pix_fmt yuva444p10le -c:a pcm_s24le", "prepared"],
    ["Motion JPEG, PCM", "-c:v mjpeg -pix_fmt yuvj422p -c:a pcm_s16be", "prepared"],
    ["Animation", "-c:v qtrle -c:a pcm_s16le", "prepared"],
    ["PNG", "-c:v png -c:a pcm_s16le", "prepared"],
    ["CineForm", "-c:v cfhd -c:a pcm_s16le", "prepared", { picture: "scale=192:112" }],
  ]),
  ...group("Matroska", "mkv", [
    ["H.264, AAC", `${X264} -pix_fmt yuv420p ${AAC}`, "prepared"],
    ["H.264, AC-3", `${X264} -pix_fmt yuv420p -c:a ac3`, "prepared"],
    ["H.264, DTS", `${X264} -pix_fmt yuv420p -c:a dca -strict -2`, "prepared"],
    ["H.264, FLAC", `${X264} -pix_fmt yuv420p -c:a flac`, "prepared"],
    ["H.264, Vorbis", `${X264} -pix_fmt yuv420p -c:a libvorbis`, "prepared"],
    ["H.264, PCM", `${X264} -pix_fmt yuv420p -c:a pcm_s16le`, "prepared"],
    ["H.264, TrueHD", `${X264} -pix_fmt yuv420p -c:a truehd -strict -2`, "prepared"],
    [
      "H.264, a clock that begins after an hour",
      `${X264} -pix_fmt yuv420p ${AAC} -output_ts_offset 3892`,
      "prepared",
    ],
    [
      "H.264, longer sound",
      `${X264} -pix_fmt yuv420p ${AAC}`,
      "prepared",
      { inputs: { picture: "-t 1.6" }, seconds: 1.6 },
    ],
    ["H.264, without its length", `${X264} -pix_fmt yuv420p ${AAC} -live 1`, "prepared"],
    [
      "H.264, one frame",
      `${X264} -frames:v 1 -pix_fmt yuv420p -an`,
      "prepared",
      { seconds: 0.04, hasPicture: false, ...SILENT },
    ],
    ["HEVC, Opus", `${X265} -pix_fmt yuv420p -c:a libopus`, "prepared"],
    ["VP9, Opus", `${VP9} -pix_fmt yuv420p -c:a libopus`, "as it is"],
    ["VP8, Vorbis", "-c:v libvpx -deadline realtime -c:a libvorbis", "as it is"],
    ["AV1, Opus", `${AV1} -pix_fmt yuv420p -c:a libopus`, "as it is"],
    ["FFV1, FLAC", "-c:v ffv1 -c:a flac", "prepared"],
    ["MPEG-2, MP2", "-c:v mpeg2video -c:a mp2", "prepared"],
    ["Theora, Vorbis", "-c:v libtheora -c:a libvorbis", "prepared"],
    ["HuffYUV, PCM", "-c:v huffyuv -pix_fmt yuv422p -c:a pcm_s16le", "prepared"],
    [
      "Two pictures and two sounds",
      `-map 0 -map 0 -map 1 -map 1 ${X264} -pix_fmt yuv420p ${AAC}`,
      "prepared",
    ],
  ]),
  ...group("WebM", "webm", [
    ["VP8, Vorbis", "-c:v libvpx -deadline realtime -c:a libvorbis", "as it is"],
    ["VP9, Opus", `${VP9} -pix_fmt yuv420p -c:a libopus`, "as it is"],
    ["VP9 10 bit", `${VP9} -pix_fmt yuv420p10le -c:a libopus`, "prepared"],
    ["VP9 without sound", `${VP9} -pix_fmt yuv420p -an`, "as it is", SILENT],
    ["VP9, without its length", `${VP9} -pix_fmt yuv420p -c:a libopus -live 1`, "as it is"],
    ["AV1, Opus", `${AV1} -pix_fmt yuv420p -c:a libopus`, "as it is"],
  ]),
  ...group("AVI", "avi", [
    ["MPEG-4 Part 2, MP3", "-c:v mpeg4 -c:a libmp3lame", "prepared"],
    ["Xvid, AC-3", "-c:v libxvid -c:a ac3", "prepared"],
    ["DivX 3, MP3", "-c:v msmpeg4 -c:a libmp3lame", "prepared"],
    ["H.264, MP3", `${X264} -pix_fmt yuv420p -c:a libmp3lame`, "prepared"],
    ["Motion JPEG, PCM", "-c:v mjpeg -pix_fmt yuvj420p -c:a pcm_s16le", "prepared"],
    ["HuffYUV, PCM", "-c:v huffyuv -pix_fmt yuv422p -c:a pcm_s16le", "prepared"],
    ["Without sound", "-c:v mpeg4 -an", "prepared", SILENT],
    [
      "One frame",
      "-c:v mpeg4 -frames:v 1 -an",
      "prepared",
      { seconds: 0.04, hasPicture: false, ...SILENT },
    ],
  ]),
  ...group("MPEG transport stream", "ts", [
    ["H.264, AAC", `${X264} -pix_fmt yuv420p ${AAC}`, "prepared"],
    ["HEVC, AAC", `${X265} -pix_fmt yuv420p ${AAC}`, "prepared"],
    ["MPEG-2, MP2", "-c:v mpeg2video -c:a mp2", "prepared"],
    [
      "H.264, AC-3, of a camera (M2TS)",
      `${X264} -pix_fmt yuv420p -c:a ac3 -mpegts_m2ts_mode 1`,
      "prepared",
    ],
    [
      "H.264, a clock that begins after an hour",
      `${X264} -pix_fmt yuv420p ${AAC} -output_ts_offset 3892`,
      "prepared",
    ],
  ]),
  ...group("MPEG program stream", "mpg", [
    ["MPEG-1, MP2", "-c:v mpeg1video -c:a mp2", "prepared"],
    ["MPEG-2, MP2", "-c:v mpeg2video -c:a mp2 -f mpeg", "prepared"],
    ["MPEG-2, AC-3 (VOB)", "-c:v mpeg2video -c:a ac3 -f vob", "prepared"],
  ]),
  ...group("MPEG elementary stream", "m1v", [
    ["MPEG-1", "-c:v mpeg1video -an", "prepared", SILENT],
    ["MPEG-2", "-c:v mpeg2video -an -f mpeg2video", "prepared", SILENT],
  ]),
  ...group("Flash", "flv", [
    ["H.264, AAC", `${X264} -pix_fmt yuv420p ${AAC}`, "prepared"],
    ["Sorenson Spark, MP3", "-c:v flv -c:a libmp3lame -ar 44100", "prepared"],
  ]),
  ...group("Windows Media", "wmv", [
    ["WMV 8, WMA 2", "-c:v wmv2 -c:a wmav2", "prepared"],
    ["WMV 7, WMA 1", "-c:v wmv1 -c:a wmav1", "prepared"],
    ["Sound first", "-map 1 -map 0 -c:v wmv2 -c:a wmav2", "prepared"],
    ["H.264, MP3", `${X264} -pix_fmt yuv420p -c:a libmp3lame`, "prepared"],
  ]),
  ...group("Ogg", "ogv", [
    ["Theora, Vorbis", "-c:v libtheora -c:a libvorbis", "prepared"],
    ["Theora, Opus", "-c:v libtheora -c:a libopus", "prepared"],
    ["Theora, FLAC", "-c:v libtheora -c:a flac", "prepared"],
  ]),
  ...group("3GP", "3gp", [
    ["H.263, AAC", `-c:v h263 ${AAC}`, "prepared", { picture: "scale=176:144" }],
    ["MPEG-4 Part 2, AAC", `-c:v mpeg4 ${AAC}`, "prepared"],
    ["H.264, AAC", `${X264} -pix_fmt yuv420p ${AAC}`, "as it is"],
  ]),
  ...group("MXF", "mxf", [
    ["MPEG-2, PCM", "-c:v mpeg2video -c:a pcm_s16le -ar 48000", "prepared"],
    [
      "DNxHR, PCM",
      "-c:v dnxhd -profile:v dnxhr_lb -pix_fmt yuv422p -c:a pcm_s16le -ar 48000",
      "prepared",
      { picture: "scale=256:144" },
    ],
  ]),
];
