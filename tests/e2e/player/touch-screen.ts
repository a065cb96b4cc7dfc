import type { CDPSession, Page } from "playwright/test";

interface Point {
  x: number;
  y: number;
}

/** Sends real touch events through the browser's debugging protocol. */
export class TouchScreen {
  private constructor(private readonly session: CDPSession) {}

  static async of(page: Page): Promise<TouchScreen> {
    return new TouchScreen(await page.context().newCDPSession(page));
  }

  async down(...points: Point[]): Promise<void> {
    await this.send("touchStart", points);
  }

  async move(...points: Point[]): Promise<void> {
    await this.send("touchMove", points);
  }

  async up(): Promise<void> {
    await this.send("touchEnd", []);
  }

  async tap(point: Point): Promise<void> {
    await this.down(point);
    await this.up();
  }

  /** Touches the screen and moves the finger in a straight line. Lifts it unless it should stay down. */
  async swipe(from: Point, to: Point, { steps = 8, stay = false } = {}): Promise<void> {
    await this.down(from);
    for (let step = 1; step <= steps; step++) {
      const part = step / steps;
      await this.move({
        x: from.x + (to.x - from.x) * part,
        y: from.y + (to.y - from.y) * part,
      });
    }
    if (!stay) await this.up();
  }

  private async send(type: "touchStart" | "touchMove" | "touchEnd", points: Point[]) {
    await this.session.send("Input.dispatchTouchEvent", {
      type,
      touchPoints: points.map((point, id) => ({ ...point, id })),
    });
  }
}
