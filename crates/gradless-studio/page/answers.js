// Answers that are there.

import { bar, className, commandOf, el, scrolling, short, showScores, whole } from "./elements.js";
import { TITLES } from "./forming.js";
import { figure, legend, Picture } from "./pictures.js";

/** Shows the answers of a run: `page` is the data of its own report. `chosen` is called with a pixel that is clicked. */
export function showAnswers(place, run, page, model, chosen = null) {
  const classes = { ...model, classes: page.classes };
  const firsts = page.answers.filter((answer) => answer.alternative === 0);
  const sections = firsts.map((first) => question(page, page.answers.filter((other) => other.mode === first.mode), classes, chosen));
  if (sections.length === 0) sections.push(el("p", { class: "empty wide" }, "Nothing was found before it was stopped."));
  place.replaceChildren(...sections, el("p", { class: "row wide" }, report(run),
    el("span", { class: "soft small" }, `run ${run.name}, seed ${page.seed}, ${page.seconds.toFixed(1)} s`)), el("div", { class: "wide" }, commandOf(run)));
}

/** A link to the page of a run. */
export const report = (run) =>
  run.report ? el("a", { href: `api/runs/${run.name}/files/${run.report}`, target: "_blank", rel: "noreferrer" }, run.is_many ? "The pages of all inputs" : "The whole report") : null;

/** An answer to a question, or several side by side. */
function question(page, answers, model, chosen) {
  const [first] = answers;
  const kind = first.question.kind;
  const isSeveral = answers.length > 1;
  const section = el("section", { class: isSeveral ? "answer wide" : "answer", "data-question": kind, "data-valid": first.valid, "aria-label": TITLES[kind] ?? kind }, el("h3", {}, TITLES[kind] ?? kind));
  if (page.subject.table && isSeveral) {
    section.append(...answers.map((answer, k) => sentence(answer, `Answer ${k + 1}: `)), levers(page, answers) ?? "", el("div", { class: "alternatives" }, ...answers.map((answer, k) => el("div", {}, confidence(answer, model, `Answer ${k + 1}`)))));
  } else if (isSeveral) {
    section.append(el("div", { class: "alternatives" }, ...answers.map((answer, k) =>
      el("section", { class: "alternative", "aria-label": `Answer ${k + 1}` }, el("h4", {}, `Answer ${k + 1}`), ...parts(page, answer, model, chosen)))));
  } else section.append(...parts(page, first, model, chosen));
  return section;
}

function parts(page, answer, model, chosen) {
  const found = [sentence(answer)];
  if (answer.hint) found.push(el("p", { class: "soft small" }, answer.hint));
  if (page.subject === "picture") found.push(...pictures(page, answer, chosen));
  else if (page.subject.table) found.push(levers(page, [answer]));
  else if (page.subject.text) found.push(marked(page.subject.text, answer));
  found.push(confidence(answer, model));
  if (page.subject === "picture") found.push(...copies(page, answer, model));
  return found.filter(Boolean);
}

const sentence = (answer, before = "") => el("p", { class: "sentence" }, before ? el("span", { class: "soft" }, before) : null, answer.sentence);

function pictures(page, answer, chosen) {
  const input = Picture.numbers(page.input, page.frame);
  const isPart = answer.question.kind !== "change" && answer.question.kind !== "attack";
  const [canvas, marks] = figure(isPart ? "what is enough" : "what changes", { class: "forming", "data-question": answer.question.kind });
  const [after, shown] = figure("what the model is shown", { class: "after" });
  Picture.numbers(answer.after, page.frame).draw(after);
  const pair = el("div", { class: "pair" }, marks, shown);
  const located = answer.located;
  if (located?.regions?.length) {
    const regions = located.regions.map((region) => region ?? -1);
    const show = () => input.drawRegions(canvas, regions, answer.used, isPart);
    show();
    if (!located.heat) return [pair];
    const slide = el("input", { type: "range", min: 0, max: 100, value: 0, on: { input: () => {
      const strength = Number(slide.value) / 100;
      if (strength === 0) show();
      else input.drawHeat(canvas, regions, located.heat.importance, strength);
    } } });
    return [pair, el("label", { class: "heat small" }, "Heat map", slide), legend(["for", "speaks for the class"], ["against", "speaks against it"])];
  }
  const plane = input.columns * input.rows;
  const places = [...answer.change.keys().filter((place) => answer.change[place] !== 0)];
  const levels = input.levels(places, places.map((place) => answer.after[place]));
  if (isPart) input.drawPart(canvas, levels);
  else input.drawChange(canvas, levels);
  if (chosen) {
    canvas.classList.add("clickable");
    canvas.addEventListener("click", (event) => chosen(...pixelAt(canvas, event)));
  }
  return [pair, isPart ? legend(["kept", `${new Set(places.map((place) => place % plane)).size} pixels are enough`]) : legend(["added", "added"], ["removed", "removed"])];
}

