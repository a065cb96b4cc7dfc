import sharp from "sharp";
import { expect, expectNoViolations, signIn, test } from "../site";

const STORYBOARD = `WEBVTT

00:00:00.000 --> 00:00:02.000
1.webp#xywh=0,0,160,90

00:00:02.000 --> 00:00:04.000
1.webp#xywh=160,0,160,90

00:00:04.000 --> 00:00:06.000
1.webp#xywh=320,0,160,90
`;

test("uses the arrow keys to select a storyboard frame as the thumbnail", async ({
  page,
  site,
}) => {
  const sprite = sharp({ create: { width: 480, height: 90, channels: 3, background: "teal" } });
  const folder = "u/1700000000000/storyboard-a";
  site.addFile("thumbnails", `${folder}/1.webp`, await sprite.webp().toBuffer());
  const storyboard_url = site.addFile(
    "thumbnails",
    `${folder}/storyboard.vtt`,
    Buffer.from(STORYBOARD),
  );
  const video_url = site.addFile("videos", "u/1700000000000.mp4", Buffer.from("no video"));
  site.addVideo({ id: "v", title: "Aurora", video_url, storyboard_url });
  await signIn(page);
  await page.goto("/admin?tab=manage&edit=v");
  const dialog = page.getByRole("dialog");
  const position = dialog.getByLabel("Use the frame at");
  await dialog.getByText("Choose a frame").click();
  const frames = dialog.getByRole("group", {
    name: "Or pick a frame",
  });
  await expect(frames.getByRole("radio")).toHaveCount(3);
  await frames.getByRole("radio", { name: "0:01", exact: true }).focus();
  await page.keyboard.press("Space");
  await expect(position).toHaveValue("0:01");
  await page.keyboard.press("ArrowRight");
  await expect(frames.getByRole("radio", { name: "0:03", exact: true })).toBeChecked();
  await expect(position).toHaveValue("0:03");
  await expect(dialog.getByRole("status")).toHaveText("The frame at 0:03 will be the thumbnail.");
  await expectNoViolations(page);
  // A typed position takes precedence over a selected frame, and clearing the field deselects all frames.
  await position.fill("");
  await expect(frames.getByRole("radio", { checked: true })).toHaveCount(0);
  // A rejected form still shows the entered values.
  await position.fill("0:01");
  await dialog.getByRole("button", { name: "Update" }).click();
  await expect(position).toHaveAccessibleDescription(
    /^This video’s file can’t be read\. Upload an image instead\. /,
  );
  await expect(position).toHaveValue("0:01");
});
