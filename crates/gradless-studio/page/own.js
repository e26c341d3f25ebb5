// Your model: a photograph, a row of a table or a text is dropped, and explained.

import { Forming, Picture, showAnswers } from "./answers.js";
import { byId, className, el, notice, showScores } from "./elements.js";
import { begin, watch } from "./search.js";
import { get, post, seen, send, text as textOf } from "./server.js";

// Rows of a table that are shown at once.
const ROWS = 20;

export class Own {
  constructor(state, changed) {
    this.state = state;
    const guarded = (work) => (...given) => Promise.resolve(work(...given)).catch((error) => notice(error.message));
    byId("own-onnx").addEventListener("change", guarded(async (event) => {
      const [file] = event.target.files;
      if (!file) return;
      notice("");
      const told = await send("models", file.name, file);
      Object.assign(this.state, told);
      changed();
    }));
    byId("own-file").addEventListener("change", guarded((event) => event.target.files[0] && this.take(event.target.files[0].name, event.target.files[0])));
    const drop = byId("own-drop");
    for (const [event, isOver] of [["dragover", true], ["dragleave", false], ["drop", false]]) {
      drop.addEventListener(event, (dragged) => { dragged.preventDefault(); drop.classList.toggle("over", isOver); });
    }
    drop.addEventListener("drop", guarded((event) => event.dataTransfer.files[0] && this.take(event.dataTransfer.files[0].name, event.dataTransfer.files[0])));
    byId("own-text-take").addEventListener("click", guarded(() => this.take("text.txt", new Blob([byId("own-text").value]))));
  }

  async take(name, content) {
    notice("");
    this.leave?.();
    byId("own-answers").replaceChildren();
    const { name: kept } = await send("inputs", name, content);
    if (/\.csv$/.test(kept)) await this.table(kept);
    else if (/\.(txt|md)$/.test(kept)) await this.text(kept);
    else await this.picture(kept);
  }

  async picture(name) {
    const shown = await seen(name);
    const picture = Picture.rgb(shown, this.state.model.range);
    const canvas = el("canvas", { class: "forming", role: "img", "aria-label": "The picture as the model sees it" });
    picture.draw(canvas);
    const opinion = this.opinion({ file: name });
    const form = this.form((request) => this.search({ ...request, input: { file: { name } } }, picture));
    byId("own-input").replaceChildren(el("div", { class: "bench" }, canvas, opinion, form));
  }

