// Elements of the page. Text is always text: nothing from outside becomes markup.

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes (`on` holds listeners) and children, texts or elements. */
export function el(tag, attributes = {}, ...children) {
  return dress(document.createElement(tag), attributes, children);
}

/** The same for SVG. */
export function svg(tag, attributes = {}, ...children) {
  return dress(document.createElementNS(SVG, tag), attributes, children);
}

function dress(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || (value === false && !name.startsWith("aria-"))) continue;
    if (name === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else element.setAttribute(name, value === true && !name.startsWith("aria-") ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

export const byId = (id) => document.getElementById(id);

/** A closed or an open padlock. */
export const padlock = (isClosed) => svg("svg", { class: "icon", viewBox: "0 0 16 16", "aria-hidden": "true" },
  svg("rect", { x: 3, y: 7, width: 10, height: 7, rx: 1.5 }),
  svg("path", { d: isClosed ? "M5 7V5a3 3 0 0 1 6 0v2" : "M5 7V4.5a3 3 0 0 1 5.8-1" }));

/** The name of a class, or its number. */
export const className = (model, index) => model.classes[index]?.trim() || String(index);

/** What may be wider than its place: it scrolls, by keyboard too. */
export const scrolling = (words, child) => el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": words }, child);

/** Brings what forms into view, if it is not. */
export const bringIntoView = (place) =>
  place.scrollIntoView({ block: "nearest", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });

/** What a model is called: of a file its name, without the folders. */
export const modelName = (model) => (/^https?:/.test(model.name) ? model.name : model.name.split("/").at(-1));

/** A number with few digits. */
export function short(number) {
  if (number === null || number === undefined || !Number.isFinite(number)) return "–";
  const size = Math.abs(number);
  if (size !== 0 && (size < 0.001 || size >= 1e6)) return number.toExponential(2).replace("-", "−");
  return String(Number(number.toPrecision(4))).replace("-", "−");
}

/** A whole number as people write it. */
export const whole = (number) => Number(number).toLocaleString("en");

/** Says something above the views, or nothing any more. */
export function notice(text) {
  byId("notice-text").textContent = text ?? "";
  byId("notice").hidden = !text;
  if (text) byId("notice").scrollIntoView({ block: "nearest" });
}

/** Bars of scores, the highest first where there are many. */
export function showScores(table, model, scores) {
  const body = table.tBodies[0] ?? table.appendChild(el("tbody"));
  const best = bestOf(scores);
  const order = [...scores.keys()];
  if (scores.length > 12) order.sort((a, b) => scores[b] - scores[a]);
  // Bars begin at the lowest score: what counts is by how much one leads.
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  const share = (value) => 1 + (99 * (value - low)) / (high - low || 1);
  body.replaceChildren(...order.slice(0, 12).map((index) => el("tr", { class: index === best ? "best" : undefined },
    el("th", { scope: "row" }, className(model, index)),
    el("td", {}, bar(share(scores[index]))),
    el("td", {}, scores[index].toFixed(3).replace("-", "−")))));
  return best;
}

export const bestOf = (scores) => scores.indexOf(Math.max(...scores));

/** A bar from 0 to 100. */
export function bar(width) {
  return svg("svg", { class: "track", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "ground", x: 0, y: 0, width: 100, height: 8 }),
    svg("rect", { class: "bar", x: 0, y: 0, width: Math.min(100, Math.max(0, width)), height: 8 }));
}

/** A button that copies a text. */
function copyButton(text, what) {
  return el("button", { type: "button", class: "copy", "aria-label": `Copy ${what}`, on: { click: async (event) => {
    try {
      await navigator.clipboard.writeText(text);
      event.target.textContent = "Copied";
      setTimeout(() => { event.target.textContent = "Copy"; }, 2000);
    } catch {
      notice("The browser does not allow copying: select the text.");
    }
  } } }, "Copy");
}

/** The command and the Python lines of a run, and buttons that copy them. */
export function commandOf(run) {
  if (!run.command) return null;
  const block = (kind, words, text) => el("div", { class: "code" },
    el("p", { class: "small soft" }, words), copyButton(text, words), el("pre", { class: kind, tabindex: 0 }, text));
  return el("details", { class: "command" },
    el("summary", {}, "Show me the command"),
    block("shell", "the command line", run.command),
    run.python ? block("python", "the Python lines", run.python) : null,
    el("p", { class: "small soft" }, "Both give the same numbers, from the folder in which the command was typed or the studio started."));
}
