import { beforeEach, describe, expect, it } from "vitest";
import { listPublished } from "~/features/catalogue/published-list.server";
import {
  hiddenVideos,
  hideVideosWithoutRecord,
  releaseHidden,
} from "~/features/consent/consent-holds.server";
import { applyConsentRequirement, LACKS } from "~/features/consent/validity.server";
import { saveVideoConsent } from "~/features/consent/video-consent.server";
import { type BulkPreview, onHoldMessage } from "~/features/library/bulk/bulk";
import { performDue } from "~/features/library/change-visibility.server";
import { receiveUpload } from "~/features/upload/receive-upload.server";
import { successMessage } from "~/features/upload/upload-fields";
import { hold, releaseHold } from "~/features/visibility/holds.server";
import { isPublic } from "~/features/visibility/visibility.server";
import { listActivities } from "~/platform/activity/activity.server";
import { forgetSettings } from "~/platform/settings.server";
import { sqliteHandle, transaction } from "~db/client.server";
import {
  addVideo,
  catchResponse,
  expectFailure,
  expectSuccess,
  sendForResult,
  sendMultipart,
  useAdminSite,
  video,
} from "../../admin-requests";
import { makeClip } from "../../media-clips";
import { fileBlob, uploadRequest } from "../../upload-requests";

/** Tests every way to publish a video without a consent record while one is required. */

const site = useAdminSite();
const HOUR_MS = 3_600_000;
const RECORD = {
  ...{ kind: "own", people: "0", performers: "", recordedOn: "2026-01-01", endsOn: "" },
};

function require(value: "on" | "off"): void {
  process.env.REQUIRE_CONSENT = value;
  forgetSettings();
  applyConsentRequirement();
}
const record = (videoId = "v") => saveVideoConsent({ videoId, userId: "u", shown: "" }, RECORD);
const isListed = async () => (await listPublished({ page: 1 })).videos.length > 0;
const actions = async () => (await listActivities()).map(({ action }) => action);
const at = new Date(Date.now() + HOUR_MS).toISOString();
const due = Date.parse(at) + 1;

beforeEach(() => require("on"));

describe("the schedule of a video without a record", () => {
  beforeEach(async () => {
    addVideo({ status: "hidden" });
    const { toast } = await expectSuccess({ intent: "schedule", id: "v", publishAt: at });
    expect(toast.description).toContain(
      `${LACKS.record} The video will stay hidden until this is resolved.`,
    );
  });

  it("puts the video on hold at the scheduled time, and publishes it as soon as there is a record", async () => {
    await performDue(due);
    expect(video()).toMatchObject({ status: "published", publish_at: null, created_at: at });
    expect(isPublic("v")).toBe(false);
    expect((await actions())[0]).toBe("consent-withheld");
    await performDue(due + 1_000);
    expect((await actions()).filter((action) => action.endsWith("-withheld"))).toHaveLength(1);
    await record();
    expect(isPublic("v")).toBe(true);
  });

  it("keeps the video on hold after the setting is turned off, until an owner releases it", async () => {
    await performDue(due);
    require("off");
    expect(isPublic("v")).toBe(false);
    const [waiting] = hiddenVideos();
    expect(waiting).toMatchObject({ videos: 1, isBatch: false });
    require("on");
    expect(hiddenVideos()).toEqual([]);
    require("off");
    expect(await releaseHidden(waiting!.source, "u")).toBe(1);
    expect(isPublic("v")).toBe(true);
    expect(await releaseHidden(waiting!.source, "u")).toBeUndefined();
  });

  it("hides the video at the end of the schedule even though the record is still missing", async () => {
    const end = new Date(due + HOUR_MS).toISOString();
    await expectSuccess({ intent: "schedule", id: "v", publishAt: at, unpublishAt: end });
    await performDue(due);
    await performDue(Date.parse(end) + 1);
    expect(video()).toMatchObject({ status: "hidden", publish_at: null, unpublish_at: null });
    await record();
    expect(isPublic("v")).toBe(false);
  });

  it("also waits while the video is on hold because of a report", async () => {
    await transaction(() => hold({ videoId: "v", reason: "report" }));
    await performDue(due);
    await transaction(() => releaseHold({ videoId: "v", reason: "report" }));
    expect(isPublic("v")).toBe(false);
    await record();
    expect(isPublic("v")).toBe(true);
  });
});

describe("many videos scheduled together", () => {
  it("show how many lack a record, before and after scheduling", async () => {
    for (const id of ["v", "w", "x"]) addVideo({ id, status: "hidden" });
    await record("x");
    const fields = { intent: "bulk", do: "schedule", selected: ["v", "w", "x"], publishAt: at };
    const { bulkPreview, preview = bulkPreview } = (await sendForResult({
      ...fields,
      preview: "",
    })) as {
      bulkPreview?: BulkPreview;
      preview?: BulkPreview;
    };
    const message = `2 videos will stay hidden at that time unless their holds are released: ${LACKS.record}`;
    expect(onHoldMessage(preview!)).toBe(message);
    const { toast } = await expectSuccess(fields);
    expect(toast.description).toBe(`Scheduled 3 videos. ${message}`);
    await performDue(due);
    expect(["v", "w", "x"].map(isPublic)).toEqual([false, false, true]);
  });
});

