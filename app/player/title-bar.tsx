import { usePlayer } from "./player-context";

export function TitleBar() {
  const { video } = usePlayer();
  return <div className="player-title">{video.title}</div>;
}
