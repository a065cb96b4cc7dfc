import { execa } from "execa";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { scripts } from "../../../package.json";
import { command } from "../../command";
import { useTemporarySite } from "../../temporary-site";

let site: ReturnType<typeof useTemporarySite>;
beforeEach(() => {
  site = useTemporarySite();
});
afterEach(() => site.remove());

const run = (...args: string[]) => execa(process.execPath, args, { reject: false });
const COMMANDS = Object.values(scripts).flatMap(
  (script) => /^node scripts\/command\.mjs (\S+)$/.exec(script)?.[1] ?? [],
);

describe("the commands in package.json", () => {
  it.each(COMMANDS)("%s prints its usage", async (name) => {
    const { exitCode, stdout, stderr } = await run(...command(name, "--help"));
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: "" });
    expect(stdout).toMatch(new RegExp(`^npm run ${name}\\b`));
  });

  it.each([[command("nothing")], [command("toString")], [command("").slice(0, 1)]])(
    "are listed when an unknown command is run: %j",
    async (args) => {
      const { exitCode, stderr } = await run(...args);
      expect(exitCode).toBe(1);
      for (const name of COMMANDS) expect(stderr).toContain(name);
    },
  );
});
