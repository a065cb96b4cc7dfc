/**
 * The variables that child processes inherit. A process that reads an uploaded file gets no other variables, so that an
 * attacker who exploits a vulnerability in a decoder can't read the store's keys, the mail server's password or other
 * secrets. The list contains complete names rather than prefixes, because the prefix `NVIDIA_` would also match secrets
 * such as `NVIDIA_API_KEY`.
 */
export const CHILD_VARIABLES: readonly string[] = [
  // The paths of commands, libraries, temporary files and caches.
  "PATH",
  "HOME",
  "TMPDIR",
  "LD_LIBRARY_PATH",
  "XDG_CACHE_HOME",
  "FONTCONFIG_FILE",
  "FONTCONFIG_PATH",
  // The language and time zone.
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "LC_MESSAGES",
  "TZ",
  // Selects which build of a package Node loads.
  "NODE_ENV",
  // Memory limits, set by `npm start`.
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

/** Returns the variables in `environment` that a child process may inherit. */
export function childVariables(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = CHILD_VARIABLES.filter((name) => environment[name] !== undefined);
  return Object.fromEntries(kept.map((name) => [name, environment[name]])) as NodeJS.ProcessEnv;
}
