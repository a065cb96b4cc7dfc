/** What uploaders agree to: rules and sentences that forms, programs and commands share. */

export const MAX_TERMS_LENGTH = 20_000;

export interface Terms {
  version: number;
  text: string;
  /** ISO 8601 UTC. */
  createdAt: string;
}

/** Who has accepted which version for a video; times are ISO 8601 UTC. */
export interface AcceptedTerms {
  version: number;
  /** `file`: for another file of the video. */
  subject: "video" | "file";
  /** The e-mail; null for an account that is gone. */
  by: string | null;
  at: string;
}

export const NOT_ACCEPTED = "Read the uploaders' terms and accept them.";

/** Why an upload is refused: undefined when `accepted` is the version there is, as a form or a program says it. */
export function termsProblem(accepted: string | undefined, current: number): string | undefined {
  const typed = accepted?.trim() ?? "";
  if (typed === "") return `${NOT_ACCEPTED} They are version ${current}.`;
  if (typed === String(current)) return undefined;
  const isEarlier = /^\d{1,9}$/.test(typed) && Number(typed) > 0 && Number(typed) < current;
  if (!isEarlier)
    return `There is no version ${typed.slice(0, 20)} of the uploaders' terms. ${NOT_ACCEPTED}`;
  return `The uploaders' terms have changed: version ${current} came after version ${Number(typed)}, which you accepted. ${NOT_ACCEPTED}`;
}

/** A text as it is stored: without what a browser or an editor adds, so that the same text is the same version. */
export function normalizeTerms(typed: string): string {
  return typed
    .replace(/\r\n?/g, "\n")
    .replace(/[ \t]+$/gm, "")
    .trim();
}

/** What the page of the terms begins with. It is no legal advice: an operator reads and changes it. */
export const DEFAULT_TERMS = `By uploading a video you say that all of this is true:

1. Everybody shown in it was 18 or older when it was recorded, and you can show that with a document.
2. Everybody shown in it agreed to being recorded, and to this video being published here.
3. You own the rights to the video, with its music and pictures, or its owner lets you publish it here.
4. Nothing in it is illegal: no minors, no force, no abuse, no animals, nothing recorded or shared in secret.
5. It shows nobody's private information, such as an address, a telephone number or a document.
6. Title, description and tags say what the video shows.

Whoever is shown in a video may ask at any time that it is taken down, and we take it down.

What happens when something of this is not so: we hide or remove the video, and tell you the reason on the page of your account. A removed video can't be uploaded again. A removal can come with a strike; with several strikes your account is blocked. Where a law asks us to, we report what we have found to the authorities.

We keep which version of these terms you accepted, for which video and when, for as long as the video and a year after it.`;
