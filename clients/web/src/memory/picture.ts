/**
 * A picture of a finished round, drawn on a canvas from the shapes that faces are made of: who had which cards, what
 * each won, and the way to the proof.
 */

import { rankOf, suitOf, type Card } from "../cards/card";
import { COURT_SHAPES, RANK_STROKES, SUIT_SHAPES } from "../cards/shapes";
import type { Last } from "../connection/messages";
import type { CardGroup, Pictured } from "../games";
import { capital, pick, say, signed } from "../words/say";

interface Row {
  readonly label: string;
  readonly net?: number;
  readonly isWinner?: boolean;
  readonly groups: readonly CardGroup[];
  /** Cards that are shown dimly: those that were played. */
  readonly dim?: readonly Card[];
}

export interface Picture {
  readonly title: string;
  readonly subtitle: string;
  readonly rows: readonly Row[];
  readonly isVerified: boolean;
  readonly link: string;
}

/** What a picture has of each seat: the house first, where there is one, then who won most. */
export function rowsOf(last: Last, game: Pictured | undefined): readonly Row[] {
  const house = game?.pictureHouse?.(last) ?? [];
  const seats = (last.seats ?? []).map((one, seat) => ({ one, seat }));
  const rows = seats
    .sort((a, b) => b.one.net_minor - a.one.net_minor)
    .map(({ one, seat }): Row => {
      const instant = last.instant_wins?.find((win) => win.seat === seat);
      const shown = game?.picture(one) ?? { groups: [{ cards: one.cards ?? [], name: "" }] };
      const mark = shown.mark ?? "";
      const row = {
        label: mark === "" ? one.name : `${one.name} · ${mark}`,
        net: one.net_minor,
        isWinner: one.winner === true,
      };
      if (instant === undefined) {
        return { ...row, groups: shown.groups, dim: shown.dim ?? [] };
      }
      const name = (at: number): string => (at === 0 ? capital(pick(instant.name)) : "");
      return { ...row, groups: instant.groups.map((cards, at) => ({ cards, name: name(at) })) };
    });
  return house.length === 0 ? rows : [{ label: say("house"), groups: house }, ...rows];
}

const WIDTH = 1080;
const EDGE = 36;
const HEAD = 150;
const ROW = 250;
const FOOT = 230;
const CARD = { width: 88, height: 123, step: 60, apart: 30 };
const FONT = 'system-ui, "Segoe UI", Roboto, "Noto Sans", "DejaVu Sans", sans-serif';

