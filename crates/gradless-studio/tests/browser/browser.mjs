// A studio in a folder of its own, and pages of it in Chromium.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { chromium } from "playwright-core";

const TOKEN = "a-token-for-the-browser-test";
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const SIZES = { phone: { width: 380, height: 800 }, wide: { width: 1280, height: 900 } };

/** Starts a studio; gives its address, its process, and how to end it. */
export async function startStudio(program, work, words = [], port = 0) {
  const process_ = spawn(program, ["studio", "--no-open", "--format", "json", "--folder", "runs", "--port", String(port), ...words], {
    cwd: work, env: { ...process.env, GRADLESS_STUDIO_TOKEN: TOKEN }, stdio: ["ignore", "pipe", "pipe"],
  });
  let told = "";
  let said = "";
  process_.stderr.on("data", (data) => { said += data; });
  const url = await new Promise((resolve, reject) => {
    process_.stdout.on("data", (data) => { told += data; if (told.includes("}")) resolve(JSON.parse(told).url); });
    process_.on("exit", () => reject(new Error(`the studio ended: ${said}`)));
  });
  const end = (signal) => new Promise((resolve) => { process_.removeAllListeners("exit"); process_.on("exit", resolve); process_.kill(signal); });
  return { url, port: Number(new URL(url).port), end };
}

export async function startBrowser(executablePath) {
  const args = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
  return chromium.launch({ executablePath, args, timeout: 120_000 });
}

/** A page of the studio that takes note of everything it complains about. */
export async function open(browser, url, faults, { width = 1280, height = 900, colorScheme = "light", hasTouch = false } = {}) {
  // The page may not run scripts of others; the accessibility engine is one.
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, hasTouch, bypassCSP: false });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  page.on("console", (message) => { if (["error", "warning"].includes(message.type()) && !/Failed to load resource|ERR_/.test(message.text())) faults.push(`console: ${message.text()}`); });
  page.on("pageerror", (error) => faults.push(`page error: ${error}`));
  const { origin } = new URL(url);
  page.on("request", (request) => { if (!request.url().startsWith(origin) && !/^(data|blob):/.test(request.url())) faults.push(`request: ${request.url()}`); });
  await page.goto(url);
  await page.waitForSelector("[aria-current=page]");
  return page;
}

/** Draws strokes with the mouse, in pixels of the drawing. */
export async function draw(page, strokes) {
  const box = await page.locator("#canvas").boundingBox();
  const at = ([x, y]) => [box.x + (x * box.width) / 28, box.y + (y * box.height) / 28];
  for (const [first, ...rest] of strokes) {
    await page.mouse.move(...at(first));
    await page.mouse.down();
    for (const point of rest) await page.mouse.move(...at(point), { steps: 5 });
    await page.mouse.up();
  }
}

export const SEVEN = [[[7, 7], [20, 7], [13, 22]]];

/** Waits until the search of the drawing is over. */
export async function settled(page, place = "#draw-answers") {
  await page.waitForFunction((where) => { const { state } = document.querySelector(where).dataset; return state && state !== "running"; }, place);
}

/** Presses Tab until an element has the focus; says whether it came to that. */
export async function tabTo(page, selector, most = 60) {
  for (let k = 0; k < most; k++) {
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) return true;
    await page.keyboard.press("Tab");
  }
  return false;
}

/** What the tests share: programs and folders, what was found wrong, and how to look. */
export class Bench {
  faults = [];
  looks = 0;
  studio = null;

  constructor(words) {
    Object.assign(this, words);
  }

  expect(condition, words) {
    this.looks += 1;
    if (!condition) this.faults.push(words);
  }

  open(options = {}, view = "") {
    return open(this.browser, `${this.studio.url}${view}`, this.faults, options);
  }

  shot(page, name) {
    return page.screenshot({ path: path.join(this.screenshots, `${name}.png`), fullPage: true });
  }

  sentences(page, place) {
    return page.locator(`${place} .sentence`).allTextContents();
  }

  /** Serious findings of the accessibility engine, and what scrolls sideways. */
  async judge(page, where) {
    this.looks += 1;
    const result = await page.evaluate(`(() => { ${AXE}; return axe.run(document, { resultTypes: ["violations"] }); })()`);
    for (const found of result.violations.filter(({ impact }) => ["serious", "critical"].includes(impact))) {
      this.faults.push(`${where}: ${found.impact}: ${found.id}: ${found.help}: ${found.nodes.slice(0, 3).map((node) => node.html.slice(0, 120)).join(" | ")}`);
    }
    const wide = await page.evaluate(() => {
      const root = document.documentElement;
      return root.scrollWidth > root.clientWidth ? [...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > root.clientWidth + 1).slice(0, 3).map((e) => e.outerHTML.slice(0, 100)) : [];
    });
    if (wide.length > 0) this.faults.push(`${where}: scrolls sideways: ${wide.join(" | ")}`);
  }

  /** Looks at a view on a phone and a wide screen, light and dark. */
  async everyLook(page, name) {
    const before = page.viewportSize();
    for (const [size, viewport] of Object.entries(SIZES)) {
      await page.setViewportSize(viewport);
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        await this.judge(page, `${name}, ${size}, ${colorScheme}`);
        await this.shot(page, `${name}-${size}-${colorScheme}`);
      }
    }
    await page.emulateMedia({ colorScheme: "light" });
    await page.setViewportSize(before);
  }
}
