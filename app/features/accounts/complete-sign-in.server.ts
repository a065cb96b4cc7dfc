import { forgetPage, rememberedPage } from "~/features/permissions/return-to.server";
import { openSession } from "~/features/permissions/session.server";
import { recordActivity } from "~/platform/activity/activity.server";
import type { ActivityAction } from "~/platform/activity/activity-labels";
import { redirectWithToast } from "~/platform/toast.server";
import { transaction } from "~db/client.server";
import { deviceName, knownDevice, markDevice } from "./device.server";

/** Signs a user in whose identity is proven: a new session, the toast, and back to the page that was asked for, or Home. */
export async function completeSignIn(
  request: Request,
  userId: string,
  action: ActivityAction = "sign-in",
): Promise<Response> {
  const device = deviceName(request.headers.get("User-Agent"));
  const headers = new Headers();
  headers.append("Set-Cookie", await openSession(userId, device));
  const known = knownDevice(request, userId);
  const mark = await transaction(() => {
    recordActivity({ userId, action, detail: device });
    return markDevice(userId, known);
  });
  headers.append("Set-Cookie", mark);
  headers.append("Set-Cookie", forgetPage());
  return redirectWithToast(
    rememberedPage(request),
    { title: "Success", description: "Signed in successfully!", kind: "success" },
    { headers },
  );
}
