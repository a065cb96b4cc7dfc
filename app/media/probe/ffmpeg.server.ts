import { once } from "node:events";
import path from "node:path";
import { createInterface } from "node:readline";
import { runCommand, runCommandSync } from "~/platform/child-process.server";
import { inputUrl, isInputUrl } from "../storage/ranged-input.server";
import { memoryOfProcess, withSlot } from "./process-gate.server";

/**
 * The only module that runs ffmpeg and ffprobe. It passes arguments as arrays and doesn't use a shell. It limits what
 * untrusted files can make ffmpeg and ffprobe do: which protocols and containers they open, and how much CPU time,
 * memory and disk space they use. Both are killed when this process exits.
 */

/**
 * The allowed containers. Playlists and image sequences are deliberately left out, because they refer to other files
 * (see https://hackerone.com/reports/1062888 for the consequences).
 */
const CONTAINERS =
  "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,mpegvideo,flv,asf,ogg,mxf";
/** Files with at least this many streams are rejected (see probe.server.ts). No camera writes that many. */
export const MAX_STREAMS = 64;
const MAX_MEMORY_BYTES = 6 * 1024 ** 3;
/** The maximum size of a single allocation. An 8K frame with four 16-bit channels takes 283 MB. */
const MAX_ALLOCATION_BYTES = 512 * 1024 ** 2;

const MAX_OUTPUT_BYTES = 4 * 1024 ** 2;
const RANGED_TIMEOUT_FACTOR = 5;

type Program = "ffmpeg" | "ffprobe";

export interface Limits {
  /**
   * The number of seconds of wall-clock time after which the process is killed; omitted if the caller monitors the
   * process itself.
   */
  seconds?: number;
  /** The limit on CPU seconds, for all threads together. */
  cpuSeconds: number;
  /** The maximum size of a file that the process may write, in bytes. */
  fileBytes?: number;
  /**
   * Whether nobody is waiting for the result. If so, the process gets the lowest CPU priority and idle disk priority.
   * Cgroups aren't used, because processes in most containers can't create them. SCHED_IDLE isn't used, because ffmpeg
   * would get no CPU time on a busy machine until the watchdog killed it.
   */
  background?: boolean;
}

interface Tools {
  ffmpeg: boolean;
  /** The tools from util-linux and coreutils that are installed and work on this machine. */
  wrappers: Set<string>;
  /** Whether setpriv can make the file system read-only (util-linux 2.41, Linux 5.13). */
  landlock: boolean;
  filters: Set<string>;
  /** The filters and encoders are looked up on first use. */
  encoders?: Set<string>;
}

let tools: Tools | undefined;

/**
 * The options with which unshare starts a process without a network. They work only if the system allows unprivileged
 * user namespaces, which most containers don't. Not used for root, which couldn't read other users' files in a user
 * namespace.
 */
const WITHOUT_NETWORK = process.getuid?.() === 0 ? ["--net"] : ["--map-root-user", "--net"];

const WRAPPERS: readonly (readonly [string, readonly string[]])[] = [
  ["unshare", WITHOUT_NETWORK],
  ["setpriv", ["--pdeathsig", "KILL"]],
  ["nice", ["-n", "19"]],
  ["ionice", ["-c", "3"]],
  ["prlimit", [`--as=${MAX_MEMORY_BYTES}`]],
];

const runTool = (command: string, args: readonly string[]) => runCommandSync(command, args, 10_000);

function findTools(): Tools {
  const list = runTool("ffmpeg", ["-hide_banner", "-filters"]);
  const ffmpeg = list.status === 0 && runTool("ffprobe", ["-version"]).status === 0;
  const filters = ffmpeg ? [...list.stdout.matchAll(/^ [TSC.|]+ +(\w+) /gm)] : [];
  const works = ([name, args]: (typeof WRAPPERS)[number]) =>
    runTool(name, [...args, "true"]).status === 0;
  const wrappers = new Set(WRAPPERS.filter(works).map(([name]) => name));
  const landlock =
    wrappers.has("setpriv") && runTool("setpriv", [...readOnly([]), "true"]).status === 0;
  return { ffmpeg, wrappers, landlock, filters: new Set(filters.map((match) => match[1]!)) };
}

