import { z } from "zod";
import type { ToastMessage } from "~/ui/toast";
import { VIDEO_STATUSES } from "~db/schema";
import { editVideo } from "./edit.server";
import { failure, type StudioFailure } from "./failure";
import { deleteVideo, restoreVideo } from "./remove.server";
import { toggleVideo } from "./visibility.server";

const id = z.string().min(1);
const text = z.string().optional();

const studioRequest = z.discriminatedUnion("intent", [
  z.object({
    intent: z.literal("update"),
    id,
    version: text,
    title: text,
    description: text,
    category: text,
    tags: text,
    duration: text,
  }),
  z.object({
    intent: z.literal("toggle"),
    id,
    shown: z.enum(VIDEO_STATUSES).optional().catch(undefined),
  }),
  z.object({ intent: z.literal("delete"), id }),
  z.object({ intent: z.literal("restore"), id }),
]);

type StudioRequest = z.infer<typeof studioRequest>;

/** Does what a form of the manage tab asks for. Its `intent` names the one meaning it has. */
export async function performIntent(
  form: FormData,
  userId: string,
): Promise<StudioFailure | ToastMessage> {
  const parsed = studioRequest.safeParse(Object.fromEntries(form));
  if (!parsed.success) return failure(400, "This form is not complete.", { detail: TRY_AGAIN });
  try {
    return await perform(parsed.data, userId);
  } catch (error) {
    console.error(error);
    return failure(500, FAILED[parsed.data.intent], { detail: TRY_AGAIN });
  }
}

const TRY_AGAIN = "Load the page again and try once more.";

const FAILED: Record<StudioRequest["intent"], string> = {
  update: "Failed to update video.",
  toggle: "Failed to update video visibility.",
  delete: "Failed to delete video.",
  restore: "Failed to restore video.",
};

async function perform(
  request: StudioRequest,
  userId: string,
): Promise<StudioFailure | ToastMessage> {
  switch (request.intent) {
    case "update": {
      const { intent: _, id, version, ...texts } = request;
      const given = Object.entries(texts).filter(([, value]) => value !== undefined);
      return (
        (await editVideo({ id, version, texts: Object.fromEntries(given) }, userId)) ?? {
          title: "Video Updated",
          description: "Video has been updated successfully.",
          kind: "success",
        }
      );
    }
    case "toggle":
      return toggleVideo(request, userId);
    case "delete":
      return deleteVideo(request.id, userId);
    case "restore":
      return restoreVideo(request.id, userId);
    default:
      return request satisfies never;
  }
}
