import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { requestPublish } from "~/features/upload/use-upload-queue";

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const texts = {
  title: "t",
  description: "d",
  category: "desi",
  tags: "",
  duration: "",
  publishAt: "",
  unpublishAt: "",
};

/** Publishes on a server that returns the given responses in order. */
async function publish(responses: (Response | Error)[]) {
  const requests = vi.fn(async () => {
    const response = responses.shift()!;
    if (response instanceof Error) throw response;
    return response;
  });
  vi.stubGlobal("fetch", requests);
  const onInterrupted = vi.fn();
  const request = { upload: "u", texts, intent: "publish", accepted: "nothing" } as const;
  const outcome = requestPublish({ ...request, onInterrupted });
  await vi.runAllTimersAsync();
  return { outcome: await outcome, requests: requests.mock.calls.length, onInterrupted };
}

it("retries after a lost connection and after status 502, 503 or 504", async () => {
  const { outcome, requests, onInterrupted } = await publish([
    new TypeError("Failed to fetch"),
    new Response("Bad Gateway", { status: 502 }),
    new Response("Busy", { status: 503 }),
    new Response("Gateway Timeout", { status: 504 }),
    Response.json({ ok: true, video: { id: "v" } }, { status: 201 }),
  ]);
  expect([outcome.ok, requests, onInterrupted.mock.calls.length]).toEqual([true, 5, 4]);
});

it.each([
  [401, "You must be logged in to upload videos."],
  [500, "Failed to upload video."],
])("fails with status %i without retrying", async (status, message) => {
  const { outcome, requests } = await publish([new Response("x", { status })]);
  expect(outcome).toMatchObject({ ok: false, status, failure: { message } });
  expect(requests).toBe(1);
});
