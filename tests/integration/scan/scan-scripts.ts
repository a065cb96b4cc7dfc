import fs from "node:fs";
import path from "node:path";
import { forgetSettings } from "~/platform/settings.server";

/** Sets SCAN_COMMAND to a shell script that receives `arguments` before the file. */
export function scanWith(folder: string, script: string, ...args: string[]): void {
  const file = path.join(folder, "scan command.sh");
  // Deletes the earlier script first, because a file that is still being executed can't be written to.
  fs.rmSync(file, { force: true });
  fs.writeFileSync(file, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  setCommand([`"${file}"`, ...args].join(" "));
}

export function setCommand(command: string | undefined): void {
  if (command === undefined) delete process.env.SCAN_COMMAND;
  else process.env.SCAN_COMMAND = command;
  forgetSettings();
}
