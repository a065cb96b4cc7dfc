import { z } from "zod";
import { CODECS } from "~/shared/streams/codecs";
import { wholeNumber } from "./setting-rules";

/** The settings of conversions. */
export const ENCODER_VARIABLES = {
  ENCODER_CONCURRENCY: {
    takes: "a whole number of jobs at once, from 0 (none in the server's process) to 8",
    schema: wholeNumber(0, 8).default(1),
  },
  ENCODER_THREADS: {
    takes: "a whole number of threads, from 0 (as many as processors) to 64",
    schema: wholeNumber(0, 64).default(0),
  },
  ENCODER_HARDWARE: {
    takes: "off, vaapi, nvenc or qsv",
    schema: z.enum(["off", "vaapi", "nvenc", "qsv"]).default("off"),
  },
  ENCODER_MAX_HEIGHT: {
    takes: "a whole number of lines, from 240 to 2160",
    schema: wholeNumber(240, 2160).default(1080),
  },
  ENCODER_CODECS: {
    takes: "h264, or h264 with av1 or hevc behind it, separated by commas",
    schema: z
      .string()
      .default("h264")
      .transform((value) => value.split(",").map((codec) => codec.trim().toLowerCase()))
      .pipe(z.array(z.enum(CODECS)))
      .refine((codecs) => codecs.includes("h264")),
  },
  ENCODER_CODECS_VIEWS: {
    takes: "a whole number of views",
    schema: wholeNumber(0, Number.MAX_SAFE_INTEGER).default(1_000),
  },
  ENCODER_FREE_BYTES: {
    takes: "a whole number of bytes",
    schema: wholeNumber(0, Number.MAX_SAFE_INTEGER).optional(),
  },
  ENCODER_PRESET: {
    takes: "auto, or a preset of x264 from ultrafast to slow",
    schema: z
      .enum(["auto", "ultrafast", "superfast", "veryfast", "faster", "fast", "medium", "slow"])
      .default("auto"),
  },
} as const;
