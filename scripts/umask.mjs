/**
 * Prevents other users on the machine from reading files that this process and its children create, such as files of
 * hidden videos and backups. The group may read them, so that nginx can send files (docs/how-to/reverse-proxy.md). A
 * stricter umask is kept. The build doesn't use this module, because another user may serve the built files.
 */
export function keepFilesPrivate() {
  process.umask(process.umask() | 0o027);
}
