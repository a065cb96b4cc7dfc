import type { Frames } from "~/features/processing/comparison/frame-hashes";
import {
  contentBox,
  FRAME_SIDE,
  hashComparedFrame,
} from "~/features/processing/comparison/frame-hashes";

/** Videos to add to the block list, modified copies of those videos, and unrelated videos. */

const COMPARED = 32;

/** Modifications of blocked clips: the ffmpeg options before and after the input. */
export const CHANGES: Record<string, [before: string[], filters: string, more?: string[]]> = {
  "re-encoded": [[], "null", ["-crf", "40"]],
  scaled: [[], "scale=214:120"],
  "cropped by 5 %": [[], "crop=iw*0.95:ih*0.95"],
  "cropped at a corner": [[], "crop=iw*0.95:ih*0.95:0:0"],
  mirrored: [[], "hflip"],
  letterboxed: [[], "pad=iw:ih*1.33:0:(oh-ih)/2"],
  trimmed: [["-ss", "3.7", "-t", "17"], "null"],
  "all of these": [
    ["-ss", "2.3", "-t", "20"],
    "crop=iw*0.95:ih*0.95,hflip,scale=320:180,pad=320:240:0:30",
    ["-crf", "35"],
  ],
};
/** The clips on the block list. */
export const CLIPS: Record<string, string> = {
  "scenes 13":
    "color=gray:size=16x12:rate=2/5:duration=30,noise=alls=100:allf=t:all_seed=13,scale=426:240:flags=bicubic,fps=10",
  "test card": "testsrc2=size=426x240:rate=10:duration=30",
};

/**
 * Renders a clip of eight scenes with moving soft lights, without ffmpeg, which would take minutes to render 500 clips.
 */
function drawn(seed: number): Uint8Array[] {
  let state = seed * 7_919;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const frames: Uint8Array[] = [];
  for (let scene = 0; scene < 8; scene++) {
    const lights = Array.from({ length: 6 }, () => [
      random(),
      random(),
      random() * 0.2 + 0.05,
      random(),
      random() - 0.5,
    ]);
    for (let at = 0; at < COMPARED / 8; at++) {
      const frame = new Uint8Array(FRAME_SIDE ** 2);
      for (let pixel = 0; pixel < frame.length; pixel++) {
        const x = (pixel % FRAME_SIDE) / FRAME_SIDE;
        const y = Math.floor(pixel / FRAME_SIDE) / FRAME_SIDE;
        let light = 30;
        for (const [cx, cy, size, strength, motion] of lights) {
          const dx = x - cx! - motion! * at * 0.05;
          const square = (dx * dx + (y - cy!) ** 2) / size! ** 2;
          if (square < 9) light += 220 * strength! * Math.exp(-square);
        }
        frame[pixel] = Math.min(255, light);
      }
      frames.push(frame);
    }
  }
  return frames;
}

export function drawnVideo(seed: number): Frames {
  const frames = drawn(seed);
  const box = contentBox(frames);
  const hashes = Buffer.concat(frames.map((frame) => hashComparedFrame(frame, box)));
  return { first: 0.5, step: 1, hashes };
}
