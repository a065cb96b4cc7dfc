/**
 * Prevents other users of the machine from reading files that this process and its children create, such as those of
 * hidden videos and backups. The group may read them, so that nginx can send files (docs/operating.md, "Behind a
 * proxy"). A stricter umask isn't changed. Not for the build, which another user may serve.
 */
export function keepFilesPrivate() {
  process.umask(process.umask() | 0o027);
}
