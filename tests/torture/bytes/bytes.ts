import os from "node:os";
import { ownTime } from "../../bench/report";
import { useTemporarySite } from "../../temporary-site";
import { nextInput, shrink } from "../mutate";
import type { Faults, TortureOptions } from "../options";
import { createRandom } from "../random";
import { createWatchdog } from "../watchdog";
import { FILES } from "./files";
import { IMPORTS } from "./imports";
import { REQUESTS } from "./requests";
import type { Target } from "./target";
import { TEXTS } from "./texts";
import { URLS } from "./urls";

/** All parsers in the site's code that handle untrusted input. */
export const TARGETS: readonly Target[] = [...REQUESTS, ...URLS, ...TEXTS, ...FILES, ...IMPORTS];

const INPUTS = 1_000_000;
/**
 * The number of inputs for each parser per round. Thanks to the rounds, even a run that is stopped early has tested all
 * parsers.
 */
const BATCH_SIZE = 500;
/** How long one input may block the main thread. */
const MAX_MS = 25;
/** Inputs that take longer are measured again, because the machine may have been busy with other work. */
const SLOW_MS = 1;
const MAX_MEMORY_BYTES = 300 * 1024 ** 2;
const MAX_FAULTS_EACH = 3;

interface Tally {
  inputs: number;
  slowestMs: number;
  slowest: string;
  faults: Map<string, string>;
}

/**
 * Feeds inputs to every parser. It is a fault if a parser throws an unexpected error, breaks an invariant, or is slow.
 */
export async function run({ seed, minutes }: TortureOptions): Promise<Faults> {
  const until = minutes === undefined ? Number.POSITIVE_INFINITY : Date.now() + minutes * 60_000;
  const maxInputs = minutes === undefined ? INPUTS : Number.POSITIVE_INFINITY;
  const tallies = await feed(seed, maxInputs, until);
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
    `${total} inputs, peak memory ${Math.round(memory / 1024 ** 2)} MB, ${os.cpus().length} processors`,
  );
  if (memory > MAX_MEMORY_BYTES) faults.push(`The process used ${memory} bytes of memory`);
  return faults;
}

/** Feeds inputs to every parser without measuring times. */
export async function runUntimed(seed: string, inputs: number): Promise<Faults> {
  const tallies = await feed(seed, inputs, Number.POSITIVE_INFINITY);
  return [...tallies].flatMap(([name, tally]) => faultsOf(name, tally, false));
}

function faultsOf(name: string, { faults, slowestMs, slowest }: Tally, isTimed: boolean): Faults {
  const found = [...faults].map(
    ([fault, input]) => `${name}: ${fault} for ${JSON.stringify(input)}`,
  );
  const maxMs = TARGETS.find((target) => target.name === name)?.maxMs ?? MAX_MS;
  if (isTimed && slowestMs > maxMs) {
    found.push(`${name}: ${slowestMs.toFixed(0)} ms for ${JSON.stringify(slowest)}`);
  }
  return found;
}

async function feed(seed: string, maxInputs: number, until: number): Promise<Map<string, Tally>> {
  const site = useTemporarySite({ PUBLIC_URL: "https://site.example" });
  const watchdog = createWatchdog();
  const tallies = new Map(TARGETS.map(({ name }) => [name, newTally()]));
  const share = TARGETS.reduce((sum, target) => sum + (target.share ?? 1), 0) / TARGETS.length;
  const rounds = maxInputs / BATCH_SIZE / share / TARGETS.length;
  try {
    for (let round = 0; round < rounds && Date.now() < until; round++) {
      for (const target of TARGETS) {
        const part = Math.min(1, rounds - round);
        const inputs = Math.ceil(BATCH_SIZE * (target.share ?? 1) * part);
        await feedOne(target, inputs, seed, tallies.get(target.name)!, watchdog.begin);
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
  begin: (task: string) => void,
): Promise<void> {
  for (let left = inputs; left > 0; left--) {
    const number = tally.inputs++;
    const newRandom = () => createRandom(`${seed} ${target.name} ${number}`);
    const input = nextInput(newRandom(), target);
    begin(`${target.name}, seed ${seed}, input ${number}: ${JSON.stringify(input.slice(0, 500))}`);
    const started = performance.now();
    const fault = await faultOf(target, input, newRandom());
    const ms = performance.now() - started;
    if (fault) await recordFault(target, tally, input, fault);
    else if (ms > Math.max(SLOW_MS, tally.slowestMs)) {
      const fastest = await fastestMs(target, input, ms, newRandom);
      if (fastest > tally.slowestMs) Object.assign(tally, { slowestMs: fastest, slowest: input });
    } else if (ms > tally.slowestMs) Object.assign(tally, { slowestMs: ms, slowest: input });
  }
}

async function fastestMs(
  target: Target,
  input: string,
  ms: number,
  newRandom: () => ReturnType<typeof createRandom>,
) {
  let fastest = ms;
  for (let attempts = 0; attempts < 4; attempts++) {
    const started = ownTime();
    await faultOf(target, input, newRandom());
    fastest = Math.min(fastest, ownTime() - started);
  }
  return fastest;
}

/** Returns the reason for a failure, without the details that are specific to the input. */
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

async function recordFault(
  target: Target,
  tally: Tally,
  input: string,
  fault: string,
): Promise<void> {
  const kind = (text: string | undefined) => /\(.*\)$/.exec(text ?? "")?.[0];
  const isKnown = [...tally.faults.keys()].some((known) => kind(known) === kind(fault));
  if (isKnown || tally.faults.size >= MAX_FAULTS_EACH) return;
  const fails = async (text: string) =>
    kind(await faultOf(target, text, createRandom(text))) === kind(fault);
  tally.faults.set(fault, (await fails(input)) ? await shrink(input, fails) : input);
}
