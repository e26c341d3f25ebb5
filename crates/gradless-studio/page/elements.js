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
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

export const byId = (id) => document.getElementById(id);

/** The name of a class, or its number. */
export const className = (model, index) => model.classes[index]?.trim() || String(index);

/** A number with few digits. */
export function short(number) {
  if (!Number.isFinite(number)) return "–";
  const size = Math.abs(number);
  if (size !== 0 && (size < 0.001 || size >= 100000)) return number.toExponential(2);
  return String(Number(number.toPrecision(4)));
}

/** Says something above the views, or nothing any more. */
export function notice(text) {
  const place = byId("notice");
  place.textContent = text ?? "";
  place.hidden = !text;
}

/** Bars of scores, the highest first where there are many. */
export function showScores(table, model, scores) {
  const body = table.tBodies[0] ?? table.appendChild(el("tbody"));
  const best = scores.indexOf(Math.max(...scores));
  const order = [...scores.keys()];
  if (scores.length > 12) order.sort((a, b) => scores[b] - scores[a]);
  // Bars begin at the lowest score: what counts is by how much one leads.
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  const share = (value) => 1 + (99 * (value - low)) / (high - low || 1);
  body.replaceChildren(...order.slice(0, 12).map((index) => el("tr", { class: index === best ? "best" : undefined },
    el("th", { scope: "row" }, className(model, index)),
    el("td", {}, bar(share(scores[index]))),
    el("td", {}, scores[index].toFixed(3)))));
  return best;
}

function bar(width) {
  return svg("svg", { class: "track", viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "bar", x: 0, y: 0, width, height: 8 }));
}

/** A button that shows the command and the Python lines of a run, and copies them. */
export function commandOf(run) {
  if (!run.command) return null;
  const copy = (text) => el("button", { type: "button", on: { click: (event) => {
    navigator.clipboard?.writeText(text).then(() => { event.target.textContent = "Copied"; }, () => notice("The browser does not allow copying: select the text."));
  } } }, "Copy");
  return el("details", { class: "command" },
    el("summary", {}, "Show me the command"),
    el("p", { class: "small soft" }, "The same numbers, from the folder in which the studio was started:"),
    el("pre", { class: "shell", tabindex: 0 }, run.command), copy(run.command),
    run.python ? el("p", { class: "small soft" }, "From Python:") : null,
    run.python ? el("pre", { class: "python", tabindex: 0 }, run.python) : null,
    run.python ? copy(run.python) : null);
}