const READING = "execute,read-file,read-dir";
const WRITING =
  "write-file,truncate,make-reg,make-dir,make-sym,make-fifo,make-sock,remove-file,remove-dir,refer";

/** Returns the setpriv options that allow writing only to the given folders and to devices such as /dev/null. */
function readOnly(writable: readonly string[]): string[] {
  return [
    ...["--landlock-access", "fs", "--landlock-rule", `path-beneath:${READING}:/`],
    ...["--landlock-rule", "path-beneath:write-file:/dev"],
    ...writable.flatMap((folder) => ["--landlock-rule", `path-beneath:${WRITING}:${folder}`]),
  ];
}

function availableTools(): Tools {
  tools ??= findTools();
  return tools;
}

/** Whether ffmpeg and ffprobe are installed; checked once. */
export function ffmpegAvailable(): boolean {
  return availableTools().ffmpeg;
}

/** Whether processes run without a network. Otherwise, only the list of allowed protocols protects the network. */
export function networkIsOff(): boolean {
  return availableTools().wrappers.has("unshare");
}

/**
 * Whether processes are restricted to writing to their task's folders. Otherwise, only file permissions limit where
 * they can write.
 */
export function filesAreReadOnly(): boolean {
  return availableTools().landlock;
}

/** Whether this ffmpeg was built with a filter, such as `zscale`. */
export function hasFilter(name: string): boolean {
  return availableTools().filters.has(name);
}

/** Whether this ffmpeg was built with an encoder, such as `libsvtav1`. */
export function hasEncoder(name: string): boolean {
  const all = availableTools();
  if (!all.ffmpeg) return false;
  all.encoders ??= new Set(
    [
      ...runTool("ffmpeg", ["-hide_banner", "-encoders"]).stdout.matchAll(/^ V[A-Z.]{5} (\S+) /gm),
    ].map(([, encoder]) => encoder!),
  );
  return all.encoders.has(name);
}

/** Clears the cached list of available tools, so that tests can change PATH. */
export function forgetFfmpeg(): void {
  tools = undefined;
}

/**
 * Returns the ffmpeg arguments that open an untrusted file, up to and including its name. The prefix `file:` keeps
 * names with a colon or a dash from being parsed as a protocol or an option. A file that is read with range requests
 * (see ranged-input.server.ts) is opened at its URL on the loopback interface.
 *
 * @param probe the file's probe; required if ffmpeg reads audio and video from the beginning. If timestamps jump, the
 *   frame size may change from one part of the file to the next, which videoFilters() handles. ffmpeg must not recreate
 *   its filters for each part, because the new filters would first output one frame for every frame that precedes that
 *   part.
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
 * Returns a command line that runs a program with limits. The program is killed when this process exits.
 *
 * @param limits.writable existing folders to which the program may write. If omitted, only file permissions apply.
 */
export function limitedCommand(
  program: readonly string[],
  limits: Partial<Limits> & {
    memoryBytes?: number;
    dataBytes?: number;
    offline?: boolean;
    writable?: readonly string[];
  },
): [string, ...string[]] {
  const { wrappers, landlock } = availableTools();
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
    // Node reserves much more address space than it uses, so only writable memory is limited.
    if (limits.dataBytes) command.push(`--data=${limits.dataBytes}`);
    if (limits.cpuSeconds) command.push(`--cpu=${Math.ceil(limits.cpuSeconds)}`);
    if (limits.fileBytes) command.push(`--fsize=${Math.ceil(limits.fileBytes)}`);
  }
  return [...command, ...program] as [string, ...string[]];
}

/**
 * Starts a program without waiting for it. Its output isn't buffered and has to be read while the program is running.
 * The caller must have a slot (process-gate.server.ts).
 */
export function start(
  program: Program,
  args: string[],
  limits: Limits,
  { cwd, signal, writable }: { cwd: string; signal: AbortSignal; writable: readonly string[] },
) {
  const [command, ...rest] = commandLine(program, args, limits, writable);
  return runCommand(command, rest, {
    ...COMMON_OPTIONS,
    buffer: false,
    cwd,
    cancelSignal: signal,
    forceKillAfterDelay: false,
  });
}

