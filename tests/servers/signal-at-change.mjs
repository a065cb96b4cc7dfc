// Preloaded with `node --import`, so that a test can kill or stop a command at a certain step. Sends SIGNAL to the
// process immediately before each call that would change a file whose path matches SIGNAL_IN. If SIGNAL_AT is set, the
// signal is sent only before the call with that number. If SIGNAL_CALLS lists functions of node:fs, only calls to these
// functions count.
import fs from "node:fs";

const CHANGES = "copyFileSync linkSync mkdirSync renameSync rmSync writeFileSync";
const { SIGNAL, SIGNAL_IN, SIGNAL_AT, SIGNAL_CALLS = CHANGES } = process.env;
let calls = 0;

for (const name of SIGNAL_CALLS.split(" ")) {
  const original = fs[name];
  fs[name] = (...parameters) => {
    const isCounted = parameters.some((each) => RegExp(SIGNAL_IN).test(each));
    if (isCounted && (++calls === Number(SIGNAL_AT) || !SIGNAL_AT)) {
      process.kill(process.pid, SIGNAL);
    }
    return original(...parameters);
  };
}
