// Runs of the folder: listed, watched, stopped, continued, compared.

import { report, showAnswers } from "./answers.js";
import { byId, commandOf, el, notice, scrolling, short, whole } from "./elements.js";
import { Forming } from "./forming.js";
import { Minimum, stepsOf } from "./minimum.js";
import { Picture } from "./pictures.js";
import { bestSoFar, Plot } from "./plot.js";
import { watch } from "./search.js";
import { get, post, seen } from "./server.js";

const STATES = { running: "running", done: "done", stopped: "stopped", killed: "interrupted", failed: "failed" };
// The list is read again so often, in milliseconds, while it is looked at.
const DISTANCE = 2000;

export class Runs {
  #chosen = new Set();
  #told = new Map();
  #leave = () => {};
  #clock = null;

  constructor(state) {
    this.state = state;
    byId("compare").addEventListener("click", () => this.#go([...this.#chosen].join("+")));
    byId("runs-back").addEventListener("click", () => this.#go(""));
  }

  #go(names) {
    location.hash = names ? `runs/${names}` : "runs";
  }

  /** Shows the list, or what the address names: one run, or two to compare. */
  async show(names) {
    this.hide();
    const [one, other] = names.filter(Boolean);
    byId("runs-all").hidden = Boolean(one);
    byId("runs-one").hidden = !one;
    byId("runs-detail").replaceChildren();
    if (one) {
      try {
        return await (other ? this.#compare([one, other]) : this.#open(one));
      } catch (error) {
        this.#head(names.join(" and "));
        return byId("runs-detail").replaceChildren(el("p", { class: "empty wide" }, error.message));
      }
    }
    this.#told.clear();
    byId("runs-list").replaceChildren();
    await this.#list();
    this.#clock = setInterval(() => this.#list().catch(() => {}), DISTANCE);
  }

  hide() {
    clearInterval(this.#clock);
    this.#leave();
    this.#leave = () => {};
  }

  /** Brings the list up to date; rows that say the same stay as they are, with whatever is focused in them. */
  async #list() {
    const runs = await get("runs");
    const place = byId("runs-list");
    byId("runs-empty").hidden = runs.length > 0;
    byId("runs-bar").hidden = runs.length < 2;
    if (runs.length === 0) return place.replaceChildren();
    let body = place.querySelector("tbody");
    if (!body) {
      body = el("tbody");
      place.replaceChildren(el("table", { class: "list" }, el("caption", { class: "hidden" }, "Runs"),
        el("thead", {}, el("tr", {}, ...["Compare", "Run", "State", "What was found", "Actions"].map((head) => el("th", { scope: "col" }, head)))), body));
    }
    const known = new Map([...body.rows].map((row) => [row.dataset.run, row]));
    const rows = runs.map((run) => {
      const told = JSON.stringify([run, ago(run.begun)]);
      const old = known.get(run.name);
      if (old && this.#told.get(run.name) === told) return old;
      this.#told.set(run.name, told);
      return this.#row(run);
    });
    if (rows.some((row, k) => body.rows[k] !== row) || body.rows.length !== rows.length) {
      const focused = document.activeElement?.closest("tr[data-run]") && document.activeElement.getAttribute("aria-label");
      body.replaceChildren(...rows);
      if (focused) body.querySelector(`[aria-label="${CSS.escape(focused)}"]`)?.focus();
    }
    this.#tellChosen();
  }

  #row(run) {
    const act = (path) => async () => {
      try {
        await post(`runs/${run.name}/${path}`);
        if (path === "continue") this.#go(run.name);
        else await this.#list();
      } catch (error) {
        notice(error.message);
      }
    };
    const button = (words, click, look = null) => el("button", { type: "button", class: look, "aria-label": `${words} ${run.name}`, on: { click } }, words);
    const box = el("input", { type: "checkbox", "aria-label": `Compare ${run.name}`, checked: this.#chosen.has(run.name), disabled: run.is_many || !run.result, on: { change: () => {
      if (box.checked) this.#chosen.add(run.name); else this.#chosen.delete(run.name);
      this.#tellChosen();
    } } });
    return el("tr", { "data-run": run.name },
      el("td", { class: "box" }, box),
      el("th", { scope: "row" }, el("a", { href: `#runs/${run.name}` }, run.name), el("p", { class: "soft small" }, `${run.kind}, ${ago(run.begun)}`)),
      el("td", {}, el("span", { class: `state state-${run.state}` }, STATES[run.state])),
      el("td", { class: "found" }, el("div", {}, ...run.pictures.map((file) => el("img", { src: `api/runs/${run.name}/files/${file}`, alt: "", loading: "lazy" })), el("div", {}, ...found(run).map((text) => el("p", {}, text))))),
      el("td", {}, el("div", { class: "row" },
        button("Open", () => this.#go(run.name)),
        run.state === "running" ? button("Stop", act("stop")) : null,
        ["stopped", "killed"].includes(run.state) ? button("Continue", act("continue")) : null)));
  }

  #tellChosen() {
    const count = this.#chosen.size;
    byId("compare").disabled = count !== 2;
    byId("compare-words").textContent = count === 2 ? `${[...this.#chosen].join(" and ")} are chosen` : count < 2 ? "Choose two runs to compare them" : "Choose no more than two";
  }

