import type { RejectedEdit, StudioFailure } from "./failure";

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
  | { code: "not-publishable"; reason: string }
  | { code: "invalid-schedule"; schedule: NonNullable<StudioFailure["schedule"]> }
  | { code: "changed" | "invalid"; edit: RejectedEdit }
  | { code: "file-refused"; status: StudioFailure["status"]; edit: RejectedEdit };

/** Whether a change was refused. */
export function isRefusal(outcome: object | undefined): outcome is Refusal {
  return outcome !== undefined && "code" in outcome;
}
