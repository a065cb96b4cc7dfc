/** What a film may be: none of it is ever half of one and half of another. */
export interface FilmState {
  at: "nowhere" | "catalogue" | "trash";
  title: string;
  description: string;
  isPublic: boolean;
  /** When it is published by itself, milliseconds since 1970. */
  publishAt: number | null;
}

export interface Film {
  /** A word that no other film has, the first of each of its titles. */
  word: string;
  id?: string;
  sha256: string;
  /** Video frames of the uploaded file. */
  frames: number;
  /** One state after an answer; two when the site was killed before it answered. */
  allowed: FilmState[];
  /** What it becomes when the folder that it lies in is imported. */
  imported?: FilmState;
}

export const NOWHERE: FilmState = {
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

/** The states that the film may be in by now: what is due is published within moments. */
export function allowedNow(film: Film, now: number): FilmState[] {
  return film.allowed.flatMap((state) =>
    state.publishAt !== null && state.publishAt <= now && state.at === "catalogue"
      ? [state, { ...state, isPublic: true, publishAt: null }]
      : [state],
  );
}

export function isSame(one: FilmState, other: FilmState): boolean {
  return (Object.keys(NOWHERE) as (keyof FilmState)[]).every((key) => one[key] === other[key]);
}

export function described(state: FilmState): string {
  const { at, title, description, isPublic, publishAt } = state;
  const due = publishAt === null ? "" : `, due ${new Date(publishAt).toISOString()}`;
  return `${at}, "${title}", "${description}", ${isPublic ? "public" : "hidden"}${due}`;
}
