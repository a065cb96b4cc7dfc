/**
 * Why a change of a video was refused; nothing was changed then. The studio (`messages.server.ts`) and the API
 * (`refusal-problem.server.ts`) choose the status and the message.
 */
export type Refusal =
  /** `gone`: no such video, or another uploader's. `not-a-draft`: its uploader may change drafts only. */
  | { code: "gone" | "not-allowed" | "not-a-draft" | "evidence" | "status-changed" }
  /** Once a part of many videos was changed. */
  | { code: "busy" | "failed" }
  /** @see refusalsOf */
  | { code: "not-publishable"; reason: string };

/** Whether a change was refused. */
export function isRefusal<T extends object>(
  outcome: T | undefined,
): outcome is Extract<T, { code: string }> {
  return outcome !== undefined && "code" in outcome;
}
