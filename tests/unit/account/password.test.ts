import bcrypt from "bcryptjs";
import { describe, expect, it } from "vitest";
import { deviceName } from "~/account/device.server";
import {
  checkPassword,
  hashPassword,
  NOBODYS_HASH,
  PasswordError,
  requireUnguessable,
} from "~/account/password.server";

describe("a password", () => {
  it("is hashed at cost 12, like the hash that stands for nobody's", async () => {
    const longest = "é".repeat(36);
    const hash = await hashPassword(longest);
    expect(bcrypt.getRounds(hash)).toBe(12);
    expect(bcrypt.getRounds(NOBODYS_HASH)).toBe(12);
    expect(await checkPassword(longest, hash)).toBe(true);
    for (const other of [`${longest}x`, `${longest.slice(0, -1)}e`]) {
      expect(await checkPassword(other, hash), other).toBe(false);
    }
  });

  it("is nobody's, whatever it is", async () => {
    expect(await checkPassword("anything at all", undefined)).toBe(false);
  });

  it("is counted in characters at its least and in bytes at its most", async () => {
    for (const password of ["nine char", "😀".repeat(9), "a".repeat(73), "é".repeat(37)]) {
      await expect(hashPassword(password), password).rejects.toThrow(PasswordError);
    }
  });

  it("of the browser is more than the name of the site and the address of the account", () => {
    const email = "erika.mustermann@videos.example";
    for (const password of [
      ...["afterdark2026", "AFTERDARK-12", "Mustermann1990", "erika.mustermann!", "videosvideos"],
      "erikamustermann",
    ]) {
      expect(() => requireUnguessable(password, email), password).toThrow(PasswordError);
    }
    for (const password of [
      ...["correct horse battery", "afterdark and three horses", "1234567890", "mann mann mann"],
    ]) {
      expect(() => requireUnguessable(password, email), password).not.toThrow();
    }
  });

  it("is hashed beside the serving thread, which goes on meanwhile", async () => {
    let turns = 0;
    const turn = () => {
      turns++;
      if (!done) setImmediate(turn);
    };
    let done = false;
    turn();
    await hashPassword("correct horse battery");
    done = true;
    // bcryptjs in this thread would let a handful of turns through between its slices.
    expect(turns).toBeGreaterThan(500);
  });
});

describe("the name of a device", () => {
  it.each([
    ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"],
    [
      "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0",
      "Edge on Windows",
    ],
    [
      "Mozilla/5.0 (Linux; Android 14; Pixel 7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Mobile Safari/537.36",
      "Chrome on Android",
    ],
    [
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
      "Safari on iOS",
    ],
    ["curl/8.0", ""],
    [null, ""],
  ])("%s", (agent, name) => expect(deviceName(agent)).toBe(name));
});
