// Answers: while they form, and when they are there.

import { className, commandOf, el, short, showScores, svg } from "./elements.js";

const TITLES = { part: "Part: what is enough", change: "Change: what would alter it", attack: "Attack: the least change", contrast: "Contrast", essential: "Essential" };
const KEPT = [240, 228, 66];
const ADDED = [230, 159, 0];
const REMOVED = [86, 180, 233];

/** A picture to draw answers on: its size, and the colour of every pixel. `range` are the numbers of black and white. */
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

  /** Regions that are part of an answer: the others dim, or these tinted. */
  drawRegions(canvas, regions, used, isPart) {
    const marked = new Set(used);
    this.draw(canvas, (at, colour) => {
      const isIn = marked.has(regions[at]);
      if (isPart) return isIn ? colour : colour.map((value) => 0.22 * value + 12);
      return isIn ? mix(colour, ADDED, 0.55) : colour;
    });
  }

  /** How much every region matters, over the picture. */
  drawHeat(canvas, regions, importance, strength) {
    const most = Math.max(1e-12, ...importance.map(Math.abs));
    this.draw(canvas, (at, colour) => {
      const weight = (importance[regions[at]] ?? 0) / most;
      const grey = colour.reduce((sum, value) => sum + value, 0) / 3;
      return mix(mix(colour, [grey, grey, grey], strength), weight >= 0 ? [213, 94, 0] : [0, 114, 178], strength * Math.abs(weight));
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

function legend(...pairs) {
  return el("p", { class: "legend" }, ...pairs.map(([swatch, words]) => el("span", {}, el("span", { class: `swatch ${swatch}` }), words)));
}

function pictureOf(question, words) {
  return el("canvas", { class: "forming", role: "img", "aria-label": words, "data-question": question });
}

/** Answers that form: a panel for every question of a search. */
export class Forming {
  constructor(place, picture, questions, { isText = false } = {}) {
    this.picture = picture;
    this.regions = null;
    this.panels = {};
    place.replaceChildren(...questions.map((question) => {
      const canvas = picture ? pictureOf(question, `${TITLES[question]}, forming`) : null;
      if (picture) picture.draw(canvas, (_, colour) => question === "part" ? colour.map((value) => 0.3 * value) : colour);
      const words = el("p", { class: "soft" }, "waits for its turn");
      const bar = el("progress", { max: 1, value: 0, "aria-label": `Queries used for the ${question}` });
      this.panels[question] = { canvas, words, bar };
      return el("section", { class: "answer", "data-question": question, "aria-label": TITLES[question] ?? question }, el("h3", {}, TITLES[question] ?? question), canvas, bar, words);
    }));
    this.isText = isText;
  }

  frame({ question, queries, budget, used, shown, regions, isMap }) {
    if (regions) this.regions ??= regions.flatMap(([region, count]) => Array(count).fill(region));
    if (isMap) return;
    const panel = this.panels[question];
    if (!panel) return;
    const count = shown ? new Set(shown.at.map((at) => this.picture ? at % (this.picture.columns * this.picture.rows) : at)).size : used?.length;
    panel.bar.max = budget;
    panel.bar.value = queries;
    panel.words.textContent = `${queries} of ${budget} queries${count === undefined ? ", nothing yet" : `, ${count} held`}`;
    if (!this.picture) return;
    if (shown) {
      const levels = this.picture.levels(shown.at, shown.to);
      if (question === "change") this.picture.drawChange(panel.canvas, levels);
      else this.picture.drawPart(panel.canvas, levels);
    } else if (used && this.regions) this.picture.drawRegions(panel.canvas, this.regions, used, question !== "change");
  }
}

/** Shows the answers of a run: `page` is the data of its own report. */
export function showAnswers(place, run, page, model) {
  const classes = { classes: page.classes };
  const firsts = page.answers.filter((answer) => answer.alternative === 0);
  const sections = firsts.map((answer) => {
    const section = el("section", { class: "answer", "data-question": answer.question.kind, "data-valid": answer.valid, "aria-label": TITLES[answer.question.kind] });
    const others = page.answers.filter((other) => other.mode === answer.mode);
    const choose = (index) => section.replaceChildren(...oneAnswer(page, others[index], classes, others, index, choose));
    choose(0);
    return section;
  });
  if (sections.length === 0) sections.push(el("p", {}, "Nothing was found before it was stopped."));
  const links = el("p", { class: "row wide" },
    run.has_report ? el("a", { href: `api/runs/${run.name}/files/report.html`, target: "_blank", rel: "noreferrer" }, "The whole report") : null,
    el("span", { class: "soft small" }, `run ${run.name}, seed ${page.seed}, ${page.seconds.toFixed(1)} s`));
  place.replaceChildren(...sections, links, el("div", { class: "wide" }, commandOf(run)));
}

function oneAnswer(page, answer, model, others, index, choose) {
  const kind = answer.question.kind;
  const parts = [el("h3", {}, TITLES[kind] ?? kind)];
  if (others.length > 1) {
    parts.push(el("div", { class: "row", role: "group", "aria-label": "Alternatives" }, ...others.map((_, k) =>
      el("button", { type: "button", "aria-pressed": k === index, on: { click: () => choose(k) } }, `Answer ${k + 1}`))));
  }
  parts.push(el("p", { class: "sentence" }, answer.sentence));
  if (answer.hint) parts.push(el("p", { class: "soft" }, answer.hint));
  if (page.subject === "picture") parts.push(...pictures(page, answer));
  else if (page.subject.table) parts.push(levers(page.subject.table.answers[page.answers.indexOf(answer)] ?? [], kind));
  else if (page.subject.text) parts.push(marked(page.subject.text, answer));
  parts.push(confidence(answer, model));
  if (page.subject === "picture") parts.push(...copies(page, answer, model));
  return parts;
}

function pictures(page, answer) {
  const input = Picture.numbers(page.input, page.frame);
  const isPart = answer.question.kind !== "change" && answer.question.kind !== "attack";
  const canvas = pictureOf(answer.question.kind, answer.sentence);
  const after = el("canvas", { class: "forming", role: "img", "aria-label": "What the model is shown" });
  Picture.numbers(answer.after, page.frame).draw(after);
  const located = answer.located;
  if (located?.regions?.length) {
    const regions = located.regions.map((region) => region ?? -1);
    const show = () => input.drawRegions(canvas, regions, answer.used, isPart);
    show();
    const found = [el("div", { class: "row" }, canvas, after)];
    if (located.heat) {
      const slide = el("input", { type: "range", min: 0, max: 100, value: 0, on: { input: () => {
        const strength = Number(slide.value) / 100;
        if (strength === 0) show();
        else input.drawHeat(canvas, regions, located.heat.importance, strength);
      } } });
      found.push(el("label", { class: "small" }, "Heat map ", slide), legend(["for", "speaks for the class"], ["against", "speaks against it"]));
    }
    return found;
  }
  const plane = input.columns * input.rows;
  const at = isPart ? answer.after.keys().filter((place) => answer.change[place] !== 0) : answer.change.keys().filter((place) => answer.change[place] !== 0);
  const places = [...at];
  const levels = input.levels(places, places.map((place) => answer.after[place]));
  if (isPart) input.drawPart(canvas, levels);
  else input.drawChange(canvas, levels);
  const words = isPart ? legend(["kept", `${new Set(places.map((place) => place % plane)).size} pixels are enough`]) : legend(["added", "added"], ["removed", "removed"]);
  return [el("div", { class: "row" }, canvas, after), words];
}

function levers(list, kind) {
  return el("div", { class: "scroll" }, el("table", { class: "sheet" },
    el("caption", { class: "hidden" }, "What the answer is made of"),
    el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "column"), el("th", { scope: "col" }, kind === "part" ? "typical" : "now"), el("th", { scope: "col" }, kind === "part" ? "kept" : "then"))),
    el("tbody", {}, ...list.map((lever) => el("tr", {}, el("th", { scope: "row" }, lever.column), el("td", {}, lever.before), el("td", {}, lever.after))))));
}

