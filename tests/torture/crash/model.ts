/** What a video may be: none of it is ever half of one and half of another. */
export interface VideoState {
  at: "nowhere" | "catalogue" | "trash";
  title: string;
  description: string;
  isPublic: boolean;
  /** When it is published by itself, milliseconds since 1970. */
  publishAt: number | null;
}

export interface Video {
  /** A word that no other video has, the first of each of its titles. */
  word: string;
  id?: string;
  sha256: string;
  /** Video frames of the uploaded file. */
  frames: number;
  /** One state after an answer; two when the site was killed before it answered. */
  allowed: VideoState[];
  /** What it becomes when the folder that it lies in is imported. */
  imported?: VideoState;
}

export const NOWHERE: VideoState = {
  at: "nowhere",
  title: "",
  description: "",
  isPublic: false,
  publishAt: null,
};

/** The texts belong together, so that half an edit is seen. */
export function texts(word: string, version: number) {
  return { title: `${word} version ${version}`, description: `All of version ${version}.` };
}

/** The states that the video may be in by now: what is due is published within moments. */
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

export function described(state: VideoState): string {
  const { at, title, description, isPublic, publishAt } = state;
  const due = publishAt === null ? "" : `, due ${new Date(publishAt).toISOString()}`;
  return `${at}, "${title}", "${description}", ${isPublic ? "public" : "hidden"}${due}`;
}
