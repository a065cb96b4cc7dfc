/** A state of a video. A change is atomic: a video is never partly in one state and partly in another. */
export interface VideoState {
  at: "nowhere" | "catalogue" | "trash";
  title: string;
  description: string;
  isPublic: boolean;
  /** When it is published automatically, in milliseconds since 1970. */
  publishAt: number | null;
}

export interface Video {
  /** A unique word that each of its titles starts with. */
  word: string;
  id?: string;
  sha256: string;
  /** Video frames of the uploaded file. */
  frames: number;
  /** One state after a response; two if the site was killed before it responded. */
  allowed: VideoState[];
  /** Its state once the import folder has been imported. */
  imported?: VideoState;
}

export const NOWHERE: VideoState = {
  at: "nowhere",
  title: "",
  description: "",
  isPublic: false,
  publishAt: null,
};

/** Returns a title and a description that name the same version, so that a partial edit is noticed. */
export function texts(word: string, version: number) {
  return { title: `${word} version ${version}`, description: `All of version ${version}.` };
}

/** Returns the states that the video may be in at a time: one that is due may or may not have been published yet. */
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
