// A model of the user's own: a table, a text, photographs, a model behind an address.

import { appendFileSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import http from "node:http";
import path from "node:path";
import { open, settled, startStudio, tabTo } from "../browser.mjs";

const verdict = (page, wanted) => page.waitForFunction((word) => document.querySelector("#own-input .opinion strong")?.textContent === word, wanted);
const done = (page) => settled(page, "#own-answers");
const files = (it) => path.join(it.root, "crates", "gradless-cli", "tests", "files");

/** A studio whose model is a program that judges rows and texts. */
async function withProgram(it, work) {
  writeFileSync(path.join(it.work, "people.csv"), `age,income,job\n${Array.from({ length: 40 }, (_, k) => `${20 + k},${1000 + 97 * k},${["none", "part", "full"][k % 3]}`).join("\n")}\n`);
  writeFileSync(path.join(it.work, "credit.py"), readFileSync(new URL("../credit.py", import.meta.url)));
  writeFileSync(path.join(it.work, "classes.txt"), "no\nyes\n");
  const studio = await startStudio(it.program, it.work, ["--scores=probabilities", "--classes=classes.txt", "--", "python3", "credit.py"]);
  const page = await open(it.browser, studio.url, it.faults);
  try {
    await work(page);
  } finally {
    await page.context().close();
    await studio.end("SIGTERM");
  }
}

/** Drops a file on the page, as a hand does. */
async function drop(page, name, bytes) {
  const data = await page.evaluateHandle(([name_, base64]) => {
    const transfer = new DataTransfer();
    transfer.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name_));
    return transfer;
  }, [name, Buffer.from(bytes).toString("base64")]);
  await page.dispatchEvent("#own-drop", "dragover", { dataTransfer: data });
  await page.dispatchEvent("#own-drop", "drop", { dataTransfer: data });
}

/** A picture that a function of a canvas draws, as a PNG file. */
async function picture(page, side, paint) {
  const base64 = await page.evaluate(([side_, body]) => {
    const canvas = Object.assign(document.createElement("canvas"), { width: side_, height: side_ });
    new Function("brush", body)(canvas.getContext("2d"));
    return canvas.toDataURL("image/png").split(",")[1];
  }, [side, paint]).catch(() => null);
  return base64 && Buffer.from(base64, "base64");
}

async function table(it) {
  await withProgram(it, async (page) => {
    it.expect(await page.locator("#own").isVisible(), "a model of tables opens its own view");
    await it.judge(page, "own, empty");
    await it.shot(page, "own-empty");
    await drop(page, "people.csv", readFileSync(path.join(it.work, "people.csv")));
    await verdict(page, "no");
    await page.click("text=Later rows");
    await page.click("#own-input button[aria-label='Take row 24']");
    await page.click("button[aria-label='Lock age']");
    await page.fill("label:has-text('Different answers') input", "3");
    await page.click("#own-input button[type=submit]");
    await done(page);
    const change = page.locator("#own-answers .answer[data-question=change]");
    it.expect((await change.locator(".sentence").allTextContents()).every((text) => text.includes("yes")), "changes of the row");
    const heads = await change.locator(".levers thead th").allTextContents();
    it.expect(heads.join().startsWith("column,now,answer 1,answer 2"), `levers of each answer side by side: ${heads}`);
    it.expect(!(await change.locator(".levers tbody th").allTextContents()).includes("age"), "a locked column stays");
    await it.everyLook(page, "table");
    // Loaded again, the row, its lock and the answers are there.
    await page.reload();
    await done(page);
    it.expect((await page.locator("button[aria-label='Lock age']").getAttribute("aria-pressed")) === "true", "the lock is there after a reload");
    it.expect((await page.locator("#own-input tr.chosen button").textContent()) === "24", "the row is there after a reload");
    // A menu and a slider move the row; the slider to the other class.
    await page.selectOption("[data-column=job] select", "full");
    await page.locator("[data-column=income] input[type=range]").fill("4500");
    await verdict(page, "yes");
    it.expect((await page.inputValue("[data-column=income] input[type=number]")) === "4500", "slider and number agree");
    // A text is dropped beside it, and back to the table.
    await drop(page, "mail.txt", Buffer.from("Hello! We have cheap pills for you."));
    await page.waitForSelector("#own-input button[data-word=pills]");
    await drop(page, "people.csv", readFileSync(path.join(it.work, "people.csv")));
    await page.waitForSelector("[data-column=income]");
    await page.locator("[data-column=income] input[type=range]").fill("4500");
    await verdict(page, "yes");
    // What was moved is explained as it stands.
    await page.click("#own-input button[type=submit]");
    await page.waitForFunction(() => /makes it "no"/.test(document.querySelector("#own-answers").textContent));
    it.looks += 1;
  });
}

