// A drawing of 28 x 28 grey levels: by mouse, touch, pen or keyboard.

const SIDE = 28;
const CELL = 14;
// The half width of a stroke, in pixels of the drawing: digits of MNIST are about as thick.
const REACH = 0.9;

// Digits for people who would rather look: strokes through points of the drawing.
const SAMPLES = {
  5: [[[20, 6], [10, 6], [9.5, 12], [15, 11.5], [18.5, 15], [17, 19.5], [12, 21.5], [8.5, 20]]],
  3: [[[9, 7], [14, 5.5], [18, 8], [16.5, 12], [13, 13.5], [18, 15], [18.5, 19], [14, 22], [8.5, 20.5]]],
  7: [[[7, 7], [20, 7], [13, 22]]],
  2: [[[9, 9], [12, 6], [17, 6.5], [18.5, 10], [15, 15], [9, 21.5], [20, 21.5]]],
};
// Of a sample, so many pixels of a stroke are drawn at once, so many milliseconds apart.
const STRIDE = 1;
const PAUSE = 14;

export class Drawing {
  pixels = new Uint8Array(SIDE * SIDE);
  guarded = new Set();
  tool = "pen";
  #cursor = null;
  #last = null;
  #toggled = null;
  #sampled = -1;
  #drawn = 0;

  constructor(canvas, changed) {
    this.canvas = canvas;
    this.changed = changed;
    canvas.addEventListener("pointerdown", (event) => this.#down(event));
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { this.#last = null; this.#toggled = null; });
    canvas.addEventListener("keydown", (event) => this.#key(event));
    canvas.addEventListener("focus", () => { if (canvas.matches(":focus-visible")) { this.#cursor ??= [14, 14]; this.show(); } });
    canvas.addEventListener("blur", () => { this.#cursor = null; this.show(); });
    this.show();
  }

  clear() {
    this.pixels.fill(0);
    this.guarded.clear();
    this.#done();
  }

  set(pixels, guarded = []) {
    this.pixels.set(pixels);
    this.guarded = new Set(guarded);
    this.#done();
  }

  /** Draws the next of the samples, as a hand does. */
  async sample() {
    const digits = Object.keys(SAMPLES);
    this.#sampled = (this.#sampled + 1) % digits.length;
    const mine = ++this.#drawn;
    this.clear();
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
    for (const stroke of SAMPLES[digits[this.#sampled]]) {
      for (let k = 1; k < stroke.length; k++) {
        const [from, to] = [stroke[k - 1], stroke[k]];
        const length = Math.ceil(Math.hypot(to[0] - from[0], to[1] - from[1]) / STRIDE);
        const at = (share) => [from[0] + (to[0] - from[0]) * share, from[1] + (to[1] - from[1]) * share];
        for (let part = 0; part < length; part++) {
          this.#with("pen", at(part / length), at((part + 1) / length));
          if (!calm) await new Promise((resolve) => setTimeout(resolve, PAUSE));
          // Somebody else draws by now.
          if (mine !== this.#drawn) return;
        }
      }
    }
  }

  /** Protects a pixel, or not any more. */
  protect(column, row) {
    this.#toggled = null;
    this.#guard(column, row);
    this.#toggled = null;
  }

  get isEmpty() {
    return this.pixels.every((value) => value === 0);
  }

  #at(event) {
    const box = this.canvas.getBoundingClientRect();
    return [((event.clientX - box.left) / box.width) * SIDE, ((event.clientY - box.top) / box.height) * SIDE];
  }

  #down(event) {
    if (event.button !== 0) return;
    event.preventDefault();
    this.canvas.focus({ focusVisible: false });
    this.canvas.setPointerCapture?.(event.pointerId);
    this.#drawn += 1;
    this.#last = this.#at(event);
    this.#draw(this.#last, this.#last);
  }

  #move(event) {
    if (!this.#last) return;
    for (const part of event.getCoalescedEvents?.() ?? [event]) {
      const now = this.#at(part);
      this.#draw(this.#last, now);
      this.#last = now;
    }
  }

  #draw(from, to) {
    if (this.tool === "protect") return this.#guard(Math.floor(to[0]), Math.floor(to[1]));
    for (let row = 0; row < SIDE; row++) {
      for (let column = 0; column < SIDE; column++) {
        const away = distance([column + 0.5, row + 0.5], from, to);
        const level = Math.round(255 * Math.min(1, Math.max(0, REACH + 0.7 - away)));
        const at = row * SIDE + column;
        if (this.tool === "pen") this.pixels[at] = Math.max(this.pixels[at], level);
        else if (level > 0) this.pixels[at] = 0;
      }
    }
    this.#done();
  }

  #guard(column, row) {
    const at = row * SIDE + column;
    if (column < 0 || row < 0 || column >= SIDE || row >= SIDE || this.#toggled === at) return;
    this.#toggled = at;
    if (!this.guarded.delete(at)) this.guarded.add(at);
    this.#done();
  }

  #key(event) {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    this.#cursor ??= [14, 14];
    const [x, y] = this.#cursor;
    const here = [x + 0.5, y + 0.5];
    if (steps[event.key]) {
      const next = [x + steps[event.key][0], y + steps[event.key][1]].map((value) => Math.min(SIDE - 1, Math.max(0, value)));
      this.#cursor = next;
      if (event.shiftKey) this.#with("pen", here, [next[0] + 0.5, next[1] + 0.5]);
      this.show();
    } else if (event.key === " ") this.#with("pen", here, here);
    else if (event.key === "x" || event.key === "X") this.#with("eraser", here, here);
    else if (event.key === "p" || event.key === "P") this.protect(x, y);
    else if (event.key === "Delete" || event.key === "Backspace") this.clear();
    else return;
    event.preventDefault();
  }

  #with(tool, from, to) {
    const before = this.tool;
    this.tool = tool;
    this.#draw(from, to);
    this.tool = before;
  }

  #done() {
    this.show();
    this.changed();
  }

  show() {
    const brush = this.canvas.getContext("2d");
    for (let at = 0; at < this.pixels.length; at++) {
      const [x, y] = [(at % SIDE) * CELL, Math.floor(at / SIDE) * CELL];
      const level = this.pixels[at];
      brush.fillStyle = `rgb(${level},${level},${level})`;
      brush.fillRect(x, y, CELL, CELL);
    }
    if (this.isEmpty && !this.#cursor) {
      brush.fillStyle = "#8d949b";
      brush.font = "20px system-ui, sans-serif";
      brush.textAlign = "center";
      brush.fillText("draw a digit here", (SIDE * CELL) / 2, (SIDE * CELL) / 2 + 6);
    }
    brush.strokeStyle = "#cc79a7";
    brush.lineWidth = 2;
    for (const at of this.guarded) brush.strokeRect((at % SIDE) * CELL + 1, Math.floor(at / SIDE) * CELL + 1, CELL - 2, CELL - 2);
    if (this.#cursor) {
      brush.strokeStyle = "#f0e442";
      brush.strokeRect(this.#cursor[0] * CELL + 1, this.#cursor[1] * CELL + 1, CELL - 2, CELL - 2);
    }
  }
}

/** How far a point is from a segment. */
function distance([x, y], [ax, ay], [bx, by]) {
  const [dx, dy] = [bx - ax, by - ay];
  const along = dx || dy ? Math.min(1, Math.max(0, ((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy))) : 0;
  return Math.hypot(x - ax - along * dx, y - ay - along * dy);
}