describe("another tool", () => {
  it.each([
    ["enters a public row", "INSERT INTO videos (id, title, category) VALUES ('v', 'B', 'desi')"],
    [
      "publishes a video",
      `INSERT INTO videos (id, title, category, status) VALUES ('v', 'B', 'desi', 'hidden');
       UPDATE videos SET status = 'published'`,
    ],
    [
      "replaces a video",
      `INSERT INTO videos (id, title, category, status) VALUES ('v', 'B', 'desi', 'hidden');
       REPLACE INTO videos (id, title, category) VALUES ('v', 'C', 'desi')`,
    ],
  ])("can't make a video public without a record, even briefly, when it %s", async (_, sql) => {
    // The video isn't public even within the tool's transaction, which other connections can't see.
    sqliteHandle().exec(`BEGIN; ${sql}`);
    expect(isPublic("v")).toBe(false);
    sqliteHandle().exec("COMMIT");
    expect(await isListed()).toBe(false);
    expect((await actions())[0]).toBe("consent-withheld");
  });

  it("can publish videos with a record, and any video if no record is required", async () => {
    addVideo({ status: "hidden" });
    await record();
    sqliteHandle().exec("UPDATE videos SET status = 'published'");
    expect(isPublic("v")).toBe(true);
    require("off");
    addVideo({ id: "w" });
    expect(isPublic("w")).toBe(true);
  });

  it("can edit a video without hiding it if it was public before records were required", async () => {
    require("off");
    addVideo({ status: "published" });
    require("on");
    sqliteHandle().exec("UPDATE videos SET title = 'B', status = 'published'");
    expect(isPublic("v")).toBe(true);
  });
});

describe("hiding videos without a record", () => {
  beforeEach(() => {
    require("off");
    for (const id of ["v", "w"]) addVideo({ id, status: "published" });
    require("on");
  });

  it("can be undone without making anything else public", async () => {
    expect(await hideVideosWithoutRecord("u")).toBe(2);
    expect(["v", "w"].map(isPublic)).toEqual([false, false]);
    const [batch] = hiddenVideos();
    expect(batch).toMatchObject({ videos: 2, isBatch: true });
    await transaction(() => hold({ videoId: "w", reason: "report" }));
    expect(await releaseHidden(batch!.source, "u")).toBe(1);
    expect(["v", "w"].map(isPublic)).toEqual([true, false]);
    addVideo({ id: "x" });
    expect(isPublic("x")).toBe(false);
    expect(await actions()).toEqual(
      expect.arrayContaining(["consent-hide-all", "consent-hide-undo"]),
    );
  });

  it("is reversed for a video once it gets a record", async () => {
    await hideVideosWithoutRecord("u");
    await record();
    expect(["v", "w"].map(isPublic)).toEqual([true, false]);
    expect(hiddenVideos()).toMatchObject([{ videos: 1 }]);
  });
});

describe("a replacement file", () => {
  const replace = () => expectFailure({ intent: "replace", id: "v" });

  it("is rejected before it is probed if its public video doesn't have a record", async () => {
    require("off");
    addVideo({ status: "published" });
    require("on");
    expect(await replace()).toMatchObject({
      status: 422,
      detail: `${LACKS.record} Add the consent record before you replace the file.`,
    });
  });

  it("isn't rejected for a missing record if the video isn't public", async () => {
    addVideo({ status: "hidden" });
    expect(await replace()).toMatchObject({ status: 422, detail: "Choose a video file." });
  });
});

describe("an upload without a record", () => {
  const clip = () => fileBlob(makeClip(site.folder, "clip", { seconds: 1, audio: false }));

  it("keeps its schedule, and the message says what is missing", async () => {
    const response = await receiveUpload(uploadRequest(clip(), { publishAt: at }), "u");
    if (!response.ok) throw new Error(response.failure.message);
    expect(response.video).toMatchObject({ status: "review", publishAt: at, needsConsent: true });
    expect(successMessage(response.video)).toContain("as soon as it has one");
    const { id } = response.video;
    await performDue(due);
    expect(isPublic(id)).toBe(false);
    await record(id);
    expect(isPublic(id)).toBe(true);
  });

  it("redirects to its record's page, if the user may open it", async () => {
    const send = async () => {
      const form = await uploadRequest(clip()).formData();
      return (await catchResponse(() => sendMultipart(form, "/admin"))).headers.get("Location");
    };
    const location = await send();
    expect(location).toMatch(/^\/admin\/videos\/[^/]+\/consent$/);
    sqliteHandle().exec("UPDATE users SET role = 'uploader', may_publish = 1");
    expect(await send()).toBe("/admin");
    require("off");
    sqliteHandle().exec("UPDATE users SET role = 'owner'");
    expect(await send()).toBe("/admin");
  });
});