  async text(name) {
    const text = await textOf(name);
    const kept = new Set();
    const pieces = text.split(/([\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*)/u);
    const words = el("p", { class: "words", role: "group", "aria-label": "Words: click to keep them" }, ...pieces.map((piece, k) => {
      if (k % 2 === 0) return piece;
      return el("button", { type: "button", "aria-pressed": "false", "data-word": piece.toLowerCase(), on: { click: () => {
        const word = piece.toLowerCase();
        if (!kept.delete(word)) kept.add(word);
        for (const same of words.querySelectorAll("button")) same.setAttribute("aria-pressed", String(kept.has(same.dataset.word)));
      } } }, piece);
    }));
    const opinion = this.opinion({ file: name });
    const spelled = () => [...kept].map((word) => pieces.find((piece) => piece.toLowerCase() === word));
    const form = this.form((request) => this.search({ ...request, input: { file: { name } }, keep: { names: spelled() } }, null));
    byId("own-input").replaceChildren(words, el("div", { class: "bench" }, opinion, form));
  }

  async table(name) {
    const [columns, ...rows] = parse(await textOf(name));
    if (!columns || rows.length === 0) throw new Error("The table has no rows.");
    const roles = columns.map(() => "free");
    let chosen = 0;
    let from = 0;
    let cells = [...rows[0]];
    const opinion = el("div");
    const fields = el("div", { class: "columns" });
    const body = el("tbody");
    const used = () => columns.map((_, k) => k).filter((k) => roles[k] !== "dropped");
    const judge = later(() => {
      const kept = used();
      opinion.replaceChildren(this.opinion({ row: { columns: kept.map((k) => columns[k]), cells: kept.map((k) => cells[k]) } }));
    }, 60);
    const field = (k) => {
      const values = [...new Set(rows.map((row) => row[k]))];
      const numbers = values.filter((value) => value.trim() !== "").map(Number);
      const set = (value) => { cells[k] = value; judge(); };
      let control;
      if (numbers.length > 0 && numbers.every(Number.isFinite)) {
        const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
        const step = numbers.every(Number.isInteger) ? 1 : "any";
        const number = el("input", { type: "number", step, value: cells[k], "aria-label": columns[k], on: { input: () => { slide.value = number.value; set(number.value); } } });
        const slide = el("input", { type: "range", min: low, max: high, step, value: cells[k], "aria-label": `${columns[k]}, slider`, on: { input: () => { number.value = slide.value; set(slide.value); } } });
        control = el("span", { class: "range" }, slide, number);
      } else {
        control = el("select", { "aria-label": columns[k], on: { change: () => set(control.value) } }, ...values.slice(0, 200).map((value) => el("option", { value, selected: value === cells[k] }, value || "missing")));
      }
      const role = el("select", { "aria-label": `${columns[k]} in answers`, on: { change: () => { roles[k] = role.value; judge(); } } },
        ...[["free", "may change"], ["locked", "locked"], ["dropped", "no feature"]].map(([value, words]) => el("option", { value, selected: roles[k] === value }, words)));
      return el("div", { "data-column": columns[k] }, el("p", { class: "label" }, columns[k]), control, role);
    };
    const choose = (index) => { chosen = index; cells = [...rows[index]]; show(); fields.replaceChildren(...columns.map((_, k) => field(k))); judge(); };
    const show = () => body.replaceChildren(...rows.slice(from, from + ROWS).map((row, k) => el("tr", { "aria-selected": from + k === chosen },
      el("td", {}, el("button", { type: "button", "aria-label": `Take row ${from + k}`, on: { click: () => choose(from + k) } }, String(from + k))), ...row.map((value) => el("td", {}, value)))));
    const turn = (by) => el("button", { type: "button", on: { click: () => { from = Math.min(Math.max(0, rows.length - 1), Math.max(0, from + by)); show(); } } }, by < 0 ? "Earlier rows" : "Later rows");
    const form = this.form(async (request) => {
      const named = (role) => columns.filter((_, k) => roles[k] === role);
      const isEdited = cells.some((value, k) => value !== rows[chosen][k]);
      let input = { name, row: chosen, drop: named("dropped") };
      if (isEdited) {
        const { name: edited } = await send("inputs", "edited.csv", write([columns, cells]));
        input = { name: edited, row: 0, drop: named("dropped"), data: name };
      }
      return this.search({ ...request, input: { file: input }, keep: { names: named("locked") } }, null);
    });
    byId("own-input").replaceChildren(
      el("div", { class: "scroll sheet-frame", tabindex: 0, role: "region", "aria-label": "The table" }, el("table", { class: "sheet" }, el("caption", { class: "hidden" }, "Rows: take one"),
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "row"), ...columns.map((column) => el("th", { scope: "col" }, column)))), body)),
      el("p", { class: "row" }, rows.length > ROWS ? turn(-ROWS) : null, rows.length > ROWS ? turn(ROWS) : null, el("span", { class: "soft" }, `${rows.length} rows`)),
      fields, el("div", { class: "bench" }, opinion, form));
    choose(0);
  }

  /** What the model says of an input. */
  opinion(asked) {
    const table = el("table", { class: "scores" }, el("caption", { class: "hidden" }, "Scores of the classes"), el("tbody"));
    const verdict = el("strong", { "aria-live": "polite" }, "…");
    post("scores", asked).then(async ({ scores }) => {
      if (this.state.model.count === 0) Object.assign(this.state, await get("state"));
      verdict.textContent = className(this.state.model, showScores(table, this.state.model, scores));
      for (const select of document.querySelectorAll("select.target")) this.targets(select);
    }).catch((error) => { verdict.textContent = error.message; });
    return el("div", { class: "opinion" }, el("p", { class: "label" }, "The model says ", verdict), table);
  }

  targets(select) {
    const { count } = this.state.model;
    if (select.options.length > count) return;
    select.replaceChildren(el("option", { value: "" }, "any other class"), ...Array.from({ length: count }, (_, k) => el("option", { value: className(this.state.model, k) }, className(this.state.model, k))));
  }

  form(submit) {
    const target = el("select", { class: "target" });
    this.targets(target);
    const seed = el("input", { type: "number", min: 0, value: 0 });
    const count = el("input", { type: "number", min: 1, max: 10, value: 1 });
    const go = el("button", { type: "submit", class: "primary" }, "Explain");
    return el("form", { class: "ask", "aria-label": "Search", on: { submit: async (event) => {
      event.preventDefault();
      go.disabled = true;
      notice("");
      try {
        await submit({ target: target.value || null, seed: Number(seed.value), count: Number(count.value) > 1 ? Number(count.value) : null });
      } catch (error) {
        notice(error.message);
      } finally {
        go.disabled = false;
      }
    } } },
    el("label", {}, "The change should lead to ", target), el("label", {}, "Different answers to each question ", count), el("label", {}, "Seed ", seed), el("div", { class: "row" }, go));
  }

  async search(request, picture) {
    const place = byId("own-answers");
    const run = await begin(request);
    const forming = new Forming(place, picture, ["part", "change"]);
    const stop = el("button", { type: "button", on: { click: () => post(`runs/${run.name}/stop`).catch((error) => notice(error.message)) } }, "Stop, keep what was found");
    place.prepend(el("p", { class: "wide row" }, stop));
    await new Promise((resolve) => {
      this.leave = watch(run.name, { frame: (frame) => forming.frame(frame), over: async (ended) => {
        try {
          if (ended.state === "failed") { place.replaceChildren(); notice(ended.error ?? "The search failed."); }
          else showAnswers(place, ended, await get(`runs/${run.name}/answers`), this.state.model);
        } catch (error) {
          notice(error.message);
        }
        resolve();
      } });
    });
  }
}

/** Calls only after so many milliseconds of rest. */
function later(work, rest) {
  let timer;
  return () => { clearTimeout(timer); timer = setTimeout(work, rest); };
}

/** Comma-separated values as rows of cells. */
export function parse(text) {
  const rows = [];
  let row = [];
  let cell = "";
  let isQuoted = false;
  const content = text.replace(/^\uFEFF/, "");
  for (let k = 0; k < content.length; k++) {
    const c = content[k];
    if (isQuoted) {
      if (c === '"' && content[k + 1] === '"') { cell += '"'; k++; }
      else if (c === '"') isQuoted = false;
      else cell += c;
    } else if (c === '"') isQuoted = true;
    else if (c === ",") { row.push(cell); cell = ""; }
    else if (c === "\n" || c === "\r") {
      if (c === "\r" && content[k + 1] === "\n") k++;
      row.push(cell);
      if (row.length > 1 || cell !== "") rows.push(row);
      row = [];
      cell = "";
    } else cell += c;
  }
  if (cell !== "" || row.length > 0) rows.push([...row, cell]);
  return rows;
}

/** Rows of cells as comma-separated values. */
export function write(rows) {
  const cell = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return rows.map((row) => `${row.map(cell).join(",")}\n`).join("");
}
