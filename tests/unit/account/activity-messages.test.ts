import { expect, it } from "vitest";
import { activityMessage } from "~/platform/activity/activity-labels";

const activityText = (action: string, detail = "") => {
  const { before, subject, after } = activityMessage(action, detail);
  return `Ann ${before}${subject}${after}`;
};

it.each([
  ["publish", "A video", "Ann published A video"],
  ["draft", "A video", "Ann saved A video as a draft"],
  ["hide", "A video", "Ann hid A video"],
  ["show", "A video", "Ann made A video visible"],
  ["restore", "“A”, “B”", "Ann restored “A”, “B”"],
  ["import", "3 videos", "Ann imported 3 videos"],
  ["bulk-edit", "hid 2 videos: “A”, “B”", "Ann hid 2 videos: “A”, “B”"],
  ["sign-in", "Firefox on Linux", "Ann signed in with Firefox on Linux"],
  ["sign-in", "", "Ann signed in"],
  ["session-end", "All but one", "Ann ended all other sessions"],
  ["session-end", "", "Ann ended a session"],
  ["account-create", "b@c.d", "Ann created the account b@c.d"],
  ["password-reset", "b@c.d", "Ann reset the password of b@c.d"],
  ["password-change", "", "Ann changed the password"],
])("describes the activity %s with the detail “%s”", (action, detail, message) => {
  expect(activityText(action, detail)).toBe(message);
});

it("allows a percent sign in a title", () => {
  expect(activityText("show", "100 % pure")).toBe("Ann made 100 % pure visible");
});

it("shows the raw name of an unknown action", () => {
  expect(activityText("levitate", "A video")).toBe("Ann levitate A video");
});