/** Draws the picture; the canvas takes its size. */
export async function paint(canvas: HTMLCanvasElement, picture: Picture): Promise<void> {
  const { encode } = await import("uqr");
  const pen = canvas.getContext("2d");
  if (pen === null) {
    return;
  }
  const style = getComputedStyle(document.documentElement);
  const colour = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  const words = (
    text: string,
    x: number,
    y: number,
    how: { size: number; fill: string; weight?: number; most?: number; align?: CanvasTextAlign },
  ): void => {
    pen.font = `${how.weight ?? 400} ${how.size}px ${FONT}`;
    pen.fillStyle = how.fill;
    pen.textAlign = how.align ?? "left";
    let shown = text;
    while (pen.measureText(shown).width > (how.most ?? WIDTH) && shown.length > 1) {
      shown = `${Array.from(shown.replace(/…$/, "")).slice(0, -1).join("")}…`;
    }
    pen.fillText(shown, x, y);
  };
  const box = (x: number, y: number, wide: number, high: number, round: number): void => {
    pen.beginPath();
    pen.roundRect(x, y, wide, high, round);
  };
  const shape = (path: string, x: number, y: number, scale: number, stroke = 0): void => {
    pen.save();
    pen.translate(x, y);
    pen.scale(scale, scale);
    if (stroke > 0) {
      pen.lineWidth = stroke;
      pen.lineCap = pen.lineJoin = "round";
      pen.stroke(new Path2D(path));
    } else {
      pen.fill(new Path2D(path), "evenodd");
    }
    pen.restore();
  };
  const SUIT_COLOURS = { S: "suit-black", C: "suit-club", D: "suit-diamond", H: "suit-red" };
  const face = (card: Card, x: number, y: number): void => {
    box(x, y, CARD.width, CARD.height, 8);
    pen.fillStyle = colour("paper");
    pen.fill();
    pen.strokeStyle = colour("paper-edge");
    pen.lineWidth = 1.5;
    pen.stroke();
    const [rank, suit] = [rankOf(card), suitOf(card)];
    pen.fillStyle = pen.strokeStyle = colour(SUIT_COLOURS[suit]);
    shape(RANK_STROKES[rank], x + 7, y + 7, 1.12, 3.5);
    shape(SUIT_SHAPES[suit], x + 8, y + 42, 0.2);
    if (rank === "J" || rank === "Q" || rank === "K") {
      shape(COURT_SHAPES[rank], x + 38, y + 22, 0.36);
      shape(SUIT_SHAPES[suit], x + 36, y + 66, 0.44);
    } else {
      shape(SUIT_SHAPES[suit], x + 34, y + 64, 0.48);
    }
  };

  canvas.width = WIDTH;
  canvas.height = HEAD + picture.rows.length * ROW + FOOT;
  const felt = pen.createRadialGradient(WIDTH / 2, 200, 50, WIDTH / 2, 400, canvas.height);
  felt.addColorStop(0, colour("felt-1"));
  felt.addColorStop(1, colour("felt-3"));
  pen.fillStyle = felt;
  pen.fillRect(0, 0, WIDTH, canvas.height);
  const [ink, soft] = [colour("ink"), colour("ink-soft")];
  const most = WIDTH - 2 * EDGE;
  words(picture.title, EDGE, 76, { size: 46, weight: 700, fill: ink, most });
  words(picture.subtitle, EDGE, 120, { size: 27, fill: soft, most });

  picture.rows.forEach((row, at) => {
    const top = HEAD + at * ROW;
    box(EDGE - 12, top, most + 24, ROW - 14, 18);
    pen.fillStyle = "#0006";
    pen.fill();
    words((row.isWinner === true ? "★ " : "") + row.label, EDGE + 6, top + 46, {
      size: 32,
      weight: 700,
      fill: row.isWinner === true ? colour("gold") : ink,
      most: most - 260,
    });
    if (row.net !== undefined) {
      const fill = row.net < 0 ? colour("bad") : row.net > 0 ? colour("good") : ink;
      const text = signed(row.net);
      words(text, WIDTH - EDGE - 6, top + 46, { size: 34, weight: 700, fill, align: "right" });
    }
    let x = EDGE + 6;
    for (const group of row.groups) {
      const start = x;
      for (const card of group.cards) {
        pen.globalAlpha = row.dim?.includes(card) === true ? 0.45 : 1;
        face(card, x, top + 64);
        pen.globalAlpha = 1;
        x += CARD.step;
      }
      x += CARD.width - CARD.step + CARD.apart;
      const room = row.groups.length === 1 ? most : x - start - 12;
      words(group.name, start, top + 219, { size: 23, fill: soft, most: room });
    }
  });

  const foot = canvas.height - FOOT;
  const { data, size } = encode(picture.link, { ecc: "M", border: 2 });
  const square = 190 / size;
  const [left, top] = [WIDTH - EDGE - 190, foot + 16];
  pen.fillStyle = "#fff";
  pen.fillRect(left, top, 190, 190);
  pen.fillStyle = "#000";
  data.forEach((line, y) =>
    line.forEach((isDark, x) => {
      if (isDark) {
        pen.fillRect(left + x * square, top + y * square, square + 0.3, square + 0.3);
      }
    }),
  );
  const badge = say(picture.isVerified ? "verified" : "proofAtLink");
  pen.font = `700 30px ${FONT}`;
  const wide = pen.measureText(badge).width + (picture.isVerified ? 86 : 48);
  box(EDGE, foot + 40, wide, 62, 31);
  pen.fillStyle = picture.isVerified ? "#d8f3df" : "#0008";
  pen.fill();
  const on = picture.isVerified ? "#0d4420" : ink;
  if (picture.isVerified) {
    pen.strokeStyle = on;
    shape("M4 12.5 9.5 18 20 6.5", EDGE + 18, foot + 54, 1.4, 3.5);
  }
  words(badge, EDGE + (picture.isVerified ? 62 : 24), foot + 81, { size: 30, weight: 700, fill: on });
  const shown = picture.link.replace(/^https?:\/\//, "");
  words(shown, EDGE, foot + 150, { size: 20, fill: soft, most: most - 220 });
}
