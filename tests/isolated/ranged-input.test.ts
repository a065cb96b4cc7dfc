import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { inputArguments } from "~/media/probe/ffmpeg.server";
import { withRangedInput } from "~/media/storage/ranged-input.server";
import { addMiddleware, sendText } from "~/platform/node/middleware.server";
import { onConnection, onRequestStart } from "~/platform/node/request-context.server";
import { forgetSettings } from "~/platform/settings.server";
import { useTemporarySite } from "../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

it("ranged reads bypass middleware and request hooks", async () => {
  let seen = 0;
  onRequestStart(() => void seen++);
  onConnection(() => void seen++);
  addMiddleware((_, response) => sendText(response, 403, "From nowhere."));
  const store = path.join(site.folder, "store");
  fs.mkdirSync(store);
  fs.writeFileSync(path.join(store, "video"), "the clip");
  process.env.STORAGE_URL = `file://${store}`;
  forgetSettings();
  const file = path.join(site.uploads, "videos/u/1.mp4");
  await withRangedInput(file, { object: "video", bytes: 8 }, async () => {
    const response = await fetch(inputArguments(file).at(-1)!);
    expect([response.status, await response.text()]).toEqual([200, "the clip"]);
  });
  expect(seen).toBe(0);
});