/** A text, by keyboard alone. */
async function textByKeyboard(it) {
  await withProgram(it, async (page) => {
    it.expect(await tabTo(page, "#own .card:nth-child(2) summary"), "writing a text is reached by Tab");
    await page.keyboard.press("Enter");
    it.expect(await tabTo(page, "#own-text"), "the text is reached by Tab");
    await page.keyboard.type("Hello! We have cheap pills for you. <b>Win</b> money now, and see the doctor at lunch.");
    it.expect(await tabTo(page, "#own-text-take"), "the button is reached by Tab");
    await page.keyboard.press("Enter");
    await verdict(page, "yes");
    it.expect(await tabTo(page, "button[data-word=money]"), "a word is reached by Tab");
    await page.keyboard.press("Space");
    it.expect((await page.locator("button[data-word=money]").getAttribute("aria-pressed")) === "true", "a word is kept by a key");
    it.expect(await tabTo(page, "#own-input button[type=submit]"), "the search is reached by Tab");
    await page.keyboard.press("Enter");
    await done(page);
    const marked = (await page.locator("#own-answers .answer[data-question=change] mark").allTextContents()).join();
    it.expect(marked.includes("pills") && !marked.includes("money"), `words are marked, kept ones stay: ${marked}`);
    it.expect((await page.locator("#own-answers b").count()) === 0, "a text stays a text");
    await it.everyLook(page, "text");
  });
}

/** A network of colour pictures that is dropped on the page, and a picture of its size. */
async function smallPicture(it) {
  const page = await it.open({}, "#own");
  const before = await picture(page, 32, 'brush.fillStyle = "#48c"; brush.fillRect(0, 0, 32, 32); brush.fillStyle = "#840"; brush.fillRect(8, 10, 16, 12);');
  await page.setInputFiles("#own-onnx", ["onnx", "toml"].map((ending) => path.join(it.root, "assets", `resnet20.${ending}`)));
  await page.waitForFunction(() => document.querySelector("#own-model").textContent.includes("resnet20"));
  it.expect(await page.locator("#tab-draw").isHidden(), "a model of colour pictures has nothing to draw on");
  await drop(page, "a <b>picture</b>.png", before);
  await page.waitForFunction(() => document.querySelectorAll("#own-input .scores tr").length === 10);
  it.expect(!/^\d$/.test(await page.locator("#own-input .scores th").first().textContent()), "the description that came with the model names its classes");
  const middle = await page.locator("#own-input canvas").evaluate((canvas) => [...canvas.getContext("2d").getImageData(16, 16, 1, 1).data]);
  it.expect(middle.join() === "136,68,0,255", `the picture as the model sees it: ${middle}`);
  await it.judge(page, "picture");
  // What is no model is refused, and the model stays.
  await page.setInputFiles("#own-onnx", { name: "broken.onnx", mimeType: "application/octet-stream", buffer: Buffer.from("no model") });
  await page.waitForSelector("#notice:not([hidden])");
  it.expect((await page.locator("#own-model").textContent()).includes("resnet20"), "a broken model changes nothing");
  await page.click("#own-first");
  await page.waitForFunction(() => document.querySelector("#own-model").textContent === "the embedded LeNet");
  it.expect(await page.locator("#tab-draw").isVisible(), "back to the first model there is something to draw on");
  await page.context().close();
}

const PHOTOGRAPH = `
const sky = brush.createLinearGradient(0, 0, 0, 96);
sky.addColorStop(0, "#567"); sky.addColorStop(1, "#987");
brush.fillStyle = sky; brush.fillRect(0, 0, 96, 96);
brush.fillStyle = "#c22"; brush.beginPath(); brush.arc(24, 22, 12, 0, 7); brush.fill();
brush.fillStyle = "#151"; brush.fillRect(60, 8, 22, 26);
brush.fillStyle = "#662"; brush.fillRect(6, 60, 30, 24);`;
const colours = (canvas) => canvas.evaluate((it) => it.toDataURL());

/** A photograph, cut into regions: they light up, a slider shows the heat map, alternatives stand side by side. */
async function photograph(it) {
  const page = await it.open({}, "#own");
  const bytes = await picture(page, 96, PHOTOGRAPH);
  writeFileSync(path.join(it.work, "names.txt"), "red above\nblue below\nneither\n");
  await page.setInputFiles("#own-onnx", [path.join(files(it), "corners.onnx"), path.join(it.work, "names.txt")]);
  await page.waitForFunction(() => document.querySelector("#own-model").textContent.includes("corners"));
  await drop(page, "photograph.png", bytes);
  await verdict(page, "red above");
  await page.fill("label:has-text('Different answers') input", "2");
  await page.click("#own-input button[type=submit]");
  await page.waitForFunction(() => /\d+ regions held/.test(document.querySelector("#own-answers").textContent));
  // It is loaded again in the middle: the picture comes back, and what was found.
  await page.reload();
  await done(page);
  it.expect(await page.locator("#own-input canvas").isVisible(), "the picture is there after a reload");
  const part = page.locator("#own-answers .answer[data-question=part]");
  const sentences = await part.locator(".sentence").allTextContents();
  it.expect(/regions? (is|are) enough/.test(sentences[0]) || /region/.test(sentences[0]), `regions are told: ${sentences}`);
  const canvas = part.locator("canvas.forming").first();
  // Regions of the disc shine as they are, what is not needed is dim.
  const lit = await canvas.evaluate((one) => {
    const copy = Object.assign(document.createElement("canvas"), { width: 96, height: 96 }).getContext("2d", { willReadFrequently: true });
    copy.drawImage(one, 0, 0);
    const { data } = copy.getImageData(0, 0, 96, 96);
    const shines = Array.from({ length: 96 * 96 }, (_, at) => at).filter((at) => Math.max(...data.slice(4 * at, 4 * at + 3)) > 110);
    return [shines.length, shines.filter((at) => Math.hypot((at % 96) - 24, Math.floor(at / 96) - 22) < 16).length];
  });
  it.expect(lit[0] > 20 && lit[0] < 1500 && lit[1] === lit[0], `regions of the disc light up: ${lit}`);
  const cool = await colours(canvas);
  await part.locator(".heat input").first().fill("100");
  const hot = await colours(canvas);
  await part.locator(".heat input").first().fill("0");
  it.expect(cool !== hot && (await colours(canvas)) === cool, "the slider shows the heat map and takes it back");
  const alternatives = await page.locator("#own-answers .alternative").count();
  it.expect(alternatives >= 2, `alternatives side by side: ${alternatives}`);
  const [one, other] = await Promise.all([0, 1].map((k) => page.locator("#own-answers .alternative").nth(k).boundingBox()));
  it.expect(Math.abs(one.y - other.y) < 5 && other.x > one.x, "they stand side by side");
  await part.locator(".heat input").first().fill("60");
  await it.everyLook(page, "photograph");
  await page.context().close();
}

