import type { ComponentType, SVGProps } from "react";

export type IconType = ComponentType<Pick<SVGProps<SVGSVGElement>, "className" | "aria-hidden">>;

/** Returns an icon that the icon set lacks, drawn on the same grid and with the same stroke. */
function drawn(path: string): IconType {
  return function Drawn(props) {
    return (
      <svg
        viewBox="0 0 24 24"
        width="24"
        height="24"
        fill="none"
        stroke="currentColor"
        strokeWidth="2"
        strokeLinecap="round"
        strokeLinejoin="round"
        aria-hidden="true"
        {...props}
      >
        <path d={path} />
      </svg>
    );
  };
}

export const CaptionsIcon = drawn(
  "M5 5h14a2 2 0 0 1 2 2v10a2 2 0 0 1-2 2H5a2 2 0 0 1-2-2V7a2 2 0 0 1 2-2zM7 15h4m4 0h2M7 11h2m4 0h4",
);

export const PictureInPictureIcon = drawn(
  "M21 9V6a2 2 0 0 0-2-2H4a2 2 0 0 0-2 2v11a2 2 0 0 0 2 2h4M14 13h6a2 2 0 0 1 2 2v3a2 2 0 0 1-2 2h-6a2 2 0 0 1-2-2v-3a2 2 0 0 1 2-2z",
);
