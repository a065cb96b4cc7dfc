/** The class names that are given, joined; what is false or undefined is left out. */
export function classNames(...names: (string | false | undefined)[]): string {
  return names.filter(Boolean).join(" ");
}