function marked(text, answer) {
  const used = new Set(answer.used);
  const isPart = answer.question.kind === "part";
  return el("p", { class: "text" }, ...text.pieces.map(([piece, which]) =>
    which !== null && used.has(which) ? el("mark", { class: isPart ? "kept" : "removed" }, piece) : piece));
}

function confidence(answer, model) {
  const table = el("table", { class: "scores" }, el("caption", { class: "hidden" }, "Scores of the answer"), el("tbody"));
  showScores(table, model, answer.explanation.scores);
  const { share, answer: probability } = answer.confidence;
  const sure = probability !== null && probability !== undefined ? `p = ${short(probability)}` : share !== null && share !== undefined ? `${Math.round(100 * share)} % of the input's margin` : "not known";
  return el("details", { class: "confidence", open: true }, el("summary", {}, `Confidence: ${sure}; ${answer.queries} queries`), table);
}

function copies(page, answer, model) {
  const stability = answer.stability;
  if (!stability) return [];
  const shown = stability.copies.map((copy) => {
    const canvas = el("canvas", { role: "img", "aria-label": `A disturbed copy: ${className(model, copy.class)}` });
    Picture.numbers(copy.input, page.frame).draw(canvas);
    return el("figure", {}, canvas, el("figcaption", {}, `${className(model, copy.class)}${copy.holds ? "" : " (lost)"}`));
  });
  return [el("p", { class: "small" }, `${stability.held} of ${stability.draws} disturbed copies keep it: ${stability.disturbance}`), el("div", { class: "copies" }, ...shown)];
}

/** A search may begin again elsewhere: the smallest size until then. */
function bestSoFar(points) {
  let least = Infinity;
  return points.map(([queries, size]) => [queries, (least = Math.min(least, size))]);
}

/** Curves of one or two runs: the smallest size so far against queries. */
export function curves(runs) {
  const lines = runs.flatMap(({ name, page }, second) => page.answers.filter((answer) => answer.alternative === 0).map((answer) => ({
    name, kind: answer.question.kind, second: second === 1,
    points: bestSoFar(answer.steps.map((step) => [step.queries, step.nonzeros])),
  }))).filter((line) => line.points.length > 0);
  const most = Math.max(1, ...lines.flatMap((line) => line.points.map(([queries]) => queries)));
  const high = Math.max(1, ...lines.flatMap((line) => line.points.map(([, size]) => size)));
  const spot = ([queries, size]) => `${(50 + (430 * queries) / most).toFixed(1)},${(200 - (180 * size) / high).toFixed(1)}`;
  const words = lines.map((line) => `${line.name} ${line.kind}: ${line.points.at(-1)[1]} at ${line.points.at(-1)[0]} queries`).join("; ");
  return el("figure", {}, svg("svg", { class: "curve", viewBox: "0 0 500 230", role: "img", "aria-label": `Size against queries. ${words}` },
    ...lines.map((line) => svg("path", { class: line.second ? "second" : undefined, d: `M${line.points.map(spot).join("L")}` })),
    svg("text", { x: 50, y: 222 }, "0"), svg("text", { x: 490, y: 222, "text-anchor": "end" }, `${most} queries`), svg("text", { x: 4, y: 24 }, String(high)), svg("text", { x: 4, y: 200 }, "0")),
  el("figcaption", { class: "small soft" }, words));
}

