import bcrypt from "bcryptjs";
import { describe, expect, it } from "vitest";
import { deviceName } from "~/features/accounts/device.server";
import {
  checkPassword,
  DUMMY_HASH,
  hashPassword,
  rejectGuessablePassword,
  strangerRequester,
  userRequester,
} from "~/features/accounts/password.server";
import { FormError } from "~/platform/form-error.server";

const REQUESTER = userRequester("somebody");

describe("a password", () => {
  it("is hashed with the same bcrypt cost of 12 as the dummy hash", async () => {
    const longest = "é".repeat(36);
    const hash = await hashPassword(longest, REQUESTER);
    expect(bcrypt.getRounds(hash)).toBe(12);
    expect(bcrypt.getRounds(DUMMY_HASH)).toBe(12);
    expect(await checkPassword(longest, hash, REQUESTER)).toBe(true);
    for (const other of [`${longest}x`, `${longest.slice(0, -1)}e`]) {
      expect(await checkPassword(other, hash, REQUESTER), other).toBe(false);
    }
  });

  it("never matches if the account doesn't exist", async () => {
    expect(await checkPassword("anything at all", undefined, REQUESTER)).toBe(false);
  });

  it("has a minimum length in characters and a maximum length in bytes", async () => {
    for (const password of ["nine char", "😀".repeat(9), "a".repeat(73), "é".repeat(37)]) {
      await expect(hashPassword(password, REQUESTER), password).rejects.toThrow(FormError);
    }
  });

  it("is rejected if it is little more than the site name or the email address", () => {
    const email = "erika.mustermann@videos.example";
    for (const password of [
      ...["afterdark2026", "AFTERDARK-12", "Mustermann1990", "erika.mustermann!", "videosvideos"],
      "erikamustermann",
    ]) {
      expect(() => rejectGuessablePassword(password, email), password).toThrow(FormError);
    }
    for (const password of [
      ...["correct horse battery", "afterdark and three horses", "1234567890", "mann mann mann"],
    ]) {
      expect(() => rejectGuessablePassword(password, email), password).not.toThrow();
    }
  });

  it("is hashed without blocking the main thread", async () => {
    let turns = 0;
    const turn = () => {
      turns++;
      if (!done) setImmediate(turn);
    };
    let done = false;
    turn();
    await hashPassword("correct horse battery", REQUESTER);
    done = true;
    // If bcryptjs ran in this thread, it would yield to the event loop only a few times.
    expect(turns).toBeGreaterThan(500);
  });
});

describe("the password queue", () => {
  // bcrypt reads the cost from the hash.
  const hash = bcrypt.hashSync("right", 4);
  /** Returns the names of the checked requests, in order, and the names of the rejected ones. */
  function check(requesters: ReturnType<typeof strangerRequester>[]) {
    const checked: string[] = [];
    const rejected: string[] = [];
    const all = requesters.map((requester) =>
      checkPassword("right", hash, requester).then(
        () => checked.push(requester.name),
        (error) => {
          expect(error).toBeInstanceOf(FormError);
          rejected.push(requester.name);
        },
      ),
    );
    return Promise.all(all).then(() => ({ checked, rejected }));
  }
  const flood = Array.from({ length: 30 }, (_, n) => strangerRequester(`flood${n}`, 3));

  it("evicts a request from a network with more failed attempts than the new request's network", async () => {
    const { checked, rejected } = await check([...flood, strangerRequester("new", 0)]);
    expect(checked[1]).toBe("new");
    expect(checked).toHaveLength(8);
    expect(rejected).toHaveLength(23);
  });

  it("doesn't evict a request from a network with as many failed attempts as the new request's network", async () => {
    const { checked } = await check([...flood, strangerRequester("alike", 3)]);
    expect(checked).not.toContain("alike");
  });

  it("checks requests from known users first during a flood of other requests, but queues at most two per user", async () => {
    const users = ["a", "a", "a", "b"].map(userRequester);
    const { checked, rejected } = await check([...flood, ...users]);
    expect(checked.slice(0, 4)).toEqual(["flood0", "user a", "user a", "user b"]);
    expect(rejected).toContain("user a");
  });
});

describe("the device name", () => {
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
  ])("is derived from %s", (agent, name) => expect(deviceName(agent)).toBe(name));
});
