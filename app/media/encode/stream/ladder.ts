import type { Probe } from "../../probe/probe.server";
import type { Rate, Rendition } from "../renditions";
import type { Sound } from "../sounds";

/** What a stream is made of: every quality and every sound of a film. */
export interface Ladder {
  file: string;
  probe: Probe;
  /** Smallest first. */
  renditions: readonly Rendition[];
  sounds: readonly Sound[];
  rate: Rate;
  /** In the folder of the task; or an absolute path, of a stream that is watched while it is made. */
  folder: string;
  isWatched?: boolean;
  /** Of x264. */
  preset: string;
}