/** A real network and a real photograph, where GRADLESS_PHOTOGRAPHS names a folder with an ONNX file, its description, names, and pictures. */
async function realPhotograph(it) {
  const folder = process.env.GRADLESS_PHOTOGRAPHS;
  if (!folder || !existsSync(folder)) {
    const words = "a real photograph in the studio: GRADLESS_PHOTOGRAPHS names no folder with a network (.onnx, .toml, .txt) and a picture (.jpg, .png)";
    if (process.env.GRADLESS_SKIPPED) appendFileSync(process.env.GRADLESS_SKIPPED, `${words}\n`);
    return;
  }
  const found = (pattern) => readdirSync(folder).filter((name) => pattern.test(name)).map((name) => path.join(folder, name));
  const page = await it.open({}, "#own");
  await page.setInputFiles("#own-onnx", found(/\.(onnx|toml|txt)$/));
  const stem = path.basename(found(/\.onnx$/)[0], ".onnx");
  await page.waitForFunction((wanted) => document.querySelector("#own-model").textContent.startsWith(wanted), stem);
  await page.setInputFiles("#own-file", found(/\.(jpe?g|png)$/)[0]);
  await page.waitForSelector("#own-input .scores tr");
  await page.evaluate(() => { document.querySelector("#own-input .more").open = true; });
  await page.fill("#own-input .more label:has-text('Queries') input", "300");
  await page.click("#own-input button[type=submit]");
  await page.waitForFunction(() => /\d+ regions held/.test(document.querySelector("#own-answers").textContent));
  await it.shot(page, "real-photograph-forming");
  page.setDefaultTimeout(300_000);
  await done(page);
  it.expect((await it.sentences(page, "#own-answers")).length === 2, "a real photograph is explained");
  await it.shot(page, "real-photograph");
  await page.context().close();
}

/** A model behind an address that is chosen on the page. */
async function byAddress(it) {
  const judge = (row) => { const s = 1 / (1 + Math.exp(-((row.income ?? 0) / 1000 - 3))); return [1 - s, s]; };
  const server = http.createServer((request, response) => {
    let body = "";
    request.on("data", (data) => { body += data; });
    request.on("end", () => response.end(JSON.stringify({ scores: JSON.parse(body).inputs.map(judge) })));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${server.address().port}/`;
  const page = await it.open({}, "#own");
  await page.click("#own summary:has-text('Use an address')");
  await page.fill("#own-url", "http://127.0.0.1:9/");
  await page.fill("#own-shape", "3, 8, 8");
  await page.click("#own-address button");
  await page.waitForSelector("#notice:not([hidden])");
  it.expect(!(await page.locator("#own-model").textContent()).includes("127.0.0.1"), "where nobody answers, the model stays");
  await page.fill("#own-url", address);
  await page.fill("#own-shape", "");
  await page.click("#own-address button");
  await page.waitForFunction((wanted) => document.querySelector("#own-model").textContent === wanted, address);
  await drop(page, "rows.csv", Buffer.from(`age,income\n${Array.from({ length: 30 }, (_, k) => `${20 + k},${1000 + 150 * k}`).join("\n")}\n`));
  await verdict(page, "0");
  await page.click("#own-input button[type=submit]");
  await done(page);
  it.expect(/makes it class 1|makes it "1"/.test(await page.locator("#own-answers").textContent()), "a model behind an address is explained");
  await page.click("#own-answers .command summary");
  it.expect((await page.locator("pre.shell").textContent()).includes(`--model=${address}`), "the command names the address");
  await page.context().close();
  server.close();
}

// In this order.
export default { table, textByKeyboard, smallPicture, photograph, realPhotograph, byAddress };
