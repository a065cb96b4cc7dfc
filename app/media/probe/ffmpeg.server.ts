import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { runCommand, runCommandSync } from "~/platform/child-process.server";
import { inputUrl, isInputUrl } from "../storage/ranged-input.server";
import { memoryOfProcess, withPlace } from "./process-gate.server";

/**
 * The only module that runs ffmpeg and ffprobe: programs, argument arrays, never a shell. What a stranger's
 * file may make them do is limited here: which protocols and containers they open, how much
 * processor, memory and disk they take, and that they end when this process does.
 */

/**
 * Containers that are opened. Playlists and image sequences are missing on purpose: they name
 * further files (https://hackerone.com/reports/1062888 is what happens otherwise).
 */
const CONTAINERS =
  "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,mpegvideo,flv,asf,ogg,mxf";
/** More streams than any camera writes; the file is refused, see probe.server.ts. */
export const MAX_STREAMS = 64;
const MAX_MEMORY_BYTES = 6 * 1024 ** 3;
/** One allocation: a frame of 8K in 16 bit with four channels has 283 MB. */
const MAX_ALLOCATION_BYTES = 512 * 1024 ** 2;

const MAX_OUTPUT_BYTES = 4 * 1024 ** 2;
const RANGED_TIMEOUT_FACTOR = 5;

type Program = "ffmpeg" | "ffprobe";

export interface Limits {
  /** Seconds of the clock; then the program is killed. Left out: someone else watches it. */
  seconds?: number;
  /** Seconds of processor time over all threads. */
  cpuSeconds: number;
  /** Bytes of the largest file it may write. */
  fileBytes?: number;
  /**
   * The work is nobody's wait: lowest processor priority, idle disk priority. Not by cgroups, which a process can't
   * create in most containers, nor by SCHED_IDLE, with which a busy machine stops ffmpeg until the watchdog ends it.
   */
  background?: boolean;
}

interface Tools {
  ffmpeg: boolean;
  /** Small programs of util-linux and coreutils that are present and allowed here. */
  wrappers: Set<string>;
  /** Whether setpriv can make the file system read-only (util-linux 2.41, Linux 5.13). */
  landlock: boolean;
  filters: Set<string>;
  /** Looked for when they are asked for. */
  encoders?: Set<string>;
}

let tools: Tools | undefined;

/**
 * Where the system lets an ordinary user have that; most containers do not. Root stays who it is: in a
 * namespace of its own it could not read the files of others.
 */
const WITHOUT_NETWORK = process.getuid?.() === 0 ? ["--net"] : ["--map-root-user", "--net"];

const WRAPPERS: readonly (readonly [string, readonly string[]])[] = [
  ["unshare", WITHOUT_NETWORK],
  ["setpriv", ["--pdeathsig", "KILL"]],
  ["nice", ["-n", "19"]],
  ["ionice", ["-c", "3"]],
  ["prlimit", [`--as=${MAX_MEMORY_BYTES}`]],
];

const ask = (command: string, args: readonly string[]) => runCommandSync(command, args, 10_000);

function findTools(): Tools {
  const list = ask("ffmpeg", ["-hide_banner", "-filters"]);
  const ffmpeg = list.status === 0 && ask("ffprobe", ["-version"]).status === 0;
  const filters = ffmpeg ? [...list.stdout.matchAll(/^ [TSC.|]+ +(\w+) /gm)] : [];
  const works = ([name, args]: (typeof WRAPPERS)[number]) =>
    ask(name, [...args, "true"]).status === 0;
  const wrappers = new Set(WRAPPERS.filter(works).map(([name]) => name));
  const landlock =
    wrappers.has("setpriv") && ask("setpriv", [...readOnly([]), "true"]).status === 0;
  return { ffmpeg, wrappers, landlock, filters: new Set(filters.map((match) => match[1]!)) };
}

const READING = "execute,read-file,read-dir";
const WRITING =
  "write-file,truncate,make-reg,make-dir,make-sym,make-fifo,make-sock,remove-file,remove-dir,refer";

/** Options of setpriv: files are only written below some folders, and to devices such as /dev/null. */
function readOnly(writable: readonly string[]): string[] {
  return [
    ...["--landlock-access", "fs", "--landlock-rule", `path-beneath:${READING}:/`],
    ...["--landlock-rule", "path-beneath:write-file:/dev"],
    ...writable.flatMap((folder) => ["--landlock-rule", `path-beneath:${WRITING}:${folder}`]),
  ];
}

