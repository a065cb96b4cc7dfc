// Preloaded with `node --import`, so that a test can act while a command is copying a file. Makes `copyFile` from
// node:fs/promises copy a quarter of the file at a time, and stop the process with SIGSTOP after each quarter.
import fs from "node:fs/promises";

fs.copyFile = async (from, to) => {
  const content = await fs.readFile(from);
  const quarter = Math.ceil(content.length / 4);
  await fs.writeFile(to, "", { flag: "wx" });
  for (let at = 0; at < content.length; at += quarter) {
    await fs.appendFile(to, content.subarray(at, at + quarter));
    process.kill(process.pid, "SIGSTOP");
  }
};