  #head(title, ...more) {
    byId("runs-title-one").textContent = title;
    byId("runs-actions").replaceChildren(...more.filter(Boolean));
  }

  /** Shows a run: what it found, or how it goes. */
  async #open(name) {
    const place = byId("runs-detail");
    const { run, call } = await get(`runs/${encodeURIComponent(name)}`);
    const act = (words, path) => el("button", { type: "button", on: { click: async () => {
      try {
        await post(`runs/${name}/${path}`);
        if (path === "continue") await this.show([name]);
      } catch (error) {
        notice(error.message);
      }
    } } }, words);
    const state = el("span", { class: `state state-${run.state}` }, STATES[run.state]);
    this.#head(name, state, run.state === "running" ? act("Stop, keep what was found", "stop") : null, ["stopped", "killed"].includes(run.state) ? act("Continue", "continue") : null);
    place.dataset.state = run.state;
    if (run.kind === "minimize" && (run.result || run.state === "running")) {
      const minimum = new Minimum(place, run);
      if (run.state !== "running") return minimum.end(run);
      minimum.begin(await stepsOf(name).catch(() => []));
      this.#watch(name, (frame) => minimum.frame(frame));
    } else if (run.state === "running") {
      const unit = run.is_many ? "inputs" : { table: "columns", text: "words" }[kindOf(call)] ?? "features";
      const forming = new Forming(place, { picture: await pictureOf(call, this.state.model), questions: run.is_many ? [] : asked(call), unit, isPlotted: !run.is_many, below: commandOf(run) });
      this.#watch(name, (frame) => forming.frame(frame));
    } else if (run.is_many || !run.result) {
      place.replaceChildren(el("div", { class: "wide" }, ...found(run).map((text) => el("p", { class: "sentence" }, text)), el("p", { class: "row" }, report(run)), commandOf(run) ?? ""));
    } else showAnswers(place, run, await get(`runs/${name}/answers`), this.state.model);
  }

  #watch(name, frame) {
    this.#leave = watch(name, { frame, isWhole: true, over: () => this.show([name]).catch((error) => notice(error.message)) });
  }

  async #compare(names) {
    const runs = await Promise.all(names.map(async (name) => (await get(`runs/${encodeURIComponent(name)}`)).run));
    this.#head(`${names.join(" and ")} compared`);
    const kinds = runs.map((run) => run.kind === "minimize");
    const place = byId("runs-detail");
    if (kinds[0] !== kinds[1]) return place.replaceChildren(el("p", { class: "empty wide" }, "One of these minimised, the other explained: there is nothing to compare. Choose two of a kind."));
    const plot = new Plot(kinds[0] ? "objective" : "size of the answer");
    const [lines, rows] = kinds[0] ? await minimisations(runs) : await explanations(runs);
    place.replaceChildren(el("div", { class: "wide minimum" }, plot.element, scrolling("Two runs side by side", el("table", { class: "sheet compared" },
      el("caption", { class: "hidden" }, "Two runs side by side"),
      el("thead", {}, el("tr", {}, el("td"), ...runs.map((run) => el("th", { scope: "col" }, el("a", { href: `#runs/${run.name}` }, run.name))))),
      el("tbody", {}, ...rows.map(([head, ...cells]) => el("tr", {}, el("th", { scope: "row" }, head), ...cells.map((cell) => el("td", {}, cell))))))),
    ...runs.map((run) => el("p", { class: "small soft" }, el("code", {}, run.command ?? "")))));
    plot.set(lines);
  }
}