function found(): Tools {
  tools ??= findTools();
  return tools;
}

/** Whether ffmpeg and ffprobe are on this machine; looked for once. */
export function ffmpegAvailable(): boolean {
  return found().ffmpeg;
}

/** Whether the programs run without a network; else the list of protocols alone keeps them from it. */
export function networkIsOff(): boolean {
  return found().wrappers.has("unshare");
}

/** Whether programs can write only to the folders of their task; else the rights of the account decide. */
export function filesAreReadOnly(): boolean {
  return found().landlock;
}

/** Whether this ffmpeg was built with a filter, such as `zscale`. */
export function hasFilter(name: string): boolean {
  return found().filters.has(name);
}

/** Whether this ffmpeg was built with an encoder, such as `libsvtav1`. */
export function hasEncoder(name: string): boolean {
  const all = found();
  if (!all.ffmpeg) return false;
  all.encoders ??= new Set(
    [...ask("ffmpeg", ["-hide_banner", "-encoders"]).stdout.matchAll(/^ V[A-Z.]{5} (\S+) /gm)].map(
      ([, encoder]) => encoder!,
    ),
  );
  return all.encoders.has(name);
}

/** Forgets what was found, so that a test can change PATH. */
export function forgetFfmpeg(): void {
  tools = undefined;
}

/**
 * The arguments that open a stranger's file, up to and including its name. The `file:` in front
 * keeps a name with a colon or a dash from being read as a protocol or an option. A file that is read by range
 * (see ranged-input.server.ts) is opened at its URL on the loopback interface.
 *
 * @param probe of the file; needed wherever ffmpeg reads audio and video from its beginning. Parts of a
 *   file whose timestamps jump may differ in size: pictureFilters() copes with that by itself, while new
 *   filters for each part would begin with a frame for each one before it.
 */
export function inputArguments(
  file: string,
  { dtsDeltaThreshold }: { dtsDeltaThreshold?: number } = {},
): string[] {
  const url = inputUrl(file);
  return [
    ...(dtsDeltaThreshold === undefined
      ? []
      : ["-dts_delta_threshold", String(dtsDeltaThreshold), "-reinit_filter:v", "0"]),
    ...["-protocol_whitelist", url ? "http,tcp" : "file"],
    ...["-format_whitelist", CONTAINERS],
    ...["-max_streams", String(MAX_STREAMS)],
    ...["-i", url ?? `file:${path.resolve(file)}`],
  ];
}

/**
 * The command line of a program inside its limits; it ends when this process does.
 *
 * @param limits.writable the existing folders that it may write to; left out: all that the account may write to.
 */
export function insideLimits(
  program: readonly string[],
  limits: Partial<Limits> & {
    memoryBytes?: number;
    dataBytes?: number;
    offline?: boolean;
    writable?: readonly string[];
  },
): [string, ...string[]] {
  const { wrappers, landlock } = found();
  const command: string[] = [];
  if (limits.offline && wrappers.has("unshare")) command.push("unshare", ...WITHOUT_NETWORK);
  if (wrappers.has("setpriv")) {
    command.push("setpriv", "--pdeathsig", "KILL");
    if (landlock && limits.writable) command.push(...readOnly(limits.writable));
  }
  if (limits.background && wrappers.has("nice")) command.push("nice", "-n", "19");
  if (limits.background && wrappers.has("ionice")) command.push("ionice", "-c", "3");
  if (wrappers.has("prlimit")) {
    command.push("prlimit", "--core=0");
    if (limits.memoryBytes) command.push(`--as=${limits.memoryBytes}`);
    // Node reserves addresses far beyond what it uses; this counts what may be written to.
    if (limits.dataBytes) command.push(`--data=${limits.dataBytes}`);
    if (limits.cpuSeconds) command.push(`--cpu=${Math.ceil(limits.cpuSeconds)}`);
    if (limits.fileBytes) command.push(`--fsize=${Math.ceil(limits.fileBytes)}`);
  }
  return [...command, ...program] as [string, ...string[]];
}

/**
 * Starts the program without waiting; its output is read while it runs, and not kept. The caller has a place
 * (process-gate.server.ts).
 */