function pixelAt(canvas, event) {
  const box = canvas.getBoundingClientRect();
  return [Math.floor(((event.clientX - box.left) / box.width) * canvas.width), Math.floor(((event.clientY - box.top) / box.height) * canvas.height)];
}

/** The columns that answers are made of: what they are now, and what in each answer. */
function levers(page, answers) {
  const isPart = answers[0].question.kind === "part";
  const lists = answers.map((answer) => new Map((page.subject.table.answers[page.answers.indexOf(answer)] ?? []).map((lever) => [lever.column, lever])));
  const columns = [...new Set(lists.flatMap((list) => [...list.keys()]))];
  if (columns.length === 0) return null;
  const before = (column) => lists.find((list) => list.has(column)).get(column).before;
  const heads = answers.length > 1 ? answers.map((_, k) => `answer ${k + 1}`) : [isPart ? "kept" : "then"];
  return scrolling("What is changed", el("table", { class: "sheet levers" },
    el("caption", { class: "hidden" }, answers.length > 1 ? "What each answer is made of" : "What the answer is made of"),
    el("thead", {}, el("tr", {}, ...["column", isPart ? "typical" : "now", ...heads].map((head) => el("th", { scope: "col" }, head)))),
    el("tbody", {}, ...columns.map((column) => el("tr", {}, el("th", { scope: "row" }, column), el("td", {}, before(column)),
      ...lists.map((list) => list.has(column) ? el("td", { class: "moved" }, list.get(column).after) : el("td", { class: "soft" }, isPart ? "typical" : "as it is")))))));
}

function marked(text, answer) {
  const used = new Set(answer.used);
  const isPart = answer.question.kind === "part";
  return el("p", { class: "text" }, ...text.pieces.map(([piece, which]) =>
    which !== null && used.has(which) ? el("mark", { class: isPart ? "kept" : "removed" }, piece) : piece));
}

function confidence(answer, model, before = null) {
  const table = el("table", { class: "scores" }, el("caption", { class: "hidden" }, "Scores of the answer"), el("tbody"));
  showScores(table, model, answer.explanation.scores);
  const { share, answer: probability } = answer.confidence;
  const [words, size] = probability !== null && probability !== undefined ? [`p = ${short(probability)}`, probability] : share !== null && share !== undefined ? [`${String(Math.round(100 * share)).replace("-", "−")} % of the input's margin`, share] : ["not known", 0];
  return el("div", { class: "sure" },
    el("p", { class: "small" }, before ? `${before}: confidence ` : "Confidence ", el("strong", {}, words), `; ${whole(answer.queries)} queries`), bar(100 * size),
    el("details", { class: "small" }, el("summary", {}, "All scores"), table));
}

function copies(page, answer, model) {
  const stability = answer.stability;
  if (!stability) return [];
  const shown = stability.copies.map((copy) => {
    const canvas = el("canvas", { role: "img", "aria-label": `A disturbed copy: ${className(model, copy.class)}` });
    Picture.numbers(copy.input, page.frame).draw(canvas);
    return el("figure", { class: copy.holds ? null : "lost" }, canvas, el("figcaption", {}, `${className(model, copy.class)}${copy.holds ? "" : " (lost)"}`));
  });
  return [el("p", { class: "small" }, `${stability.held} of ${stability.draws} disturbed copies keep it: ${stability.disturbance}`), el("div", { class: "copies" }, ...shown)];
}
