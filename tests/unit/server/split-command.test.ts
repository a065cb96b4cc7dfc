import { describe, expect, it } from "vitest";
import { splitCommand } from "~/platform/settings/split-command";
import { parseSettings } from "~/platform/settings.server";

describe("splitCommand", () => {
  it.each([
    ["/usr/bin/scan", ["/usr/bin/scan"]],
    ["  scan  --fast\t-v ", ["scan", "--fast", "-v"]],
    [`"/opt/my scan" 'a "b"' "it's"`, ["/opt/my scan", 'a "b"', "it's"]],
    [`scan --name="two words"`, ["scan", "--name=two words"]],
    [`scan ""`, ["scan", ""]],
    [
      "scan $HOME *; rm -rf / | cat > x",
      ["scan", "$HOME", "*;", "rm", "-rf", "/", "|", "cat", ">", "x"],
    ],
    [`scan a\\b`, ["scan", "a\\b"]],
  ])("splits %s", (line, words) => {
    expect(splitCommand(line)).toEqual(words);
  });

  it.each(["", "  ", 'scan "a', "scan it's", '""'])("rejects %s", (line) => {
    expect(splitCommand(line)).toBeUndefined();
  });
});

it("includes the format of SCAN_COMMAND in the error message", () => {
  expect(parseSettings({}).scanCommand).toBeUndefined();
  expect(parseSettings({ SCAN_COMMAND: "scan -v" }).scanCommand).toEqual(["scan", "-v"]);
  expect(() => parseSettings({ SCAN_COMMAND: 'scan "a' })).toThrow(
    "SCAN_COMMAND must be a command and its arguments",
  );
});