export function start(
  program: Program,
  args: string[],
  limits: Limits,
  { cwd, signal, writable }: { cwd: string; signal: AbortSignal; writable: readonly string[] },
) {
  const [command, ...rest] = commandLine(program, args, limits, writable);
  return runCommand(command, rest, {
    ...always,
    buffer: false,
    cwd,
    cancelSignal: signal,
    forceKillAfterDelay: false,
  });
}

/**
 * Runs the program to its end and returns its exit code and what it printed, at most 4 MiB of it.
 *
 * @throws {InterruptedError} when it did not come to its own end.
 */
export function run(program: Program, args: string[], limits: Limits) {
  return withPlace(async () => {
    const [command, ...rest] = commandLine(program, args, limits);
    const timeout = (limits.seconds ?? 0) * timeoutFactor(args) * 1_000;
    const options = { ...always, timeout, maxBuffer: MAX_OUTPUT_BYTES };
    const result = await runCommand(command, rest, options);
    const { exitCode, stdout, stderr, isMaxBuffer } = result;
    if (!isMaxBuffer) throwIfInterrupted(program, result, [stderr]);
    return { exitCode, stdout, stderr, isMaxBuffer };
  });
}

/**
 * Runs the program to its end and passes on each line that it prints, so that its output may be
 * larger than memory.
 *
 * @throws {InterruptedError} when it was killed or ran out of time.
 */
export function runLines(
  program: Program,
  args: string[],
  limits: Limits,
  onLine: (line: string) => void,
): Promise<void> {
  return withPlace(async () => {
    const [command, ...rest] = commandLine(program, args, limits);
    const timeout = (limits.seconds ?? 0) * timeoutFactor(args) * 1_000;
    const child = runCommand(command, rest, { ...always, timeout, buffer: false });
    child.stderr.resume();
    const lines = createInterface({ input: child.stdout }).on("line", onLine);
    const [result] = await Promise.all([child, once(lines, "close")]);
    throwIfInterrupted(program, result, []);
  });
}

/** Returns the factor for time limits: reading from a file store may be much slower than from a disk. */
export function timeoutFactor(args: readonly string[]): number {
  return readsByRange(args) ? RANGED_TIMEOUT_FACTOR : 1;
}

function readsByRange(args: readonly string[]): boolean {
  return args.some(isInputUrl);
}

/**
 * ffmpeg or ffprobe was killed, ran out of time or of disk. That says nothing of the file: another
 * attempt may succeed.
 */
export class InterruptedError extends Error {
  constructor(
    message: string,
    /** As of a system error. */
    readonly code?: "ENOSPC",
  ) {
    super(message);
  }
}

const NO_SPACE = /No space left on device/i;
/** What ffmpeg exits with after SIGINT or SIGTERM, which it takes as a wish to end early. */
const EXIT_OF_SIGNAL = 255;

/** @throws {InterruptedError} when the end of a program was not its own, or the disk was full. */
export function throwIfInterrupted(
  program: string,
  end: { exitCode?: number; signal?: string; timedOut: boolean },
  lines: readonly string[],
): void {
  // ffmpeg 5 exits with 0 when the last block of a file could not be written.
  if (lines.some((line) => NO_SPACE.test(line)))
    throw new InterruptedError("The disk is full.", "ENOSPC");
  // It also exits with 0 if an HTTP response ends before its Content-Length.
  if (lines.some((line) => line.includes("Stream ends prematurely")))
    throw new InterruptedError("The file could not be read to its end.");
  if (end.exitCode === 0) return;
  if (end.timedOut) throw new InterruptedError(`${program} took longer than it may.`);
  if (end.signal) throw new InterruptedError(`${program} was ended by ${end.signal}.`);
  if (end.exitCode === undefined) throw new InterruptedError(`${program} could not be started.`);
  if (end.exitCode === EXIT_OF_SIGNAL) throw new InterruptedError(`${program} was asked to end.`);
}

const always = {
  stdin: "ignore",
  reject: false,
  killSignal: "SIGKILL",
} as const;

function commandLine(
  program: Program,
  args: string[],
  limits: Limits,
  writable: readonly string[] = [],
): [string, ...string[]] {
  const common = ["-hide_banner", "-max_alloc", String(MAX_ALLOCATION_BYTES)];
  if (program === "ffmpeg") common.push("-nostdin");
  const command = [program, ...common, ...args];
  // Without a network there is no loopback interface either.
  const offline = !readsByRange(args);
  return insideLimits(command, {
    ...limits,
    memoryBytes: memoryOfProcess(MAX_MEMORY_BYTES),
    offline,
    writable,
  });
}
