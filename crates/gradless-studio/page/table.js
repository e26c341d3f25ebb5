// A table: a row is taken, its values are moved by sliders and menus, and columns are locked.

import { el, padlock } from "./elements.js";
import { send } from "./server.js";

// Rows of a table that are shown at once.
const ROWS = 20;

/** What a row is asked with, and the elements that show it. `changed` is called when a value or a role alters. */
export class Table {
  chosen = 0;
  #from = 0;
  #body = el("tbody");

  constructor(name, text, changed) {
    const [columns, ...rows] = parse(text);
    if (!columns || rows.length === 0) throw new Error("The table has no rows.");
    Object.assign(this, { name, columns, rows, changed, roles: columns.map(() => "free"), cells: [...rows[0]] });
    this.fields = el("div", { class: "columns" });
    const turn = (by) => el("button", { type: "button", on: { click: () => { this.#from = Math.min(Math.max(0, Math.floor((rows.length - 1) / ROWS) * ROWS), Math.max(0, this.#from + by)); this.#show(); } } }, by < 0 ? "Earlier rows" : "Later rows");
    this.sheet = el("div", {},
      el("div", { class: "scroll sheet-frame", tabindex: 0, role: "region", "aria-label": "The table" }, el("table", { class: "sheet" }, el("caption", { class: "hidden" }, "Rows: take one"),
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "row"), ...columns.map((column, k) => el("th", { scope: "col", class: this.#isNumber(k) ? "number" : null }, column)))), this.#body)),
      el("p", { class: "row below" }, rows.length > ROWS ? turn(-ROWS) : null, rows.length > ROWS ? turn(ROWS) : null, el("span", { class: "soft small" }, `${rows.length} rows`)));
    this.take(0);
  }

  /** Takes a row. */
  take(index) {
    this.chosen = Math.min(index, this.rows.length - 1);
    this.#from = Math.floor(this.chosen / ROWS) * ROWS;
    this.cells = [...this.rows[this.chosen]];
    this.#show();
    this.fields.replaceChildren(...this.columns.map((_, k) => this.#field(k)));
    this.changed();
  }

  /** The row as scores are asked for it. */
  get row() {
    const used = this.columns.map((_, k) => k).filter((k) => this.roles[k] !== "dropped");
    return { columns: used.map((k) => this.columns[k]), cells: used.map((k) => this.cells[k]) };
  }

  /** What a search is asked with. A row that was altered becomes a table of its own, with this one as the rows like it. */
  async request() {
    const named = (role) => this.columns.filter((_, k) => this.roles[k] === role);
    const isEdited = this.cells.some((value, k) => value !== this.rows[this.chosen][k]);
    let file = { name: this.name, row: this.chosen, drop: named("dropped") };
    if (isEdited) {
      const { name } = await send("inputs", "edited.csv", write([this.columns, this.cells]));
      file = { name, row: 0, drop: named("dropped"), data: this.name };
    }
    return { input: { file }, keep: { names: named("locked") } };
  }

  /** Brings back what a search was asked with. */
  restore({ row, drop = [] }, locked, cells) {
    this.columns.forEach((column, k) => { this.roles[k] = drop.includes(column) ? "dropped" : locked.includes(column) ? "locked" : "free"; });
    this.take(row ?? 0);
    if (cells) {
      this.cells = [...cells];
      this.fields.replaceChildren(...this.columns.map((_, k) => this.#field(k)));
      this.changed();
    }
  }

  #isNumber(k) {
    const values = this.rows.map((row) => row[k] ?? "").filter((value) => value.trim() !== "");
    return values.length > 0 && values.every((value) => Number.isFinite(Number(value)));
  }

  #show() {
    this.#body.replaceChildren(...this.rows.slice(this.#from, this.#from + ROWS).map((row, k) => {
      const index = this.#from + k;
      return el("tr", { class: index === this.chosen ? "chosen" : null },
        el("td", {}, el("button", { type: "button", "aria-label": `Take row ${index}`, "aria-pressed": index === this.chosen, on: { click: () => this.take(index) } }, String(index))),
        ...row.map((value, column) => el("td", { class: this.#isNumber(column) ? "number" : null }, value)));
    }));
  }

  /** A column: a slider or a menu for its value, a lock, and whether it is a feature at all. */
  #field(k) {
    const column = this.columns[k];
    const set = (value) => { this.cells[k] = value; this.changed(); };
    const control = this.#isNumber(k) ? this.#slider(k, set) : this.#menu(k, set);
    const lock = el("button", { type: "button", class: "lock", "aria-label": `Lock ${column}` });
    const drop = el("input", { type: "checkbox", "aria-label": `${column} is a feature` });
    const field = el("div", { "data-column": column }, el("p", { class: "row name" }, el("strong", {}, column), lock), control, el("label", { class: "check small soft" }, drop, "a feature of the model"));
    const show = () => {
      lock.setAttribute("aria-pressed", String(this.roles[k] === "locked"));
      lock.replaceChildren(padlock(this.roles[k] === "locked"), this.roles[k] === "locked" ? "locked" : "may change");
      lock.disabled = this.roles[k] === "dropped";
      drop.checked = this.roles[k] !== "dropped";
      field.dataset.role = this.roles[k];
    };
    lock.addEventListener("click", () => { this.roles[k] = this.roles[k] === "locked" ? "free" : "locked"; show(); });
    drop.addEventListener("change", () => { this.roles[k] = drop.checked ? "free" : "dropped"; show(); this.changed(); });
    show();
    return field;
  }

  #slider(k, set) {
    const numbers = this.rows.map((row) => row[k]).filter((value) => value.trim() !== "").map(Number);
    const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
    const step = numbers.every(Number.isInteger) ? 1 : "any";
    const value = this.cells[k];
    const number = el("input", { type: "number", step, value, "aria-label": this.columns[k], on: { input: () => { slide.value = number.value; set(number.value); } } });
    const slide = el("input", { type: "range", min: low, max: high, step, value, "aria-label": `${this.columns[k]}, slider`, on: { input: () => { number.value = slide.value; set(slide.value); } } });
    return el("span", { class: "range" }, slide, number);
  }

  #menu(k, set) {
    const values = [...new Set([this.cells[k], ...this.rows.map((row) => row[k])])];
    const menu = el("select", { "aria-label": this.columns[k], on: { change: () => set(menu.value) } },
      ...values.slice(0, 200).map((value) => el("option", { value, selected: value === this.cells[k] }, value || "missing")));
    return menu;
  }
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
function write(rows) {
  const cell = (text) => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return rows.map((row) => `${row.map(cell).join(",")}\n`).join("");
}
