/** The uploaders' terms: the rules and messages shared by forms, the API and commands. */

export const MAX_TERMS_LENGTH = 20_000;

export interface Terms {
  version: number;
  text: string;
  /** ISO 8601 UTC. */
  createdAt: string;
}

/** A version that was accepted for a video, and the user who accepted it. Times are in ISO 8601 format (UTC). */
export interface AcceptedTerms {
  version: number;
  /** `file` if it was accepted for a file that replaces the video's file. */
  subject: "video" | "file";
  /** The email; null for a deleted account. */
  by: string | null;
  at: string;
}

export const NOT_ACCEPTED = "Read and accept the uploaders’ terms.";

/**
 * Returns the reason why an upload is refused, or undefined if the current version was accepted.
 *
 * @param accepted the version as it was sent by a form, an API client or a command.
 */
export function termsProblem(accepted: string | undefined, current: number): string | undefined {
  const typed = accepted?.trim() ?? "";
  if (typed === "") return `${NOT_ACCEPTED} The current version is ${current}.`;
  if (typed === String(current)) return undefined;
  const isEarlier = /^\d{1,9}$/.test(typed) && Number(typed) > 0 && Number(typed) < current;
  if (!isEarlier)
    return `There is no version ${typed.slice(0, 20)} of the uploaders’ terms. ${NOT_ACCEPTED}`;
  return `The uploaders’ terms have changed from version ${Number(typed)}, which you accepted, to version ${current}. ${NOT_ACCEPTED}`;
}

/**
 * Returns the text without line endings and spaces that a browser or an editor adds, since they would look like a
 * change.
 */
export function normalizeTerms(typed: string): string {
  return typed
    .replace(/\r\n?/g, "\n")
    .replace(/[ \t]+$/gm, "")
    .trim();
}

/** The template on the terms page. It is not legal advice; operators should adapt it. */
export const DEFAULT_TERMS = `By uploading a video, you confirm that:

1. Everyone shown in it was 18 or older when it was recorded, and you can prove that with a document.
2. Everyone shown in it agreed to be recorded, and to the publication of this video on this site.
3. You own the rights to the video, including its music and images, or have the owner's permission to publish it on this site.
4. Nothing in it is illegal: no minors, no force, no abuse, no animals, and nothing recorded or shared in secret.
5. It doesn't reveal anyone's private information, such as an address, a phone number or an identity document.
6. The title, description and tags describe what the video shows.

Anyone shown in a video can ask us to take it down at any time, and we will.

If any of this is not true, we hide or remove the video, and give you the reason on your account page. A removed video can't be uploaded again. A removal can include a strike. Several strikes block your account. Where the law requires it, we report what we found to the authorities.

We record which version of these terms you accepted, for which video and when. We keep this record for as long as the video, and for one year after it is deleted.`;
