// Pictures that answers are drawn on.

import { el } from "./elements.js";

const KEPT = [240, 228, 66];
const ADDED = [230, 159, 0];
const REMOVED = [86, 180, 233];
const FOR = [213, 94, 0];
const AGAINST = [0, 114, 178];

/** A picture: its size, and the colour of every pixel. `range` are the numbers of black and white. */
export class Picture {
  constructor(columns, rows, colour, range = [0, 1]) {
    Object.assign(this, { columns, rows, colour, range });
  }

  static grey(pixels, columns = 28, rows = 28) {
    return new Picture(columns, rows, (at) => [pixels[at], pixels[at], pixels[at]]);
  }

  static rgb({ columns, rows, rgb }, range) {
    return new Picture(columns, rows, (at) => [rgb[3 * at], rgb[3 * at + 1], rgb[3 * at + 2]], range);
  }

  /** Numbers of a model, channels first. */
  static numbers(numbers, { channels, rows, columns, low, high }) {
    const plane = rows * columns;
    const level = (at) => Math.min(255, Math.max(0, (255 * (numbers[at] - low)) / (high - low || 1)));
    const colour = channels === 3 ? (at) => [level(at), level(at + plane), level(at + 2 * plane)] : (at) => [level(at), level(at), level(at)];
    return new Picture(columns, rows, colour, [low, high]);
  }

  /** Draws every pixel as `of` says of its number and colour. */
  draw(canvas, of = (_, colour) => colour) {
    canvas.width = this.columns;
    canvas.height = this.rows;
    const brush = canvas.getContext("2d");
    const image = brush.createImageData(this.columns, this.rows);
    for (let at = 0; at < this.columns * this.rows; at++) {
      image.data.set(of(at, this.colour(at)), 4 * at);
      image.data[4 * at + 3] = 255;
    }
    brush.putImageData(image, 0, 0);
  }

  drawDim(canvas) {
    this.draw(canvas, (_, colour) => colour.map((value) => 0.3 * value));
  }

  /** What is kept shines, the rest is dim. `levels` are of the kept pixels. */
  drawPart(canvas, levels) {
    this.draw(canvas, (at, colour) => levels.has(at) ? mix([0, 0, 0], KEPT, 0.25 + 0.75 * levels.get(at)) : colour.map((value) => 0.3 * value));
  }

  /** What is added and removed, on the picture. */
  drawChange(canvas, levels) {
    this.draw(canvas, (at, colour) => {
      if (!levels.has(at)) return colour;
      const before = colour.reduce((sum, value) => sum + value, 0) / 765;
      const by = levels.get(at) - before;
      return mix(colour, by >= 0 ? ADDED : REMOVED, 0.35 + 0.65 * Math.min(1, Math.abs(by)));
    });
  }

  /** Regions that are part of an answer: the others dim, or these tinted; an edge where they end. */
  drawRegions(canvas, regions, used, isPart) {
    const marked = new Set(used);
    const isIn = (at) => marked.has(regions[at]);
    const isEdge = (at) => isIn(at) && [at - 1, at + 1, at - this.columns, at + this.columns].some((near) => near >= 0 && near < regions.length && !isIn(near));
    this.draw(canvas, (at, colour) => {
      if (isEdge(at)) return mix(colour, isPart ? KEPT : ADDED, 0.85);
      if (isPart) return isIn(at) ? colour : colour.map((value) => 0.22 * value + 12);
      return isIn(at) ? mix(colour, ADDED, 0.5) : colour;
    });
  }

  /** How much every region matters, over the picture. */
  drawHeat(canvas, regions, importance, strength) {
    const most = Math.max(1e-12, ...importance.map(Math.abs));
    this.draw(canvas, (at, colour) => {
      const weight = (importance[regions[at]] ?? 0) / most;
      const grey = colour.reduce((sum, value) => sum + value, 0) / 3;
      return mix(mix(colour, [grey, grey, grey], strength), weight >= 0 ? FOR : AGAINST, strength * Math.abs(weight));
    });
  }

  /** Numbers at places as a share of white, by pixel. */
  levels(at, to) {
    const [low, high] = this.range;
    const plane = this.columns * this.rows;
    const levels = new Map();
    at.forEach((place, k) => levels.set(place % plane, Math.min(1, Math.max(0, (to[k] - low) / (high - low || 1)))));
    return levels;
  }
}

const mix = (from, to, share) => from.map((value, k) => value + (to[k] - value) * share);

/** A canvas with words below it. */
export function figure(words, attributes = {}) {
  const canvas = el("canvas", { role: "img", "aria-label": words, ...attributes });
  return [canvas, el("figure", {}, canvas, el("figcaption", {}, words))];
}

/** What colours mean. */
export const legend = (...pairs) =>
  el("p", { class: "legend" }, ...pairs.map(([swatch, words]) => el("span", {}, el("span", { class: `swatch ${swatch}` }), words)));
