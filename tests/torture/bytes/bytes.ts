import os from "node:os";
import { ownTime } from "../../bench/report";
import { useTemporarySite } from "../../temporary-site";
import { nextInput, shrunk } from "../mutate";
import type { Faults, TortureOptions } from "../options";
import { createRandom } from "../random";
import { createWatchdog } from "../watchdog";
import { ADDRESSES } from "./addresses";
import { FILES } from "./files";
import { IMPORTS } from "./imports";
import { REQUESTS } from "./requests";
import type { Target } from "./target";
import { TEXTS } from "./texts";

/** Every parser of our own that reads what strangers wrote. */
export const TARGETS: readonly Target[] = [
  ...REQUESTS,
  ...ADDRESSES,
  ...TEXTS,
  ...FILES,
  ...IMPORTS,
];

const INPUTS = 1_000_000;
/** One parser after the other is fed so many, so that a run that is cut short has fed them all. */
const AT_ONCE = 500;
/** The thread that answers everybody is kept for no longer. */
const MAX_MS = 25;
/** Measured again from here on: the machine may have done something else. */
const SLOW_MS = 1;
const MAX_MEMORY_BYTES = 300 * 1024 ** 2;
const MAX_FAULTS_EACH = 3;

interface Tally {
  inputs: number;
  slowestMs: number;
  slowest: string;
  faults: Map<string, string>;
}

/** Feeds every parser: none throws what it does not say, breaks a promise, or is slow. */
export async function run({ seed, minutes }: TortureOptions): Promise<Faults> {
  const until = minutes === undefined ? Number.POSITIVE_INFINITY : Date.now() + minutes * 60_000;
  const most = minutes === undefined ? INPUTS : Number.POSITIVE_INFINITY;
  const tallies = await feed(seed, most, until);
  const faults = [...tallies].flatMap(([name, tally]) => {
    const { inputs, slowestMs, slowest } = tally;
    console.log(
      `${name.padEnd(22)} ${String(inputs).padStart(8)} inputs, slowest ${slowestMs.toFixed(2)} ms ${JSON.stringify(slowest).slice(0, 70)}`,
    );
    return faultsOf(name, tally, true);
  });
  const total = [...tallies.values()].reduce((sum, { inputs }) => sum + inputs, 0);
  const memory = process.resourceUsage().maxRSS * 1024;
  console.log(
    `${total} inputs, at most ${Math.round(memory / 1024 ** 2)} MB, ${os.cpus().length} processors`,
  );
  if (memory > MAX_MEMORY_BYTES) faults.push(`The parsers took ${memory} bytes of memory.`);
  return faults;
}

/** The same with so many inputs, and no stopwatch. */
export async function runShort(seed: string, inputs: number): Promise<Faults> {
  const tallies = await feed(seed, inputs, Number.POSITIVE_INFINITY);
  return [...tallies].flatMap(([name, tally]) => faultsOf(name, tally, false));
}

function faultsOf(name: string, { faults, slowestMs, slowest }: Tally, isTimed: boolean): Faults {
  const found = [...faults].map(([what, input]) => `${name}: ${what} for ${JSON.stringify(input)}`);
  const mostMs = TARGETS.find((target) => target.name === name)?.mostMs ?? MAX_MS;
  if (isTimed && slowestMs > mostMs) {
    found.push(`${name}: ${slowestMs.toFixed(0)} ms for ${JSON.stringify(slowest)}`);
  }
  return found;
}

async function feed(seed: string, most: number, until: number): Promise<Map<string, Tally>> {
  const site = useTemporarySite({ PUBLIC_URL: "https://site.example" });
  const watchdog = createWatchdog();
  const tallies = new Map(TARGETS.map(({ name }) => [name, newTally()]));
  const share = TARGETS.reduce((sum, target) => sum + (target.share ?? 1), 0) / TARGETS.length;
  const rounds = most / AT_ONCE / share / TARGETS.length;
  try {
    for (let round = 0; round < rounds && Date.now() < until; round++) {
      for (const target of TARGETS) {
        const part = Math.min(1, rounds - round);
        const inputs = Math.ceil(AT_ONCE * (target.share ?? 1) * part);
        await feedOne(target, inputs, seed, tallies.get(target.name)!, watchdog.doing);
      }
    }
  } finally {
    await watchdog.stop();
    site.remove();
  }
  return tallies;
}

const newTally = (): Tally => ({ inputs: 0, slowestMs: 0, slowest: "", faults: new Map() });

async function feedOne(
  target: Target,
  inputs: number,
  seed: string,
  tally: Tally,
  doing: (what: string) => void,
): Promise<void> {
  for (let left = inputs; left > 0; left--) {
    const number = tally.inputs++;
    const again = () => createRandom(`${seed} ${target.name} ${number}`);
    const input = nextInput(again(), target);
    doing(`${target.name}, seed ${seed}, input ${number}: ${JSON.stringify(input.slice(0, 500))}`);
    const started = performance.now();
    const fault = await faultOf(target, input, again());
    const ms = performance.now() - started;
    if (fault) await note(target, tally, input, fault);
    else if (ms > Math.max(SLOW_MS, tally.slowestMs)) {
      const least = await leastMs(target, input, ms, again);
      if (least > tally.slowestMs) Object.assign(tally, { slowestMs: least, slowest: input });
    } else if (ms > tally.slowestMs) Object.assign(tally, { slowestMs: ms, slowest: input });
  }
}

async function leastMs(
  target: Target,
  input: string,
  ms: number,
  again: () => ReturnType<typeof createRandom>,
) {
  let least = ms;
  for (let tries = 0; tries < 4; tries++) {
    const started = ownTime();
    await faultOf(target, input, again());
    least = Math.min(least, ownTime() - started);
  }
  return least;
}

/** Why it does not hold, without what differs from input to input. */
async function faultOf(
  target: Target,
  input: string,
  random: ReturnType<typeof createRandom>,
): Promise<string | undefined> {
  try {
    await target.feed(input, random);
    return undefined;
  } catch (error) {
    const { name, message, stack = "" } = error as Error;
    const where = /at .*?((?:app|db|scripts)\/[^\s)]+)/.exec(stack)?.[1] ?? "";
    return `${name}: ${message.split("\n")[0]} (${where})`;
  }
}

async function note(target: Target, tally: Tally, input: string, fault: string): Promise<void> {
  const kind = (text: string | undefined) => /\(.*\)$/.exec(text ?? "")?.[0];
  const isKnown = [...tally.faults.keys()].some((known) => kind(known) === kind(fault));
  if (isKnown || tally.faults.size >= MAX_FAULTS_EACH) return;
  const fails = async (text: string) =>
    kind(await faultOf(target, text, createRandom(text))) === kind(fault);
  tally.faults.set(fault, (await fails(input)) ? await shrunk(input, fails) : input);
}
