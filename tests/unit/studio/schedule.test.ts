import { describe, expect, it } from "vitest";
import { readSchedule } from "~/features/visibility/schedule";

const NOW = Date.parse("2026-03-28T12:00:00.000Z");
const read = (publishAt: string, unpublishAt = "") => readSchedule({ publishAt, unpublishAt }, NOW);

describe("a schedule form", () => {
  it("accepts either two UTC times or no times at all", () => {
    expect(read("", " ")).toEqual({ schedule: { publishAt: null, unpublishAt: null } });
    expect(read("2026-03-29T03:30", "2026-03-29T06:30+02:00")).toEqual({
      schedule: {
        publishAt: "2026-03-29T03:30:00.000Z",
        unpublishAt: "2026-03-29T04:30:00.000Z",
      },
    });
  });

  it.each(["tomorrow", "2026-03-29", "2026-13-40T00:00", "1e9", "2026-03-29T"])(
    "rejects %s",
    (text) => {
      expect(read(text)).toEqual({
        fields: { publishAt: expect.stringContaining("Enter a date and time") },
      });
    },
  );

  it("accepts only future times that are at most ten years ahead", () => {
    expect(read("2026-03-28T12:00")).toEqual({
      fields: { publishAt: "That time is in the past. Choose a later one." },
    });
    expect(read("", "2037-01-01T00:00")).toEqual({
      fields: { unpublishAt: "Choose a time within the next 10 years." },
    });
  });

  it("accepts a hide time only if it is after the publish time", () => {
    const expected = {
      unpublishAt: "The time to hide the video must be after the time to publish it.",
    };
    expect(read("2026-04-01T10:00", "2026-04-01T10:00")).toEqual({ fields: expected });
    expect(read("2026-04-01T10:00", "2026-04-01T10:01")).toHaveProperty("schedule");
  });
});
