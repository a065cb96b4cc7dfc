import { expect, it } from "vitest";
import { cdnAddress } from "~/media/serve/serve-stored.server";

it("signs CDN URLs for nginx's secure_link module", () => {
  // echo -n '1598024587/site/videos/u/1.mp4 secret' | openssl md5 -binary | openssl base64 | tr +/ -_ | tr -d =
  const cdn = { origin: "https://cdn.example", signing: "nginx", secret: "secret" } as const;
  expect(cdnAddress(cdn, "/site/videos/u/1.mp4", 1598024587)).toBe(
    "https://cdn.example/site/videos/u/1.mp4?md5=ZiVLYYYUff9_TcGschdYaQ&expires=1598024587",
  );
});

it("signs CDN URLs like bunny.net's own libraries", () => {
  const cdn = { origin: "https://x.b-cdn.net", signing: "bunny", secret: "SecurityKey" } as const;
  expect(cdnAddress(cdn, "/300kb.jpg", 1598024587)).toBe(
    "https://x.b-cdn.net/300kb.jpg?token=HS256-o10JRWlsAItyAsdKS6jJKjabHN4FrFsplDHPV1idcX4&expires=1598024587",
  );
});