/**
 * Runs a program and returns its exit code and up to 4 MiB of its output.
 *
 * @throws {InterruptedError} if it was killed, timed out or couldn't start.
 */
export function run(program: Program, args: string[], limits: Limits) {
  return withSlot(async () => {
    const [command, ...rest] = commandLine(program, args, limits);
    const timeout = (limits.seconds ?? 0) * timeoutFactor(args) * 1_000;
    const options = { ...COMMON_OPTIONS, timeout, maxBuffer: MAX_OUTPUT_BYTES };
    const result = await runCommand(command, rest, options);
    const { exitCode, stdout, stderr, isMaxBuffer } = result;
    if (!isMaxBuffer) throwIfInterrupted(program, result, [stderr]);
    return { exitCode, stdout, stderr, isMaxBuffer };
  });
}

/**
 * Runs a program and passes its output to the caller line by line, because the output may not fit in memory.
 *
 * @throws {InterruptedError} if it was killed or timed out.
 */
export function runLines(
  program: Program,
  args: string[],
  limits: Limits,
  onLine: (line: string) => void,
): Promise<void> {
  return withSlot(async () => {
    const [command, ...rest] = commandLine(program, args, limits);
    const timeout = (limits.seconds ?? 0) * timeoutFactor(args) * 1_000;
    const child = runCommand(command, rest, { ...COMMON_OPTIONS, timeout, buffer: false });
    child.stderr.resume();
    const lines = createInterface({ input: child.stdout }).on("line", onLine);
    const [result] = await Promise.all([child, once(lines, "close")]);
    throwIfInterrupted(program, result, []);
  });
}

/**
 * Returns the factor by which to multiply time limits. Reading from a file store may be much slower than reading from a
 * disk.
 */
export function timeoutFactor(args: readonly string[]): number {
  return readsByRange(args) ? RANGED_TIMEOUT_FACTOR : 1;
}

function readsByRange(args: readonly string[]): boolean {
  return args.some(isInputUrl);
}

/**
 * Thrown if ffmpeg or ffprobe was killed, timed out or ran out of disk space. The file may be fine, so another attempt
 * may succeed.
 */
export class InterruptedError extends Error {
  constructor(
    message: string,
    /** The error code, as in a system error. */
    readonly code?: "ENOSPC",
  ) {
    super(message);
  }
}

const NO_SPACE = /No space left on device/i;
/** ffmpeg's exit code after SIGINT or SIGTERM. */
const SIGNAL_EXIT_CODE = 255;

/** @throws {InterruptedError} if a program was terminated instead of exiting, or the disk was full. */
export function throwIfInterrupted(
  program: string,
  end: { exitCode?: number; signal?: string; timedOut: boolean },
  lines: readonly string[],
): void {
  // ffmpeg 5 exits with 0 if the last block of a file couldn't be written.
  if (lines.some((line) => NO_SPACE.test(line)))
    throw new InterruptedError("The disk is full.", "ENOSPC");
  // ffmpeg also exits with 0 if an HTTP response ends before its Content-Length.
  if (lines.some((line) => line.includes("Stream ends prematurely")))
    throw new InterruptedError("The file could not be read completely.");
  if (end.exitCode === 0) return;
  if (end.timedOut) throw new InterruptedError(`${program} exceeded its time limit.`);
  if (end.signal) throw new InterruptedError(`${program} was killed by ${end.signal}.`);
  if (end.exitCode === undefined) throw new InterruptedError(`${program} could not be started.`);
  if (end.exitCode === SIGNAL_EXIT_CODE)
    throw new InterruptedError(`${program} was stopped early.`);
}

const COMMON_OPTIONS = {
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
  // Range requests need the loopback interface, which a process without a network doesn't have.
  const offline = !readsByRange(args);
  return limitedCommand(command, {
    ...limits,
    memoryBytes: memoryOfProcess(MAX_MEMORY_BYTES),
    offline,
    writable,
  });
}
