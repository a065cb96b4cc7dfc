/**
 * Prevents other users on the machine from reading files that this process and its children create, such as files of
 * hidden videos and backups. The group may read them, so that nginx can send files (docs/how-to/reverse-proxy.md). A
 * stricter umask isn't changed. This isn't used for the build, because another user may serve it.
 */
export function keepFilesPrivate() {
  process.umask(process.umask() | 0o027);
}
