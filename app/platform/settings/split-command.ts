/**
 * The words of a command line, separated by white space. A word, or a part of it, in single or double quotes may contain
 * white space. Nothing else is special: there is no shell that would expand variables or patterns.
 *
 * @returns undefined for a command line without words, or with a quote that is not closed.
 */
export function splitCommand(line: string): [string, ...string[]] | undefined {
  if (!/^(?:[^"']|"[^"]*"|'[^']*')*$/.test(line)) return undefined;
  const words = (line.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? []).map((word) =>
    word.replaceAll(
      /"([^"]*)"|'([^']*)'/g,
      (_, double?: string, single?: string) => double ?? single ?? "",
    ),
  );
  const [command, ...args] = words;
  return command ? [command, ...args] : undefined;
}
