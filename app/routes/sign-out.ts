import { type ActionFunctionArgs, redirect } from "@remix-run/node";
import { changeAndRecord } from "~/account/activity.server";
import { currentUser } from "~/account/guard.server";
import { endSessions, forgetSessionCookie } from "~/account/session.server";
import { unlessBusy } from "~/server/busy.server";
import { requireOwnOrigin } from "~/server/origin.server";

/** Somebody who typed the address or came back to it has nothing to see here. */
export function loader() {
  return redirect("/");
}

/** Ends every session of the user, on whatever device. */
export async function action({ request }: ActionFunctionArgs) {
  const user = await currentUser(request);
  requireOwnOrigin(request);
  if (user) {
    const entry = { userId: user.id, action: "sign-out" } as const;
    await unlessBusy(changeAndRecord(entry, () => endSessions(user.id)));
  }
  // What the browser has cached of the panel goes too; what it remembers for its viewer stays.
  return redirect("/", {
    headers: { "Set-Cookie": forgetSessionCookie(), "Clear-Site-Data": '"cache"' },
  });
}
