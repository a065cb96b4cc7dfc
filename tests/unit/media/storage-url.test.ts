import { describe, expect, it } from "vitest";
import { parseSettings } from "~/platform/settings.server";
import { parseStorageUrl } from "~/platform/storage/storage-url";

const S3 = "s3://videos/site?endpoint=https://s3.example&region=eu-1";

describe("STORAGE_URL", () => {
  it("specifies a provider, a bucket and a prefix", () => {
    expect(parseStorageUrl(S3)).toEqual({
      kind: "s3",
      bucket: "videos",
      prefix: "site/",
      endpoint: "https://s3.example",
      region: "eu-1",
    });
  });

  it("refers to Amazon S3 if it doesn't specify an endpoint", () => {
    expect(parseStorageUrl("s3://videos?region=eu-west-1")).toMatchObject({
      prefix: "",
      endpoint: "https://s3.eu-west-1.amazonaws.com",
    });
  });

  it("can be a folder", () => {
    expect(parseStorageUrl("file:///mnt/big%20disk")).toEqual({
      kind: "folder",
      folder: "/mnt/big disk",
    });
  });

  it.each([
    "videos",
    "https://s3.example/videos",
    "s3://",
    "s3://Videos",
    "s3://videos/two words",
    "s3://videos/a//b",
    "s3://key:secret@videos",
    "s3://videos?endpoint=s3.example",
    "s3://videos?endpoint=https://s3.example/path",
    "s3://videos?bucket=other",
    "file://host/mnt",
    "file:///",
  ])("can't be %s", (text) => expect(parseStorageUrl(text)).toBeUndefined());
});

describe("storage settings", () => {
  const refusal = (environment: Record<string, string>) => {
    try {
      parseSettings(environment);
    } catch (error) {
      return (error as Error).message;
    }
  };

  it("are rejected without the settings that they depend on", () => {
    expect(refusal({ STORAGE_URL: "videos" })).toMatch(/^STORAGE_URL must be s3:\/\//);
    expect(refusal({ STORAGE_URL: S3 })).toBe(
      "STORAGE_URL needs AWS_ACCESS_KEY_ID, which must be the id of an access key.",
    );
    expect(refusal({ STORAGE_URL: S3, AWS_ACCESS_KEY_ID: "a" })).toBe(
      "STORAGE_URL needs AWS_SECRET_ACCESS_KEY, which must be the secret of that access key.",
    );
    expect(refusal({ STORAGE_DELIVERY: "redirect", STORAGE_URL: "file:///mnt" })).toMatch(
      /^STORAGE_DELIVERY=redirect needs CDN_URL, or a STORAGE_URL such as s3:/,
    );
    const redirect = { STORAGE_DELIVERY: "redirect", CDN_URL: "https://cdn.example" };
    const secret = { CDN_SECRET: "a".repeat(32) };
    expect(refusal({ CDN_URL: "https://cdn.example", STORAGE_URL: "file:///mnt" })).toBe(
      "CDN_URL needs STORAGE_DELIVERY=redirect.",
    );
    expect(refusal({ ...redirect, STORAGE_URL: "file:///mnt" })).toBe(
      "CDN_URL needs CDN_SECRET, which must be the key of that CDN, at least 32 characters.",
    );
    expect(refusal({ ...redirect, ...secret })).toMatch(/^CDN_URL needs STORAGE_URL, which must/);
    expect(refusal({ CDN_URL: "https://cdn.example/videos" })).toMatch(
      /^CDN_URL must be the URL of a CDN in front of the store, without a path/,
    );
    expect(refusal({ CDN_SIGNING: "none" })).toBe("CDN_SIGNING must be nginx or bunny.");
    expect(refusal({ ...redirect, ...secret, STORAGE_URL: "file:///mnt" })).toBeUndefined();
    expect(refusal({ STORAGE_DELIVERY: "cdn" })).toBe(
      "STORAGE_DELIVERY must be proxy or redirect.",
    );
    expect(refusal({ STORAGE_URL: "file:///mnt" })).toBeUndefined();
  });

  it("are unset by default", () => expect(parseSettings({}).storage).toBeUndefined());
});
