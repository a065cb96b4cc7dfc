/** What the log and the admin panel say when the programs are missing. */
export const WITHOUT_FFMPEG =
  "ffmpeg is not installed: videos are published as they are, without conversion, posters, storyboards, previews and streaming.";
