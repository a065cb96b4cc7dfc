/**
 * Keeps other accounts of the machine from reading what this process and its children create: files of hidden videos
 * and backups. The group may read, so that nginx can send files (docs/how-to/reverse-proxy.md). A stricter
 * umask stays. Not for the build, which another account may serve.
 */
export function keepFilesPrivate() {
  process.umask(process.umask() | 0o027);
}
