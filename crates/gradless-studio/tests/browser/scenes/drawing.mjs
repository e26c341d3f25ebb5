// A digit is drawn, explained, protected, stopped, and found again after everything that can happen.

import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { draw, settled, SEVEN, startStudio, tabTo } from "../browser.mjs";

const forming = (page) => page.waitForFunction(() => /\d+ pixels held/.test(document.querySelector("#draw-answers").textContent));
const says = (page, digit) => page.waitForFunction((wanted) => document.querySelector("#verdict").textContent === wanted, digit);

async function setQueries(page, queries) {
  await page.evaluate(() => { document.querySelector("#ask .more").open = true; });
  await page.fill("#queries", String(queries));
}

/** The sentences of a command, run where the studio runs. */
function byCommand(it, shown) {
  const words = shown.split(" ").slice(1).map((word) => (word.startsWith("--out=") ? "--out=again" : word)).concat("--force", "--format=json");
  let out;
  try {
    out = execFileSync(it.program, words, { cwd: it.work, stdio: ["ignore", "pipe", "ignore"] });
  } catch (error) {
    out = error.stdout;
  }
  return JSON.parse(out).map((answer) => answer.sentence);
}

async function drawAndExplain(it) {
  const page = await it.open();
  await it.everyLook(page, "empty");
  await page.click("#explain");
  it.expect(await page.locator("#notice").isVisible(), "an empty drawing is refused");
  await draw(page, SEVEN);
  await says(page, "7");
  it.expect((await page.locator("#scores tbody tr").count()) === 10, "ten scores");
  // A pixel is protected, and a class chosen.
  await page.click("#protect");
  await draw(page, [[[10.5, 7.5]]]);
  await page.selectOption("#target", "9");
  await setQueries(page, 2500);
  await page.click("#explain");
  await forming(page);
  // Confidence and disturbed copies stand beside what forms.
  await page.waitForFunction(() => document.querySelectorAll("#draw-answers .is-forming .copies canvas").length >= 8);
  it.expect(/\d of 8 disturbed copies keep it/.test(await page.locator("#draw-answers .sure").first().textContent()), "confidence while it forms");
  await it.shot(page, "forming-wide-light");
  await settled(page);
  const told = await it.sentences(page, "#draw-answers");
  it.expect(told.length === 2 && told[1].includes("makes it class 9"), `both answers are told: ${told}`);
  it.expect((await page.locator("#draw-answers .copies canvas").count()) >= 8, "disturbed copies are shown");
  await page.click("#draw-answers .command summary");
  const shown = await page.locator("#draw-answers pre.shell").textContent();
  it.expect(shown.includes("--target=9") && shown.includes("--freeze="), shown);
  it.expect(JSON.stringify(byCommand(it, shown)) === JSON.stringify(told), `the command says the same: ${byCommand(it, shown)} and ${told}`);
  for (const [what, kind] of [["the command line", "shell"], ["the Python lines", "python"]]) {
    await page.click(`#draw-answers button[aria-label="Copy ${what}"]`);
    const copied = await page.evaluate(() => navigator.clipboard.readText());
    it.expect(copied === (await page.locator(`#draw-answers pre.${kind}`).textContent()) && copied.includes("explain"), `${what} are copied: ${copied}`);
  }
  await it.everyLook(page, "answers");
  // A pixel of an answer is protected by a click, and the next search is asked to leave it alone.
  await page.locator("#draw-answers canvas[data-question=change]").click({ position: { x: 20, y: 20 } });
  it.expect(/2 pixels are protected/.test(await page.locator("#guarded").textContent()), "a pixel of an answer is protected by a click");
  const first = await page.locator("#draw-answers").getAttribute("data-run");
  await page.click("#explain");
  await page.waitForFunction((before) => { const { run, state } = document.querySelector("#draw-answers").dataset; return run !== before && state !== "running"; }, first);
  const calls = [first, await page.locator("#draw-answers").getAttribute("data-run")].map((name) => JSON.parse(readFileSync(path.join(it.work, "runs", ".studio", `${name}.json`), "utf8")).request.keep.pixels);
  it.expect(calls[0].length === 1 && calls[1].length === 2, `the second search keeps both pixels: ${JSON.stringify(calls)}`);
  await page.context().close();
}

async function samplesAreKnown(it) {
  const page = await it.open();
  for (const digit of ["2", "3", "5", "7"]) {
    await page.click("#sample");
    await says(page, digit).catch(() => it.faults.push(`the sample of a ${digit} is not recognised`));
    it.looks += 1;
  }
  await page.context().close();
}

async function byKeyboard(it) {
  const page = await it.open();
  it.expect(await tabTo(page, "#canvas"), "the canvas is reached by Tab");
  for (let k = 0; k < 8; k++) await page.keyboard.press("ArrowUp");
  for (let k = 0; k < 15; k++) await page.keyboard.press("Shift+ArrowDown");
  await says(page, "1");
  await page.keyboard.press("p");
  it.expect(await tabTo(page, "#explain"), "the button is reached by Tab");
  await page.keyboard.press("Enter");
  await settled(page);
  it.expect((await it.sentences(page, "#draw-answers"))[0]?.includes("class 1"), "explained by keyboard alone");
  // The run is opened in its list.
  await page.evaluate(() => document.activeElement.blur());
  it.expect(await tabTo(page, "#tab-runs"), "the runs are reached by Tab");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#runs-list tbody tr");
  it.expect(await tabTo(page, "#runs-list tbody tr:first-child button"), "a run is reached by Tab");
  await page.keyboard.press("Enter");
  await page.waitForSelector("#runs-detail .sentence");
  await page.context().close();
}