/** The curves and the facts of two minimisations. */
async function minimisations(runs) {
  const steps = await Promise.all(runs.map(({ name }) => stepsOf(name)));
  const lines = steps.map((points, k) => ({ name: runs[k].name, look: ["one", "two"][k], points: bestSoFar(points), isStep: true }));
  const facts = [["objective", (it) => short(it.objective)], ["at the start", (it) => short(it.objective_start)], ["method", (it) => it.method], ["queries", (it) => whole(it.queries)], ["seed", (it) => String(it.seed)], ["ended", (it) => it.stop_reason]];
  return [lines, facts.map(([name, of]) => [name, ...runs.map((run) => of(run.result))])];
}

/** The curves and the sentences of two explanations: the size that is held, against queries. */
async function explanations(runs) {
  const pages = await Promise.all(runs.map(({ name }) => get(`runs/${name}/answers`)));
  const kinds = [...new Set(pages.flatMap((page) => page.answers.map((answer) => answer.question.kind)))];
  const of = (page, kind) => page.answers.find((answer) => answer.question.kind === kind);
  const lines = kinds.flatMap((kind, which) => pages.map((page, k) => {
    const points = (of(page, kind)?.steps ?? []).map((step) => [step.queries, kind === "attack" ? step.best ?? step.nonzeros : step.nonzeros]);
    return { name: `${kind} of ${runs[k].name}`, look: `${["one", "two"][k]}${which > 0 ? " dashed" : ""}`, points: bestSoFar(points), isStep: true };
  }));
  const queries = pages.map((page) => whole(page.answers.reduce((sum, answer) => sum + answer.queries, 0)));
  return [lines, [...kinds.map((kind) => [kind, ...pages.map((page) => of(page, kind)?.sentence ?? "not asked")]), ["queries", ...queries], ["seed", ...pages.map((page) => String(page.seed))]]];
}

/** What a run has found, a sentence each. */
function found(run) {
  if (run.error) return [run.error];
  if (!run.result) return [run.state === "running" ? "Nothing is written yet: open it to watch." : "It ended before it wrote a result."];
  if (run.is_many) return [`${run.result.inputs} inputs, ${run.result.failed} failed`, ...(run.result.modes ?? []).map((mode) => `${mode.mode}: ${mode.valid} of ${mode.searched} found`)];
  if (run.kind === "minimize" && run.result.objective === null) return [`Nothing was found: ${run.result.stop_reason}`];
  if (run.kind === "minimize") return [`objective ${short(run.result.objective)} after ${whole(run.result.queries)} queries, from ${short(run.result.objective_start)}`];
  const answers = Array.isArray(run.result) ? run.result : [run.result];
  return answers.map((answer) => answer.sentence);
}

function kindOf(call) {
  const name = call?.request.input.file?.name ?? "";
  return /\.csv$/.test(name) ? "table" : /\.(txt|md)$/.test(name) ? "text" : "picture";
}

const asked = (call) => ({ part: ["part"], change: ["change"] })[call?.request.question] ?? (call ? ["part", "change"] : []);

/** What a run that was begun here is about, if it is a picture. */
async function pictureOf(call, model) {
  const input = call?.request.input;
  if (input?.drawing) return Picture.grey(input.drawing);
  if (!input || kindOf(call) !== "picture") return null;
  return seen(input.file.name).then((shown) => Picture.rgb(shown, model.range), () => null);
}

/** How long ago, in the largest unit that fits. */
function ago(begun) {
  const seconds = Math.max(0, Date.now() / 1000 - begun);
  for (const [unit, size] of [["day", 86400], ["hour", 3600], ["minute", 60]]) {
    if (seconds >= size) return `${Math.floor(seconds / size)} ${unit}${seconds >= 2 * size ? "s" : ""} ago`;
  }
  return "just now";
}
