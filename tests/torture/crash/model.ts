/** The state of a video. Changes are atomic: a video is never partly in one state and partly in another. */
export interface VideoState {
  at: "nowhere" | "catalogue" | "trash";
  title: string;
  description: string;
  isPublic: boolean;
  /** The time at which the video is published automatically, in milliseconds since 1970. */
  publishAt: number | null;
}

export interface Video {
  /** A unique word that each of the video's titles starts with. */
  word: string;
  id?: string;
  sha256: string;
  /** The number of frames in the uploaded file. */
  frames: number;
  /** One state after a response, or two if the site was killed before it responded. */
  allowed: VideoState[];
  /** The video's state once the import folder has been imported. */
  imported?: VideoState;
}

export const NOWHERE: VideoState = {
  at: "nowhere",
  title: "",
  description: "",
  isPublic: false,
  publishAt: null,
};

/** Returns a title and a description that contain the same version number, so that a partial edit is noticed. */
export function texts(word: string, version: number) {
  return { title: `${word} version ${version}`, description: `All of version ${version}.` };
}

/**
 * Returns the states that the video may be in at a given time. If it is due, it may or may not have been published yet.
 */
export function allowedNow(video: Video, now: number): VideoState[] {
  return video.allowed.flatMap((state) =>
    state.publishAt !== null && state.publishAt <= now && state.at === "catalogue"
      ? [state, { ...state, isPublic: true, publishAt: null }]
      : [state],
  );
}

export function isSame(one: VideoState, other: VideoState): boolean {
  return (Object.keys(NOWHERE) as (keyof VideoState)[]).every((key) => one[key] === other[key]);
}

export function describeState(state: VideoState): string {
  const { at, title, description, isPublic, publishAt } = state;
  const due = publishAt === null ? "" : `, due ${new Date(publishAt).toISOString()}`;
  return `${at}, "${title}", "${description}", ${isPublic ? "public" : "hidden"}${due}`;
}