/** By touch, as a finger sends it. */
async function byTouch(it) {
  const page = await it.open({ width: 380, height: 800, hasTouch: true });
  const box = await page.locator("#canvas").boundingBox();
  const session = await page.context().newCDPSession(page);
  const point = (x, y) => [{ x: box.x + (x * box.width) / 28, y: box.y + (y * box.height) / 28 }];
  await session.send("Input.dispatchTouchEvent", { type: "touchStart", touchPoints: point(14, 5) });
  for (let y = 6; y <= 22; y++) await session.send("Input.dispatchTouchEvent", { type: "touchMove", touchPoints: point(14, y) });
  await session.send("Input.dispatchTouchEvent", { type: "touchEnd", touchPoints: [] });
  await says(page, "1");
  it.looks += 1;
  await page.context().close();
}

/** By pen: as a mouse, with the type of a stylus. */
async function byPen(it) {
  const page = await it.open();
  const box = await page.locator("#canvas").boundingBox();
  const session = await page.context().newCDPSession(page);
  const send = (type, y) => session.send("Input.dispatchMouseEvent", { type, x: box.x + box.width / 2, y: box.y + (y * box.height) / 28, button: "left", buttons: 1, clickCount: 1, pointerType: "pen" });
  await page.evaluate(() => { globalThis.kinds = new Set(); document.querySelector("#canvas").addEventListener("pointermove", (event) => globalThis.kinds.add(event.pointerType)); });
  await send("mousePressed", 5);
  for (let y = 6; y <= 22; y++) await send("mouseMoved", y);
  await send("mouseReleased", 22);
  await says(page, "1");
  it.expect((await page.evaluate(() => [...globalThis.kinds].join())) === "pen", "the pen is a pen");
  await page.context().close();
}

async function stopAndContinue(it) {
  const page = await it.open();
  await draw(page, SEVEN);
  await setQueries(page, 100000);
  await page.selectOption("#target", "0");
  await page.click("#explain");
  await forming(page);
  await page.click("#stop");
  await settled(page);
  const { run, state } = await page.locator("#draw-answers").evaluate((e) => ({ ...e.dataset }));
  it.expect(["stopped", "done"].includes(state), `stopped: ${state}`);
  it.expect((await page.locator("#draw-answers .answer").count()) > 0, "what was found is kept");
  await page.click("#tab-runs");
  await page.waitForSelector(`tr[data-run="${run}"]`);
  if (state === "stopped") {
    await page.click(`button[aria-label="Continue ${run}"]`);
    await page.waitForSelector("#runs-actions .state-done");
    it.expect((await it.sentences(page, "#runs-detail")).length === 2, "it went on to both answers");
  }
  await page.context().close();
}

/** A search that takes a while is watched by a page that is loaded again, and by one whose studio is killed. */
async function loadAgainAndKill(it) {
  const page = await it.open();
  await draw(page, SEVEN);
  await says(page, "7");
  const pixels = await page.evaluate(() => {
    const { data } = document.querySelector("#canvas").getContext("2d").getImageData(0, 0, 392, 392);
    return Array.from({ length: 784 }, (_, at) => data[4 * ((14 * Math.floor(at / 28) + 7) * 392 + 14 * (at % 28) + 7)]);
  });
  const name = await page.evaluate(async (drawing) => (await (await fetch("api/runs", { method: "POST", body: JSON.stringify({ input: { drawing }, count: 4 }) })).json()).name, pixels);
  await page.goto(`${it.studio.url}#draw/${name}`);
  await page.reload();
  await says(page, "7");
  await forming(page);
  // The studio is killed and started again on the same port: the page goes on when it is loaded again, or by itself.
  const again = async () => {
    await it.studio.end("SIGKILL");
    it.studio = await startStudio(it.program, it.work, [], it.studio.port);
  };
  await again();
  await page.reload();
  await forming(page);
  it.expect((await page.locator("#draw-answers").getAttribute("data-state")) === "running", "it is in the middle after a reload, a kill and a reload");
  await again();
  await settled(page);
  const { state } = await page.locator("#draw-answers").evaluate((e) => ({ ...e.dataset }));
  it.expect(state === "done" && (await page.locator("#draw-answers .alternative").count()) > 2, `all answers are there after a second kill, without a reload: ${state}, ${await page.locator("#notice-text").textContent()}`);
  await page.context().close();
}

/** Two browsers at once, and a tab that is closed in the middle. */
async function twoAtOnce(it) {
  const pages = await Promise.all([1, 2, 3].map(() => it.open()));
  await Promise.all(pages.map(async (page, k) => {
    await draw(page, SEVEN);
    await setQueries(page, 1500);
    await page.fill("#seed", String(k));
    await page.click("#explain");
    await page.waitForSelector("#draw-answers[data-run]");
    if (k === 2) return;
    await settled(page);
    it.expect((await it.sentences(page, "#draw-answers")).length === 2, `browser ${k} sees its answers`);
  }));
  const names = await Promise.all(pages.map((page) => page.locator("#draw-answers").getAttribute("data-run")));
  it.expect(new Set(names).size === 3, "three runs");
  it.digits = names.slice(0, 2);
  await pages[2].context().close();
  await pages[0].click("#tab-runs");
  await pages[0].waitForSelector(`tr[data-run="${names[2]}"] .state-done`);
  it.looks += 1;
  for (const page of pages.slice(0, 2)) await page.context().close();
}

// In this order.
export default { drawAndExplain, samplesAreKnown, byKeyboard, byTouch, byPen, stopAndContinue, loadAgainAndKill, twoAtOnce };
