// Runs of the folder: listed, opened, stopped, continued, compared.

import { curves, Forming, showAnswers } from "./answers.js";
import { byId, commandOf, el, notice } from "./elements.js";
import { watch } from "./search.js";
import { get, post } from "./server.js";

const STATES = { running: "running", done: "done", stopped: "stopped", killed: "interrupted", failed: "failed" };
const chosen = new Set();
let leave = () => {};

export async function showRuns(model) {
  const runs = await get("runs");
  const rows = runs.map((run) => row(run, model));
  byId("runs-list").replaceChildren(runs.length === 0 ? el("p", {}, "There are none yet.") : el("div", { class: "scroll" }, el("table", { class: "list" },
    el("caption", { class: "hidden" }, "Runs"),
    el("thead", {}, el("tr", {}, ...["Compare", "Run", "State", "What was found", "Actions"].map((head) => el("th", { scope: "col" }, head)))),
    el("tbody", {}, ...rows))));
}

function row(run, model) {
  const answers = run.result === null ? [] : Array.isArray(run.result) ? run.result : [run.result];
  const found = run.error ? [run.error] : answers.map((answer) => answer.sentence ?? `objective ${answer.objective}`);
  const act = (path) => async () => {
    try {
      await post(`runs/${run.name}/${path}`);
      if (path === "continue") await openRun(run.name, model);
      setTimeout(() => showRuns(model), 300);
    } catch (error) {
      notice(error.message);
    }
  };
  const button = (words, click) => el("button", { type: "button", "aria-label": `${words} ${run.name}`, on: { click } }, words);
  return el("tr", { "data-run": run.name },
    el("td", {}, el("input", { type: "checkbox", "aria-label": `Compare ${run.name}`, checked: chosen.has(run.name), disabled: run.kind === "minimize" || !run.result, on: { change: (event) => compare(run.name, event.target.checked) } })),
    el("th", { scope: "row" }, run.name),
    el("td", { class: `state-${run.state}` }, STATES[run.state]),
    el("td", {}, ...found.map((text) => el("p", {}, text))),
    el("td", {}, el("div", { class: "row" },
      button("Open", () => openRun(run.name, model)),
      run.state === "running" ? button("Stop", act("stop")) : null,
      ["stopped", "killed"].includes(run.state) ? button("Continue", act("continue")) : null)));
}

async function compare(name, isChosen) {
  if (isChosen) chosen.add(name); else chosen.delete(name);
  const names = [...chosen].slice(-2);
  const place = byId("runs-compared");
  if (names.length < 2) return place.replaceChildren();
  const runs = await Promise.all(names.map(async (one) => ({ name: one, page: await get(`runs/${one}/answers`) })));
  const kinds = [...new Set(runs.flatMap(({ page }) => page.answers.map((answer) => answer.question.kind)))];
  const cell = ({ page }, kind) => page.answers.find((answer) => answer.question.kind === kind)?.sentence ?? "not asked";
  place.replaceChildren(el("h3", {}, "Compared"), el("div", { class: "scroll" }, el("table", { class: "list" },
    el("caption", { class: "hidden" }, "Two runs side by side"),
    el("thead", {}, el("tr", {}, el("td"), ...runs.map((run) => el("th", { scope: "col" }, run.name)))),
    el("tbody", {},
      ...kinds.map((kind) => el("tr", {}, el("th", { scope: "row" }, kind), ...runs.map((run) => el("td", {}, cell(run, kind))))),
      el("tr", {}, el("th", { scope: "row" }, "queries"), ...runs.map(({ page }) => el("td", {}, String(page.answers.reduce((sum, answer) => sum + answer.queries, 0)))))))), curves(runs));
}

/** Shows a run: its answers, or how they form. */
export async function openRun(name, model) {
  leave();
  const place = byId("runs-answers");
  try {
    const { run } = await get(`runs/${name}`);
    if (run.state === "running") {
      const forming = new Forming(place, null, ["part", "change"]);
      leave = watch(name, { late: true, frame: (frame) => forming.frame(frame), over: () => { openRun(name, model); showRuns(model); } });
      return;
    }
    if (run.kind === "minimize" || !run.result) return place.replaceChildren(el("pre", { class: "wide", tabindex: 0 }, run.error ?? JSON.stringify(run.result, null, 2)), commandOf(run) ?? "");
    showAnswers(place, run, await get(`runs/${name}/answers`), model);
  } catch (error) {
    notice(error.message);
  }
}
