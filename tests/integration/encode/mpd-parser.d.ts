declare module "mpd-parser" {
  export function parse(
    manifest: string,
    options: {
      manifestUri: string;
      eventHandler?: (event: { type: string; message: string }) => void;
    },
  ): unknown;
}
