import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

/**
 * Messages and labels that are fixed by the specification. They must not change, even where the writing guide says
 * otherwise. For messages with an inserted value, only the text before or after the value is listed.
 */
const FIXED = {
  "the header and footer": [
    "Home",
    "Categories",
    "Trending",
    "Upload",
    "Sign Out",
    "About",
    "Quick Links",
    "Popular Categories",
    "Legal",
  ],
  categories: [
    "All Videos",
    "Desi",
    "Blacked",
    "English",
    "Model/Star",
    "Premium Video",
    "Trending",
  ],
  "lists of videos": [
    "Search videos by title or tags...",
    "Loading videos...",
    "Error loading videos: ",
    "Retry",
    "Failed to fetch videos",
    "No videos available. Upload your first video to get started!",
    "Clear Search",
    "No videos found in this category.",
    "No trending videos found. Upload some content to get started!",
  ],
  "the page of a video": [
    "Video not available",
    "Please try again later",
    "Related Videos",
    "No related videos found",
    "Video not found",
    "The video you're looking for doesn't exist or has been removed.",
    "Back to Home",
    "Share",
  ],
  "sign-in": [
    "Admin Sign In",
    "Email",
    "Password",
    "Sign In",
    "Signing In...",
    "Signed in successfully!",
    "useAuth must be used within an AuthProvider",
  ],
  "the admin panel": [
    "Loading...",
    "Back to Videos",
    "Upload Video",
    "Manage Videos",
    "Sign In to Upload",
    "Save as Draft",
    "Uploading...",
    "Updating...",
    "Duration Detected",
    "Video duration: ",
  ],
  "failed changes": [
    "You must be logged in to upload videos.",
    "Please fill in all required fields.",
    "Failed to upload video.",
    "Failed to update video.",
    "Failed to delete video.",
    "Failed to update video visibility.",
    "Failed to fetch statistics.",
  ],
  "successful changes": [
    "Success!",
    "Video uploaded and published successfully.",
    "Video Updated",
    "Video has been updated successfully.",
    "Video is now ",
    " on the website.",
    "Video Deleted",
    "Video and associated files have been removed successfully.",
  ],
};

const app = fileURLToPath(new URL("../../app", import.meta.url));
const sources = fs
  .readdirSync(app, { recursive: true, encoding: "utf8" })
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => fs.readFileSync(path.join(app, name), "utf8"))
  .join("\n")
  .replaceAll("’", "'")
  .replaceAll(/\s+/g, " ");

/**
 * Returns whether the code contains the text as a string, as part of a template, or as the whole text of an element.
 */
function isInSources(text: string): boolean {
  const quoted = text.replaceAll(/[.*+?^${}()|[\]\\/]/g, "\\$&");
  return new RegExp(`(["'\`]|[>}] ?)${quoted}([."'\`]| ?[<{]|\\$\\{)`).test(sources);
}

describe.each(Object.entries(FIXED))("the specified copy for %s", (_, texts) => {
  it.each(texts)("contains “%s”", (text) => {
    expect(isInSources(text)).toBe(true);
  });
});
