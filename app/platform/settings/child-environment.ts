/**
 * The variables that child processes get from the site's environment. Each process that reads an uploaded
 * file gets nothing else: a hole in a decoder must not reveal the keys of the store, the mail server's
 * password or whatever else the operator has set. Names, no prefixes: `NVIDIA_API_KEY` is a secret.
 */
export const CHILD_VARIABLES: readonly string[] = [
  // To find commands and their libraries, and where they keep temporary files and caches.
  "PATH",
  "HOME",
  "TMPDIR",
  "LD_LIBRARY_PATH",
  "XDG_CACHE_HOME",
  "FONTCONFIG_FILE",
  "FONTCONFIG_PATH",
  // Language and time zone.
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "LC_MESSAGES",
  "TZ",
  // Which build of a package Node loads.
  "NODE_ENV",
  // Limits of memory, as `npm start` sets them.
  "MALLOC_ARENA_MAX",
  "MALLOC_TRIM_THRESHOLD_",
  // Hardware encoders: VA-API, Quick Sync and NVENC.
  "LIBVA_DRIVER_NAME",
  "LIBVA_DRIVERS_PATH",
  "LIBVA_DISPLAY",
  "ONEVPL_SEARCH_PATH",
  "CUDA_VISIBLE_DEVICES",
  "CUDA_DEVICE_ORDER",
  "CUDA_CACHE_PATH",
  "NVIDIA_VISIBLE_DEVICES",
  "NVIDIA_DRIVER_CAPABILITIES",
];

/** Returns the variables of `environment` that a child process may have. */
export function childVariables(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = CHILD_VARIABLES.filter((name) => environment[name] !== undefined);
  return Object.fromEntries(kept.map((name) => [name, environment[name]])) as NodeJS.ProcessEnv;
}
