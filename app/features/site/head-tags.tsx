import { Meta } from "@remix-run/react";
import { cloneElement, isValidElement, type ReactElement, type ReactNode } from "react";
import { DISCREET_TITLE, discreetTitles } from "~/features/visitor/preferences";

/**
 * The title and descriptions of the page. The title is a discreet one where the visitor wants that: in
 * the server's HTML a script has written it before the first paint (first-paint-script.tsx), so that it
 * may differ from what the server has rendered.
 */
export function HeadTags() {
  const isDiscreet = discreetTitles.useSelected((isOn) => isOn, true);
  // Called and not rendered, because its elements take no properties from outside.
  const tags = Meta() as ReactElement<{ children: ReactNode[] }>;
  return cloneElement(
    tags,
    undefined,
    ...tags.props.children.map((tag) =>
      isValidElement<{ children: ReactNode }>(tag) && tag.type === "title"
        ? cloneElement(
            tag as ReactElement,
            { suppressHydrationWarning: true },
            isDiscreet ? DISCREET_TITLE : tag.props.children,
          )
        : tag,
    ),
  );
}
