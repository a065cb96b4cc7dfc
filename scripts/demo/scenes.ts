import type { CategoryId } from "~/shared/categories";

/** A demo video: its details and its appearance. */
export interface Scene {
  title: string;
  description: string;
  category: CategoryId;
  tags: string[];
  seconds: number;
  width: number;
  height: number;
  views: number;
  daysAgo: number;
  /** The SVG colors of the upper sky, the horizon, the sun and the hills. */
  colors: [string, string, string, string];
}

const LANDSCAPE = { width: 640, height: 360 };
const WIDE = { width: 1280, height: 720 };
const PORTRAIT = { width: 360, height: 640 };

type Rest = Omit<Scene, "title" | "category" | "seconds" | "views" | "daysAgo" | "colors">;

function scene(
  title: string,
  category: CategoryId,
  seconds: number,
  views: number,
  daysAgo: number,
  colors: Scene["colors"],
  rest: Partial<Rest> & Pick<Rest, "tags">,
): Scene {
  const description = `${title}. A generated ${seconds}-second clip for trying out the site.`;
  return { description, ...LANDSCAPE, ...rest, title, category, seconds, views, daysAgo, colors };
}

/** Videos with various lengths, sizes, colors and ages, newest first. */
export const SCENES: readonly Scene[] = [
  scene(
    "Midnight over the salt lake",
    "premium",
    62,
    12_840,
    0,
    ["#0d1033", "#4b2a6b", "#f2d5ff", "#160f2b"],
    { ...WIDE, tags: ["night", "water", "calm"] },
  ),
  scene(
    "Copper hills at dusk",
    "desi",
    34,
    2_310,
    0,
    ["#3a1c4a", "#e07a4f", "#ffd9a0", "#2b1320"],
    { tags: ["dusk", "hills"] },
  ),
  scene(
    "A slow morning in the valley",
    "english",
    48,
    951,
    1,
    ["#27557a", "#f7c6a3", "#fff3d6", "#1c3b3a"],
    { tags: ["morning", "slow"] },
  ),
  scene(
    "Red moon, long road",
    "blacked",
    75,
    53_200,
    1,
    ["#12060b", "#6d1a2b", "#ff6b57", "#0a0305"],
    { ...WIDE, tags: ["night", "moon", "road"] },
  ),
  scene(
    "Standing tall: towers before the rain",
    "pornstar",
    21,
    640,
    2,
    ["#1d2935", "#71808c", "#e6eef2", "#11181f"],
    { ...PORTRAIT, tags: ["rain", "portrait"] },
  ),
  scene(
    "Lavender fields from above",
    "premium",
    40,
    7_730,
    3,
    ["#5b4a8f", "#d9b3ef", "#fff0fa", "#3a2760"],
    { tags: ["flowers", "calm"] },
  ),
  scene(
    "The quiet side of the island",
    "english",
    29,
    18_400,
    4,
    ["#0f6b7a", "#9fe0d2", "#fffbe0", "#0b3d3c"],
    { tags: ["sea", "island", "calm"] },
  ),
  scene(
    "Saffron sky, first light",
    "desi",
    55,
    101_500,
    5,
    ["#8a3b12", "#ffbf47", "#fff1c4", "#45200c"],
    { ...WIDE, tags: ["morning", "sky"] },
  ),
  scene(
    "Neon rain, second take",
    "blacked",
    12,
    87,
    6,
    ["#0b0b25", "#ae1e7d", "#54f0ff", "#0a0618"],
    { tags: ["night", "rain", "city"] },
  ),
  scene(
    "Pines in a northern winter",
    "english",
    66,
    4_120,
    8,
    ["#16324a", "#a9c7d9", "#ffffff", "#0d1f2b"],
    { tags: ["winter", "forest"] },
  ),
  scene("Desert wind", "desi", 27, 1_999, 10, ["#7a4a1f", "#f0c987", "#fff6df", "#4d2b10"], {
    tags: ["desert", "slow"],
  }),
  scene(
    "Green lights above the fjord",
    "premium",
    71,
    1_204_000,
    13,
    ["#04121b", "#0f7a5a", "#b8ffd9", "#03090d"],
    { ...WIDE, tags: ["night", "sky", "water"] },
  ),
  scene(
    "Three minutes of nothing, shortened",
    "pornstar",
    18,
    312,
    16,
    ["#2c2c34", "#8d8d99", "#f2f2f2", "#17171c"],
    { tags: ["slow", "calm"] },
  ),
  scene("Peach season", "desi", 33, 26_700, 20, ["#b3543f", "#ffd0b0", "#fff4e3", "#5c2a24"], {
    tags: ["summer", "hills"],
  }),
  scene(
    "Harbour lights, late",
    "blacked",
    44,
    9_010,
    24,
    ["#0a1424", "#27476b", "#ffdf9e", "#060b14"],
    { tags: ["night", "sea", "city"] },
  ),
  scene(
    "Window seat to the coast",
    "english",
    38,
    545,
    29,
    ["#3a6ea5", "#cfe6f5", "#fffdf0", "#1f3f4f"],
    { tags: ["sea", "road"] },
  ),
  scene(
    "Violet hour on the roof",
    "premium",
    25,
    33_333,
    34,
    ["#2a1547", "#a452b8", "#ffc7e6", "#170a29"],
    { ...PORTRAIT, tags: ["dusk", "city", "portrait"] },
  ),
  scene("Monsoon, day four", "desi", 58, 6_400, 45, ["#22363a", "#6f9088", "#dfeee4", "#111f20"], {
    tags: ["rain", "slow"],
  }),
  scene(
    "Sunflowers facing west",
    "pornstar",
    31,
    15_020,
    61,
    ["#3f6fb0", "#ffe27a", "#fff7cf", "#3d4a12"],
    { tags: ["flowers", "summer"] },
  ),
  scene("Ember and ash", "blacked", 22, 780, 90, ["#170808", "#b3401f", "#ffb36b", "#0e0404"], {
    tags: ["night", "fire"],
  }),
  scene(
    "Low tide, wide shore",
    "english",
    47,
    2_020,
    150,
    ["#49708a", "#e9d7c3", "#fff9ee", "#2b3f45"],
    { ...WIDE, tags: ["sea", "slow", "calm"] },
  ),
  scene(
    "Glass mountain",
    "premium",
    36,
    480_100,
    400,
    ["#123a5c", "#8ed1f0", "#f5fdff", "#0a2338"],
    { tags: ["winter", "hills"] },
  ),
];
